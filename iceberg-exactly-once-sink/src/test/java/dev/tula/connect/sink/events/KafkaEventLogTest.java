package dev.tula.connect.sink.events;

import static dev.tula.connect.sink.events.Events.OWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KafkaEventLogTest {
  private static final EventTopicNames TOPICS = new EventTopicNames("p.commits", "p.checkpoints");
  private static final TopicPartition COMMITS = new TopicPartition("p.commits", 1);
  private static final TopicPartition CHECKPOINTS = new TopicPartition("p.checkpoints", 1);

  private final List<MockProducer<String, String>> producers = new CopyOnWriteArrayList<>();
  private final Map<TopicPartition, List<String>> records =
      Map.of(COMMITS, new ArrayList<>(), CHECKPOINTS, new ArrayList<>());
  private final List<Long> polled = new ArrayList<>();
  private boolean autoComplete = true;
  private boolean silent;
  private long pollTakesMs;

  private KafkaEventLog log(Duration limit) {
    return log(limit, Duration.ofSeconds(60));
  }

  private KafkaEventLog log(Duration limit, Duration wholeReadLimit) {
    return new KafkaEventLog(
        this::consumer, this::producer, TOPICS, OWN, limit, limit, wholeReadLimit);
  }

  private KafkaEventLog log() {
    return log(Duration.ofSeconds(20));
  }

  private MockProducer<String, String> producer() {
    MockProducer<String, String> producer =
        new MockProducer<>(autoComplete, null, new StringSerializer(), new StringSerializer());
    producers.add(producer);
    return producer;
  }

  /** Serves what is in {@link #records}, three records a poll. */
  private MockConsumer<String, String> consumer() {
    MockConsumer<String, String> consumer =
        new MockConsumer<>("earliest") {
          @Override
          public synchronized ConsumerRecords<String, String> poll(Duration timeout) {
            takeTime();
            if (!silent) {
              serve(this);
            }
            return super.poll(timeout);
          }
        };
    records.forEach(
        (partition, values) -> {
          consumer.updateBeginningOffsets(Map.of(partition, 0L));
          consumer.updateEndOffsets(Map.of(partition, (long) values.size()));
        });
    return consumer;
  }

  private void takeTime() {
    try {
      TimeUnit.MILLISECONDS.sleep(pollTakesMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void serve(MockConsumer<String, String> consumer) {
    TopicPartition partition = consumer.assignment().iterator().next();
    long from = consumer.position(partition);
    List<String> values = records.get(partition);
    for (long offset = from; offset < Math.min(from + 3, values.size()); offset++) {
      polled.add(offset);
      consumer.addRecord(
          new ConsumerRecord<>(
              partition.topic(), partition.partition(), offset, "k", values.get((int) offset)));
    }
  }

  private void put(TopicPartition partition, LakeEvent... events) {
    for (LakeEvent event : events) {
      records.get(partition).add(event.value());
    }
  }

  @Test
  void empty_topics_are_an_empty_view() {
    assertThat(log().read()).isEqualTo(EventsView.EMPTY);
  }

  @Test
  @DisplayName("C20, C25: checkpoints, halts and traces of the own partition are read to the end")
  void view_is_of_all_that_was_there_when_the_call_began() {
    put(COMMITS, Events.table(OWN, 4, 5));
    put(
        CHECKPOINTS,
        Events.checkpoint(1, 3),
        Events.halt("h1"),
        Events.checkpoint(1, 4),
        Events.halt("h2"),
        Events.checkpoint(2, 9));

    EventsView view = log().read();

    assertThat(view.newestCheckpoint()).contains(Events.checkpoint(2, 9));
    assertThat(view.halts()).containsOnlyKeys("h1", "h2");
    assertThat(view.anyTrace()).isTrue();
    assertThat(view.highestEpoch()).isEqualTo(4);
  }

  @Test
  @DisplayName("C20: others' events in a shared topic are passed over")
  void events_of_another_pipeline_cluster_generation_or_partition_count_are_passed_over() {
    Stream.of(
            new EventIdentity("other", "cluster-1", 1, 1, 2),
            new EventIdentity("payments", "cluster-2", 1, 1, 2),
            new EventIdentity("payments", "cluster-1", 2, 1, 2),
            new EventIdentity("payments", "cluster-1", 1, 1, 3))
        .forEach(
            other -> {
              put(CHECKPOINTS, Events.checkpoint(other, 1, 7));
              put(COMMITS, Events.table(other, 9, 7));
            });

    assertThat(log().read()).isEqualTo(EventsView.EMPTY);
  }

  @Test
  void newest_event_of_a_key_counts_whether_the_broker_has_compacted_or_not() {
    put(CHECKPOINTS, Events.checkpoint(1, 3), Events.checkpoint(2, 4), Events.checkpoint(1, 5));

    assertThat(log().events()).containsExactly(Events.checkpoint(2, 4), Events.checkpoint(1, 5));
  }

  @Test
  void commit_log_is_read_at_its_ends_however_long_it_is() {
    for (long to = 1; to <= 5_000; to++) {
      put(COMMITS, Events.table(OWN, to == 5_000 ? 8 : 1, to));
    }

    EventsView view = log().read();

    assertThat(view.anyTrace()).isTrue();
    assertThat(view.highestEpoch()).isEqualTo(8);
    assertThat(polled).hasSizeLessThan(1_100).contains(0L, 4_999L).doesNotContain(2_000L);
  }

  @Test
  @DisplayName("C3: no own event is overlooked, wherever in the commit log it is")
  void first_own_event_is_found_behind_any_number_of_others() {
    for (long to = 1; to <= 3_000; to++) {
      put(COMMITS, Events.table(new EventIdentity("other", "c", 1, 1, 2), 1, to));
    }
    put(COMMITS, Events.table(OWN, 1, 1));
    for (long to = 1; to <= 3_000; to++) {
      put(COMMITS, Events.table(new EventIdentity("other", "c", 1, 1, 2), 1, to));
    }

    assertThat(log().read().anyTrace()).isTrue();
  }

  @Test
  void tombstones_are_passed_over() {
    records.get(CHECKPOINTS).add(null);
    put(CHECKPOINTS, Events.checkpoint(1, 3));

    assertThat(log().read().newestCheckpoint()).isPresent();
  }

  @Test
  @DisplayName("I7: what can't be read is not skipped, as it may be a halt")
  void unreadable_event_fails_for_good_and_names_its_offset() {
    put(CHECKPOINTS, Events.checkpoint(1, 3));
    records.get(CHECKPOINTS).add("{\"v\":2}");

    assertThatThrownBy(() -> log().read())
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContainingAll("p.checkpoints", "partition 1", "offset 1");
  }

  @Test
  void reading_that_makes_no_progress_ends_at_its_limit() {
    put(COMMITS, Events.table(OWN, 1, 1));
    silent = true;

    assertThatThrownBy(() -> log(Duration.ofSeconds(1)).read())
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
        .hasMessageContainingAll("no further for 1000 ms", "p.commits-1 is at offset 0 of 0 to 1");
  }

  @Test
  @DisplayName("C8, C25: a long topic is read to its end, however long that takes while it gets on")
  void reading_that_gets_on_is_not_ended_by_the_limit_of_a_standstill() {
    for (long to = 1; to <= 60; to++) {
      put(CHECKPOINTS, Events.checkpoint(1, to));
    }
    put(CHECKPOINTS, Events.halt("h"));
    pollTakesMs = 200; // three records each, so more than four seconds

    EventsView view = log(Duration.ofSeconds(4)).read();

    assertThat(view.newestCheckpoint()).contains(Events.checkpoint(1, 60));
    assertThat(view.halts()).containsOnlyKeys("h");
  }

  @Test
  void reading_that_takes_too_long_says_how_far_it_came_and_what_shortens_the_topic() {
    for (long to = 1; to <= 300; to++) {
      put(CHECKPOINTS, Events.checkpoint(1, to));
    }
    pollTakesMs = 20; // two seconds in all

    assertThatThrownBy(() -> log(Duration.ofSeconds(20), Duration.ofSeconds(1)).read())
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
        .hasMessageContainingAll(
            "longer than 1000 ms", "p.checkpoints-1 is at offset ", " of 0 to 300", "segment.ms=");
  }

  @Test
  @DisplayName("C19: events go to their own topic and partition, under their own keys")
  void events_are_published_under_their_keys_to_the_partition() {
    CheckpointEvent checkpoint = Events.checkpoint(1, 3);
    log().publish(List.of(Events.table(OWN, 1, 3), checkpoint, Events.halt("h")));

    List<ProducerRecord<String, String>> history = producers.get(0).history();
    assertThat(history)
        .extracting(ProducerRecord::topic)
        .containsExactly("p.commits", "p.checkpoints", "p.checkpoints");
    assertThat(history).extracting(ProducerRecord::partition).containsOnly(1);
    assertThat(history.get(1).key()).isEqualTo(checkpoint.key());
    assertThat(history.get(1).value()).isEqualTo(checkpoint.value());
  }

  @Test
  @DisplayName("C19: publish returns once every event is durable, and not before")
  void publish_returns_once_every_event_is_durable() throws Exception {
    autoComplete = false;
    KafkaEventLog log = log();
    CompletableFuture<Void> published =
        CompletableFuture.runAsync(
            () -> log.publish(List.of(Events.checkpoint(1, 3), Events.checkpoint(1, 4))));
    while (producers.isEmpty() || producers.get(0).history().size() < 2) {
      Thread.onSpinWait();
    }

    producers.get(0).completeNext();
    assertThatThrownBy(() -> published.get(50, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    producers.get(0).completeNext();
    published.get(60, TimeUnit.SECONDS);
  }

  @Test
  void publishing_that_is_not_answered_ends_at_its_limit_and_replaces_the_producer() {
    autoComplete = false;
    KafkaEventLog log = log(Duration.ofMillis(100));

    assertThatThrownBy(() -> log.publish(List.of(Events.checkpoint(1, 3))))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
        .hasMessageContaining("longer than 100 ms");
    assertThat(producers.get(0).closed()).isTrue();

    autoComplete = true;
    log.publish(List.of(Events.checkpoint(1, 3)));
    assertThat(producers).hasSize(2);
  }

  static Stream<RuntimeException> lasting() {
    return Stream.of(
        new TopicAuthorizationException("p.commits"),
        new AuthenticationException("bad password"),
        new RecordTooLargeException("too large"));
  }

  @ParameterizedTest
  @MethodSource("lasting")
  void publishing_that_only_a_person_can_cure_fails_for_good(RuntimeException failure) {
    assertThat(published(failure).isRetriable()).isFalse();
  }

  @Test
  void publishing_that_may_pass_may_be_tried_again() {
    assertThat(published(new NotEnoughReplicasException("one left")).isRetriable()).isTrue();
  }

  private LakeException published(RuntimeException failure) {
    autoComplete = false;
    KafkaEventLog log = log();
    CompletableFuture<Void> published =
        CompletableFuture.runAsync(() -> log.publish(List.of(Events.checkpoint(1, 3))));
    while (producers.isEmpty() || !producers.get(0).errorNext(failure)) {
      Thread.onSpinWait();
    }
    try {
      published.join();
    } catch (CompletionException e) {
      assertThat(e.getCause()).hasMessageContaining("p.commits");
      return (LakeException) e.getCause();
    }
    throw new AssertionError("publishing succeeded");
  }

  @Test
  void closed_log_publishes_nothing_more() {
    KafkaEventLog log = log();
    log.publish(List.of(Events.checkpoint(1, 3)));
    log.close();

    assertThat(producers.get(0).closed()).isTrue();
    assertThatThrownBy(() -> log.publish(List.of(Events.checkpoint(1, 3))))
        .isInstanceOf(LakeException.class);
  }
}
