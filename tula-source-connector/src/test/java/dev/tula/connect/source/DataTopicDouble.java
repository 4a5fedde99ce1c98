package dev.tula.connect.source;

import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;

/** The data topic in memory: what was sent to each of its partitions, in order. */
final class DataTopicDouble {
  private final Map<Integer, List<SourceRecord>> partitions = new ConcurrentHashMap<>();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger looks = new AtomicInteger();

  /** Takes a record that was sent. */
  void append(SourceRecord record) {
    partitions
        .computeIfAbsent(record.kafkaPartition(), partition -> new CopyOnWriteArrayList<>())
        .add(record);
  }

  /** What a partition holds. */
  List<SourceRecord> records(int partition) {
    return partitions.getOrDefault(partition, List.of());
  }

  /** The items that a partition holds. */
  List<StreamItem> items(int partition) {
    List<StreamItem> items = new ArrayList<>();
    for (SourceRecord record : records(partition)) {
      items.add(ConnectRecords.fromConnect(record.valueSchema(), record.value()));
    }
    return items;
  }

  /** Readers that are not closed. */
  int openReaders() {
    return open.get();
  }

  /** How often a partition's beginning was looked at. */
  int looks() {
    return looks.get();
  }

  /** Opens a reader. */
  TopicStarts look() {
    open.incrementAndGet();
    return new TopicStarts() {
      @Override
      public Optional<First> first(int partition) {
        looks.incrementAndGet();
        return records(partition).stream().findFirst().map(first -> new First(0, start(first)));
      }

      @Override
      public void close() {
        open.decrementAndGet();
      }
    };
  }

  private static Optional<Position> start(SourceRecord record) {
    for (Header header : record.headers()) {
      return StartHeader.parse(header.key());
    }
    return Optional.empty();
  }
}
