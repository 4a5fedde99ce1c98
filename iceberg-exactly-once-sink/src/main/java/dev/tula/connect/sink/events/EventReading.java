package dev.tula.connect.sink.events;

import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads one partition of the event topics up to where it ended when the call began.
 *
 * <p>For one thread and one reading. The consumer is the caller's to close.
 */
final class EventReading {
  /** How much of the commit log's end is looked at. Its start only says that there is one. */
  static final long COMMITS_TAIL = 1_000;

  private static final Duration POLL = Duration.ofMillis(200);

  private final Consumer<String, String> consumer;
  private final EventIdentity own;
  private final Duration limit;
  private final long deadline;

  EventReading(Consumer<String, String> consumer, EventIdentity own, Duration limit) {
    this.consumer = consumer;
    this.own = own;
    this.limit = limit;
    this.deadline = System.nanoTime() + limit.toNanos();
  }

  /** The newest own event of each key of a partition, in the partition's order. */
  List<LakeEvent> all(TopicPartition partition) {
    Span span = span(partition);
    return new ArrayList<>(read(partition, span, new LinkedHashMap<>(), false).values());
  }

  /**
   * What decides of a commit log, which only grows: its first own event, if there is any, and those
   * among its last records.
   */
  List<LakeEvent> ends(TopicPartition partition) {
    Span span = span(partition);
    Map<String, LakeEvent> events = read(partition, span, new LinkedHashMap<>(), true);
    long read = consumer.position(partition, remaining());
    long tail = Math.max(read, span.end() - COMMITS_TAIL);
    return new ArrayList<>(read(partition, new Span(tail, span.end()), events, false).values());
  }

  /** Where a partition begins and ends. */
  private record Span(long begin, long end) {}

  private Span span(TopicPartition partition) {
    List<TopicPartition> one = List.of(partition);
    Map<TopicPartition, Long> begin = consumer.beginningOffsets(one, remaining());
    Map<TopicPartition, Long> end = consumer.endOffsets(one, remaining());
    return new Span(begin.get(partition), end.get(partition));
  }

  private Map<String, LakeEvent> read(
      TopicPartition partition, Span span, Map<String, LakeEvent> events, boolean anyIsEnough) {
    consumer.assign(List.of(partition));
    consumer.seek(partition, span.begin());
    while (consumer.position(partition, remaining()) < span.end()
        && !(anyIsEnough && !events.isEmpty())) {
      for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
        addOwn(record, events);
      }
    }
    return events;
  }

  /** Keeps the newest of a key, as compaction will: what it has not got to yet takes no memory. */
  private void addOwn(ConsumerRecord<String, String> record, Map<String, LakeEvent> events) {
    if (record.value() == null) {
      return; // a tombstone
    }
    LakeEvent event = parse(record);
    if (isOwn(event.identity())) {
      events.remove(event.key());
      events.put(event.key(), event);
    }
  }

  private static LakeEvent parse(ConsumerRecord<String, String> record) {
    try {
      return LakeEvent.parse(record.value());
    } catch (MalformedRecordException e) {
      throw LakeException.lasting(
          "topic "
              + record.topic()
              + ", partition "
              + record.partition()
              + ", offset "
              + record.offset()
              + ": "
              + e.getMessage()
              + "; only this version's events may be in this topic, and a halt may hide in one "
              + "that can't be read",
          e);
    }
  }

  /** Those under another N are a different partition's history, and are left to the lake. */
  private boolean isOwn(EventIdentity identity) {
    return identity.equals(own);
  }

  private Duration remaining() {
    long nanos = deadline - System.nanoTime();
    if (nanos <= 0) {
      throw LakeException.passing(
          "reading the event topics took longer than " + limit.toMillis() + " ms", null);
    }
    return Duration.ofNanos(nanos);
  }
}
