package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.ManualClock;
import dev.tula.connect.source.CheckpointTail.Reach;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KafkaCheckpointTailTest {
  private static final String TOPIC = "p.checkpoints";
  private static final EventIdentity IDENTITY = new EventIdentity("p", "c", 1, 1, 2);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final ManualClock clock = new ManualClock();
  private final List<CheckpointEvent> seen = new ArrayList<>();
  private final List<ClearEvent> cleared = new ArrayList<>();
  private final List<Long> malformed = new ArrayList<>();
  private final CheckpointTail.Sink sink =
      new CheckpointTail.Sink() {
        @Override
        public void onCheckpoint(int topicPartition, CheckpointEvent event) {
          assertThat(topicPartition).isEqualTo(1);
          seen.add(event);
        }

        @Override
        public void onClear(int topicPartition, ClearEvent event) {
          assertThat(topicPartition).isEqualTo(1);
          cleared.add(event);
        }

        @Override
        public void onMalformed(int topicPartition, long offset, RuntimeException error) {
          malformed.add(offset);
        }
      };
  private final KafkaCheckpointTail tail =
      new KafkaCheckpointTail(consumer, TOPIC, List.of(1), 2, clock);

  @Test
  void it_waits_for_a_topic_that_is_not_there_and_then_reads_it_from_its_beginning()
      throws Exception {
    assertThat(tail.poll(0, sink)).isEqualTo(Reach.NO_TOPIC);
    assertThat(clock.sleeps()).hasSize(1);
    topic(2);
    CheckpointEvent first = PartitionAcksTest.checkpoint(IDENTITY, 1, 5);
    CheckpointEvent second = PartitionAcksTest.checkpoint(IDENTITY, 2, 6);
    consumer.schedulePollTask(
        () -> {
          add(0, first.value());
          add(1, second.value());
        });
    assertThat(tail.poll(0, sink)).isEqualTo(Reach.THROUGH);
    assertThat(seen).containsExactly(first, second);
    assertThat(consumer.assignment()).containsExactly(new TopicPartition(TOPIC, 1));
  }

  @Test
  void other_events_pass_tombstones_too_and_what_is_none_is_reported() throws Exception {
    topic(2);
    CheckpointEvent last = PartitionAcksTest.checkpoint(IDENTITY, 1, 5);
    consumer.schedulePollTask(
        () -> {
          add(0, halt().value());
          add(1, null);
          add(2, "{\"v\":1}");
          add(3, "not json");
          add(4, last.value());
          add(5, clear().value());
        });
    tail.poll(0, sink);
    assertThat(seen).containsExactly(last);
    assertThat(cleared).containsExactly(clear());
    assertThat(malformed).containsExactly(2L, 3L);
  }

  @Test
  @DisplayName("C8: it is behind until all was read that the topic held when it was found")
  void it_says_whether_something_may_have_followed() throws Exception {
    topic(2);
    consumer.updateEndOffsets(Map.of(new TopicPartition(TOPIC, 1), 2L));
    CheckpointEvent old = PartitionAcksTest.checkpoint(IDENTITY, 1, 5);
    consumer.schedulePollTask(() -> add(0, old.value()));
    consumer.schedulePollTask(() -> add(1, clear().value()));
    assertThat(tail.poll(0, sink)).isEqualTo(Reach.BEHIND);
    assertThat(seen).containsExactly(old);
    assertThat(tail.poll(0, sink)).isEqualTo(Reach.THROUGH);
    assertThat(cleared).containsExactly(clear());
    assertThat(tail.poll(0, sink)).isEqualTo(Reach.THROUGH);
  }

  @Test
  void a_topic_with_another_number_of_partitions_is_refused() {
    topic(3);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> tail.poll(0, sink))
        .withMessageContaining("has 3 partitions")
        .withMessageContaining("tula.partition.count=2");
  }

  @Test
  void an_interrupt_ends_it() {
    topic(2);
    consumer.setPollException(new InterruptException(new InterruptedException("stop")));
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> tail.poll(0, sink));
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void the_operator_s_client_settings_count_except_those_that_the_ack_rests_on() {
    Map<String, String> properties = Configs.ofTask(2, "1");
    properties.put("tula.kafka.security.protocol", "SSL");
    properties.put("tula.kafka.isolation.level", "read_uncommitted");
    properties.put("tula.kafka.group.id", "somebody");
    Map<String, Object> settings =
        KafkaCheckpointTail.consumerSettings(new SourceConfig(properties));
    assertThat(settings)
        .containsEntry("security.protocol", "SSL")
        .containsEntry("isolation.level", "read_committed")
        .containsEntry("allow.auto.create.topics", false)
        .doesNotContainKey("group.id");
  }

  private static HaltEvent halt() {
    return new HaltEvent(IDENTITY, "h1", "a_reason", "a message", "w", 1, 1, Instant.EPOCH);
  }

  private static ClearEvent clear() {
    return new ClearEvent(
        IDENTITY, "h1", Optional.of(Position.batchEnd(3)), "somebody", Instant.EPOCH);
  }

  private void topic(int partitions) {
    List<PartitionInfo> infos = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      infos.add(new PartitionInfo(TOPIC, i, null, null, null));
    }
    consumer.updatePartitions(TOPIC, infos);
    consumer.updateBeginningOffsets(Map.of(new TopicPartition(TOPIC, 1), 0L));
    consumer.updateEndOffsets(Map.of(new TopicPartition(TOPIC, 1), 0L));
  }

  private void add(long offset, String value) {
    byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    consumer.addRecord(new ConsumerRecord<>(TOPIC, 1, offset, new byte[0], bytes));
  }
}
