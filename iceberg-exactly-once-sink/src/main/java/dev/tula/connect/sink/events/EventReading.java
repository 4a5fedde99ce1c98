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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one partition of the event topics up to where it ended when the call began.
 *
 * <p>For one thread and one reading. The consumer is the caller's to close.
 */
final class EventReading {
  /** How much of the commit log's end is looked at. Its start only says that there is one. */
  static final long COMMITS_TAIL = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(EventReading.class);
  private static final Duration POLL = Duration.ofMillis(200);

  /** More than a topic with the settings that it is created with ever holds uncompacted. */
  private static final long MANY = 100_000;

  private final Consumer<String, String> consumer;
  private final EventIdentity own;
  private final Duration standstillLimit;
  private final Duration wholeLimit;
  private final long startNs = System.nanoTime();
  private long movedNs = startNs;
  private long recordsRead;
  private String reached = "asking where they begin and end";

  /**
   * @param own whose events are kept
   * @param standstillLimit the longest that reading may get no further
   * @param wholeLimit the longest that it may take
   */
  EventReading(
      Consumer<String, String> consumer,
      EventIdentity own,
      Duration standstillLimit,
      Duration wholeLimit) {
    this.consumer = consumer;
    this.own = own;
    this.standstillLimit = standstillLimit;
    this.wholeLimit = wholeLimit;
  }

  /** The newest own event of each key of a partition, in the partition's order. */
  List<LakeEvent> all(TopicPartition partition) {
    Span span = span(partition);
    long before = recordsRead;
    Map<String, LakeEvent> events = read(partition, span, new LinkedHashMap<>(), false);
    // Not by offsets, which compaction leaves as they are.
    long records = recordsRead - before;
    if (records > MANY && events.size() < MANY / 2) {
      warnOfManyForFew(partition, records, events.size());
    }
    return new ArrayList<>(events.values());
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
    long position = span.begin();
    while (position < span.end() && !(anyIsEnough && !events.isEmpty())) {
      reached =
          "%s is at offset %d of %d to %d".formatted(partition, position, span.begin(), span.end());
      remaining();
      for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
        recordsRead++;
        addOwn(record, events);
      }
      long next = consumer.position(partition, remaining());
      if (next > position) {
        movedNs = System.nanoTime();
      }
      position = next;
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
    long now = System.nanoTime();
    long whole = wholeLimit.toNanos() - (now - startNs);
    if (whole <= 0) {
      throw LakeException.passing(
          "reading the event topics took longer than "
              + wholeLimit.toMillis()
              + " ms: "
              + reached
              + ". "
              + EventTopics.COMPACTION_ADVICE,
          null);
    }
    long standstill = standstillLimit.toNanos() - (now - movedNs);
    if (standstill <= 0) {
      throw LakeException.passing(
          "reading the event topics has got no further for "
              + standstillLimit.toMillis()
              + " ms: "
              + reached
              + ". See whether the brokers answer",
          null);
    }
    return Duration.ofNanos(Math.min(whole, standstill));
  }

  private void warnOfManyForFew(TopicPartition partition, long records, int kept) {
    LOG.warn(
        "Of {}, {} records were read in {} ms for {} events that count, and so it will be at each start. {}",
        partition,
        records,
        (System.nanoTime() - startNs) / 1_000_000,
        kept,
        EventTopics.COMPACTION_ADVICE);
  }
}
