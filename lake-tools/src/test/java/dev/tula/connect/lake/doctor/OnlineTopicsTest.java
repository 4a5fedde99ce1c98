package dev.tula.connect.lake.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.SinkConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OnlineTopicsTest {
  private static final SinkConfig CONFIG =
      new SinkConfig(
          Map.of(
              "topics", "ledger.data",
              "iceberg.namespace", "ledger",
              "tula.cluster.id", "c",
              "tula.pipeline", "ledger",
              "tula.partition.count", "2"));
  private static final Map<String, String> EVENTS =
      Map.of("cleanup.policy", "compact", "min.insync.replicas", "2");
  private static final Map<String, String> DATA =
      Map.of(
          "cleanup.policy", "delete",
          "retention.ms", "604800000",
          "message.timestamp.type", "LogAppendTime",
          "max.message.bytes", "1048588");

  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();

  @AfterEach
  void close() {
    admin.close();
  }

  private void create(String topic, int partitions, Map<String, String> settings) throws Exception {
    admin
        .createTopics(
            List.of(
                new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(settings)))
        .all()
        .get();
  }

  private List<Finding> examine(boolean data) {
    Findings findings = new Findings("online.topics");
    new OnlineTopics(admin, Duration.ofSeconds(5), findings).examine(CONFIG, data);
    return findings.list();
  }

  private static void assertOnly(List<Finding> findings, Verdict verdict, String key, String seen) {
    assertThat(findings)
        .filteredOn(finding -> finding.verdict() != Verdict.OK)
        .as("%s", findings)
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.verdict()).isEqualTo(verdict);
              assertThat(finding.key()).isEqualTo(key);
              assertThat(finding.seen()).contains(seen);
            });
  }

  @Test
  void topics_that_are_not_there_yet_are_somebodys_to_create() throws Exception {
    assertThat(examine(true))
        .hasSize(3)
        .allSatisfy(finding -> assertThat(finding.verdict()).isEqualTo(Verdict.OK))
        .allSatisfy(finding -> assertThat(finding.seen()).contains("not there yet"));
    assertThat(admin.listTopics().names().get()).isEmpty();
  }

  @Test
  void topics_as_they_must_be_are_fine() throws Exception {
    create("ledger.commits", 2, EVENTS);
    create("ledger.checkpoints", 2, EVENTS);
    create("ledger.data", 2, DATA);

    assertThat(examine(true))
        .hasSize(3)
        .allSatisfy(finding -> assertThat(finding.verdict()).isEqualTo(Verdict.OK));
    assertThat(examine(false)).hasSize(2);
  }

  @Test
  void another_number_of_partitions_fails() throws Exception {
    create("ledger.commits", 3, EVENTS);

    assertOnly(examine(true), Verdict.FAIL, "tula.commits.topic", "has 3 partitions");
  }

  @Test
  void event_topic_that_deletes_fails() throws Exception {
    create(
        "ledger.checkpoints",
        2,
        Map.of("cleanup.policy", "compact,delete", "min.insync.replicas", "2"));

    assertOnly(examine(true), Verdict.FAIL, "tula.checkpoints.topic", "compact,delete");
  }

  /** C30. */
  @Test
  void event_on_one_broker_alone_is_warned_of() throws Exception {
    create("ledger.commits", 2, Map.of("cleanup.policy", "compact", "min.insync.replicas", "1"));

    assertOnly(examine(true), Verdict.WARN, "tula.commits.topic", "min.insync.replicas=1");
  }

  @ParameterizedTest
  @CsvSource({
    "cleanup.policy, compact",
    "max.message.bytes, 1000",
    "message.timestamp.type, CreateTime"
  })
  void data_topic_that_would_lose_records_fails(String setting, String value) throws Exception {
    Map<String, String> settings = new HashMap<>(DATA);
    settings.put(setting, value);
    create("ledger.data", 2, settings);

    assertOnly(examine(true), Verdict.FAIL, "topics", setting + "=" + value);
    assertThat(examine(false)).hasSize(2);
  }

  @Test
  void data_topic_that_is_kept_for_ever_may_have_any_timestamps() throws Exception {
    create("ledger.data", 2, Map.of("retention.ms", "-1", "message.timestamp.type", "CreateTime"));

    assertThat(examine(true))
        .allSatisfy(finding -> assertThat(finding.verdict()).isEqualTo(Verdict.OK));
  }

  @Test
  void brokers_that_do_not_answer_fail_once() {
    admin.timeoutNextRequest(1);

    List<Finding> findings = examine(true);
    assertOnly(findings, Verdict.FAIL, "tula.commits.topic", "can't ask the brokers");
    assertThat(findings).hasSize(1);
  }
}
