package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.ManualClock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Header;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaTopicStartsTest {
  private static final TopicPartition PARTITION = new TopicPartition("data", 1);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final ManualClock clock = new ManualClock();
  private final KafkaTopicStarts starts =
      new KafkaTopicStarts(consumer, "data", "p:1", 1_000, clock);

  @Test
  void an_empty_partition_has_no_start() throws Exception {
    holds(0, 0);
    assertThat(starts.first(1)).isEmpty();
  }

  @Test
  void a_partition_with_nothing_but_aborted_records_has_none_either() throws Exception {
    holds(0, 2);
    consumer.schedulePollTask(() -> consumer.seek(PARTITION, 2));
    assertThat(starts.first(1)).isEmpty();
  }

  @Test
  void the_first_record_s_header_says_where_the_stream_begins() throws Exception {
    holds(0, 2);
    consumer.schedulePollTask(
        () -> {
          add(0, "other", headerOf(Position.beforeSeeded(41)));
          add(1, headerOf(Position.batchEnd(99)));
        });
    assertThat(starts.first(1))
        .contains(new TopicStarts.First(0, Optional.of(Position.beforeSeeded(41))));
  }

  @Test
  void a_start_names_its_pipeline_and_generation() {
    ConnectHeaders headers = new ConnectHeaders();
    StartHeader.addTo(headers, start(Position.ORIGIN));
    assertThat(headers)
        .extracting(Header::key)
        .containsExactly("tula-start:" + Position.ORIGIN, "tula-pipeline:p:1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tula-pipeline:other:1", "tula-pipeline:p:2"})
  void a_stream_of_another_pipeline_or_generation_is_refused(String header) {
    holds(0, 1);
    consumer.schedulePollTask(() -> add(0, headerOf(Position.ORIGIN), header));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> starts.first(1))
        .withMessageStartingWith("TULA-88 ")
        .withMessageContaining("topic data, partition 1, begins with the stream of")
        .withMessageContaining("tula.topic");
  }

  @Test
  void its_own_stream_is_taken() throws Exception {
    holds(0, 1);
    consumer.schedulePollTask(() -> add(0, headerOf(Position.ORIGIN), "tula-pipeline:p:1"));
    assertThat(starts.first(1)).contains(new TopicStarts.First(0, Optional.of(Position.ORIGIN)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "other", "tula-start:", "tula-start:soon"})
  void a_record_without_it_says_only_that_there_is_one(String header) throws Exception {
    holds(7, 9);
    consumer.schedulePollTask(
        () -> add(7, header.isEmpty() ? new String[0] : new String[] {header}));
    assertThat(starts.first(1)).contains(new TopicStarts.First(7, Optional.empty()));
  }

  @Test
  void a_missing_acl_is_named_with_the_operations_and_the_topic() {
    holds(0, 1);
    consumer.setPollException(new TopicAuthorizationException("data"));
    assertThatExceptionOfType(AuthorizationException.class)
        .isThrownBy(() -> starts.first(1))
        .withMessageContaining("the principal needs Describe and Read on topic data");
  }

  @Test
  void a_record_that_never_comes_is_waited_for_in_vain_only_so_long() {
    holds(0, 1);
    for (int i = 0; i < 3; i++) {
      consumer.schedulePollTask(() -> clock.advance(500));
    }
    assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> starts.first(1));
  }

  @Test
  void an_interrupt_ends_it() {
    holds(0, 1);
    consumer.setPollException(new InterruptException(new InterruptedException("stop")));
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> starts.first(1));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void settings_that_make_no_client_are_named_and_not_quoted() {
    Map<String, String> properties = Configs.ofTask(2, "1");
    properties.put("tula.kafka.security.protocol", "SASL_PLAINTEXT");
    properties.put("tula.kafka.sasl.mechanism", "PLAIN");
    properties.put("tula.kafka.sasl.jaas.config", "NoSuchModule hunter2");
    properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, "127.0.0.1:1");
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> KafkaTopicStarts.factory(new SourceConfig(properties), clock).get())
        .withMessageContaining("tula.kafka.sasl.jaas.config can't be read")
        .satisfies(failure -> assertThat(failure).hasNoCause());
  }

  @Test
  void closing_closes_the_consumer() {
    starts.close();
    assertThat(consumer.closed()).isTrue();
  }

  private static String headerOf(Position from) {
    ConnectHeaders headers = new ConnectHeaders();
    StartHeader.addTo(headers, start(from));
    return headers.iterator().next().key();
  }

  private static StreamItem.Start start(Position from) {
    return new StreamItem.Start(from, 0, new SourceConfig(Configs.ofTask(2, "1")).identity(1));
  }

  private void holds(long begin, long end) {
    consumer.updatePartitions("data", List.of(new PartitionInfo("data", 1, null, null, null)));
    consumer.updateBeginningOffsets(Map.of(PARTITION, begin));
    consumer.updateEndOffsets(Map.of(PARTITION, end));
  }

  private void add(long offset, String... headerNames) {
    RecordHeaders headers = new RecordHeaders();
    for (String name : headerNames) {
      headers.add(name, null);
    }
    consumer.addRecord(
        new ConsumerRecord<>(
            "data",
            1,
            offset,
            0,
            TimestampType.CREATE_TIME,
            0,
            0,
            null,
            new byte[0],
            headers,
            Optional.empty()));
  }
}
