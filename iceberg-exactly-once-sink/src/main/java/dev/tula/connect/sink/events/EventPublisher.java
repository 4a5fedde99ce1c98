package dev.tula.connect.sink.events;

import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Publishes events to one partition, and returns when every one is durable: idempotent producer,
 * {@code acks=all}. A failure leaves it open whether some were; events are published again by their
 * keys without harm. After one, the producer is replaced, as an idempotent one may be out of step.
 *
 * <p>Safe for any thread; calls take turns.
 */
final class EventPublisher implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  private final Supplier<Producer<String, String>> producers;
  private final EventTopicNames topics;
  private final int partition;
  private final Duration limit;
  private Producer<String, String> producer;
  private boolean closed;

  /**
   * @param producers makes a producer; called again after a failure
   * @param topics where events go
   * @param partition the export partition, and the Kafka partition
   * @param limit the longest that a call may take
   */
  EventPublisher(
      Supplier<Producer<String, String>> producers,
      EventTopicNames topics,
      int partition,
      Duration limit) {
    this.producers = producers;
    this.topics = topics;
    this.partition = partition;
    this.limit = limit;
  }

  /** Publishes them. */
  synchronized void publish(List<LakeEvent> events) {
    if (closed) {
      throw LakeException.passing("publishing events: closed", null);
    }
    String what = "publishing " + events.size() + " events to " + topics.all();
    boolean durable = false;
    try {
      long deadline = System.nanoTime() + limit.toNanos();
      await(send(events), deadline);
      durable = true;
    } catch (ExecutionException e) {
      throw KafkaErrors.translate(what, e.getCause());
    } catch (TimeoutException e) {
      throw LakeException.passing(what + " took longer than " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing(what + " was interrupted", e);
    } catch (RuntimeException e) {
      throw KafkaErrors.translate(what, e);
    } finally {
      if (!durable) {
        discardProducer();
      }
    }
  }

  private List<Future<RecordMetadata>> send(List<LakeEvent> events) {
    if (producer == null) {
      producer = producers.get();
    }
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (LakeEvent event : events) {
      sent.add(
          producer.send(new ProducerRecord<>(topic(event), partition, event.key(), event.value())));
    }
    return sent;
  }

  private static void await(List<Future<RecordMetadata>> sent, long deadline)
      throws ExecutionException, InterruptedException, TimeoutException {
    for (Future<RecordMetadata> future : sent) {
      future.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
  }

  private String topic(LakeEvent event) {
    boolean drivesTheSource =
        event instanceof CheckpointEvent
            || event instanceof HaltEvent
            || event instanceof ClearEvent;
    return drivesTheSource ? topics.checkpoints() : topics.commits();
  }

  @SuppressWarnings("deprecation") // the one form that every Kafka version from 3.9 on has
  private void discardProducer() {
    Producer<String, String> discarded = producer;
    producer = null;
    if (discarded != null) {
      discarded.close(Duration.ZERO);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    Producer<String, String> closing = producer;
    producer = null;
    if (closing != null) {
      closing.close(CLOSE_LIMIT);
    }
  }
}
