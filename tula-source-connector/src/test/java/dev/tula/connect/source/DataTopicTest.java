package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.anyCollection;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.tula.connect.queryport.ClientObserver;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataTopicTest {
  private static final Map<String, String> FIT =
      Map.of(
          "cleanup.policy",
          "delete",
          "retention.ms",
          "604800000",
          "message.timestamp.type",
          "LogAppendTime");

  private static final Node BROKER = new Node(0, "localhost", 1);

  private final MockAdminClient admin = new MockAdminClient(List.of(BROKER), BROKER);
  private final ManualClock clock = new ManualClock();

  @Test
  void a_missing_topic_is_created_as_configured() throws Exception {
    Map<String, String> properties = properties();
    properties.put(SourceConfig.TOPIC_RETENTION_MS, "1000000");
    properties.put(SourceConfig.TOPIC_MIN_INSYNC_REPLICAS, "2");
    properties.put(SourceConfig.GENERATION, "3");
    topic(properties).ensure(ClientObserver.NONE);
    TopicLayout created = new TopicAdmin(admin, 1_000).describe("data.g3").orElseThrow();
    assertThat(created.partitions()).isEqualTo(4);
    assertThat(created.settings())
        .containsEntry("cleanup.policy", "delete")
        .containsEntry("retention.ms", "1000000")
        .containsEntry("message.timestamp.type", "LogAppendTime")
        .containsEntry("min.insync.replicas", "2");
  }

  @Test
  void a_topic_that_fits_is_taken_and_looked_at_once() throws Exception {
    existing(4, FIT);
    int[] connections = {0};
    DataTopic topic =
        new DataTopic(
            new SourceConfig(properties()),
            () -> {
              connections[0]++;
              return new TopicAdmin(admin, 1_000);
            },
            clock);
    topic.ensure(ClientObserver.NONE);
    topic.ensure(ClientObserver.NONE);
    assertThat(connections[0]).isEqualTo(1);
  }

  @Test
  void a_topic_with_another_number_of_partitions_is_88() {
    existing(3, FIT);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> topic(properties()).ensure(ClientObserver.NONE))
        .withMessageContaining("has 3 partitions and must have exactly tula.partition.count=4")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(FailureCode.IDENTITY));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "compact        | 604800000 | LogAppendTime | is compacted",
        "compact,delete | 604800000 | LogAppendTime | is compacted",
        "delete         | 604799999 | LogAppendTime | keeps records for 604799999 ms",
        "delete         | 604800000 | CreateTime    | message.timestamp.type=LogAppendTime"
      })
  void a_topic_that_would_lose_records_is_refused(
      String cleanup, String retention, String timestamps, String words) {
    assertThat(layout(cleanup, retention, timestamps).problemsAsDataTopic("data", 4, 604_800_000))
        .singleElement()
        .asString()
        .contains(words);
  }

  @Test
  void a_topic_that_keeps_records_for_ever_may_use_their_own_time() {
    assertThat(layout("delete", "-1", "CreateTime").problemsAsDataTopic("data", 4, -1)).isEmpty();
    assertThat(layout("delete", "9", "LogAppendTime").problemsAsDataTopic("data", 4, -1))
        .as("for ever is asked for")
        .hasSize(1);
  }

  @Test
  void brokers_that_are_away_are_waited_for_within_the_limit() throws Exception {
    int[] attempts = {0};
    DataTopic topic =
        new DataTopic(
            new SourceConfig(properties()),
            () -> {
              if (attempts[0]++ < 3) {
                throw new TimeoutException("away");
              }
              return new TopicAdmin(admin, 1_000);
            },
            clock);
    List<Exception> repeated = new ArrayList<>();
    topic.ensure(
        new ClientObserver() {
          @Override
          public void onRetry(Exception error) {
            repeated.add(error);
          }
        });
    assertThat(repeated).hasSize(3).hasSameSizeAs(clock.sleeps());
    DataTopic never =
        new DataTopic(
            new SourceConfig(properties()),
            () -> {
              throw new TimeoutException("away");
            },
            clock);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> never.ensure(ClientObserver.NONE))
        .withMessageContaining("topic data could not be looked up");
  }

  @Test
  void a_missing_permission_fails_at_once() {
    DataTopic topic =
        new DataTopic(
            new SourceConfig(properties()),
            () -> {
              throw new TopicAuthorizationException("data");
            },
            clock);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> topic.ensure(ClientObserver.NONE))
        .withMessageContaining("ACLs");
    assertThat(clock.sleeps()).isEmpty();
  }

  @Test
  void a_topic_that_takes_no_large_messages_is_refused() {
    Map<String, String> settings =
        Map.of("cleanup.policy", "delete", "retention.ms", "-1", "max.message.bytes", "100000");
    assertThat(new TopicLayout(4, settings).problemsAsDataTopic("data", 4, -1))
        .singleElement()
        .asString()
        .contains("100000 bytes", "max.message.bytes");
  }

  @Test
  void a_missing_acl_is_named_with_the_operations_and_the_topic() {
    Admin refusing = mock(Admin.class);
    DescribeTopicsResult described = mock(DescribeTopicsResult.class);
    KafkaFuture<TopicDescription> refused = new KafkaFutureImpl<>();
    ((KafkaFutureImpl<TopicDescription>) refused)
        .completeExceptionally(new TopicAuthorizationException("data"));
    when(refusing.describeTopics(anyCollection())).thenReturn(described);
    when(described.topicNameValues()).thenReturn(Map.of("data", refused));
    DataTopic topic =
        new DataTopic(new SourceConfig(properties()), () -> new TopicAdmin(refusing, 1_000), clock);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> topic.ensure(ClientObserver.NONE))
        .withMessageContaining("the principal needs Describe and DescribeConfigs on topic data")
        .withMessageContaining("ACLs");
  }

  private static TopicLayout layout(String cleanup, String retention, String timestamps) {
    return new TopicLayout(
        4,
        Map.of(
            "cleanup.policy",
            cleanup,
            "retention.ms",
            retention,
            "message.timestamp.type",
            timestamps));
  }

  private static Map<String, String> properties() {
    Map<String, String> properties = Configs.minimal();
    properties.put(SourceConfig.PARTITION_COUNT, "4");
    return properties;
  }

  private DataTopic topic(Map<String, String> properties) {
    return new DataTopic(new SourceConfig(properties), () -> new TopicAdmin(admin, 1_000), clock);
  }

  private void existing(int partitions, Map<String, String> settings) {
    List<TopicPartitionInfo> infos = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      infos.add(new TopicPartitionInfo(i, BROKER, List.of(BROKER), List.of(BROKER)));
    }
    admin.addTopic(false, "data", infos, settings);
  }
}
