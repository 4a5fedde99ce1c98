package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.StreamItem;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** One partition of the data topic. */
final class SimTopic {
  static final String NAME = "ledger";

  private final NavigableMap<Long, StreamItem> items = new TreeMap<>();
  private long end;
  private long start;

  void append(StreamItem item) {
    items.put(end, item);
    end++;
  }

  /** The first offset that there is, or would be next. */
  long start() {
    return start;
  }

  /** The offset that the next item will have. */
  long end() {
    return end;
  }

  NavigableMap<Long, StreamItem> items() {
    return items;
  }

  /** The first item at or after an offset. */
  Optional<Map.Entry<Long, StreamItem>> next(long offset) {
    return Optional.ofNullable(items.ceilingEntry(offset));
  }

  /** Retention deletes everything before an offset. */
  void truncate(long newStart) {
    start = Math.max(start, newStart);
    items.headMap(start, false).clear();
  }

  /** Somebody deletes and creates it anew. */
  void recreate() {
    items.clear();
    end = 0;
    start = 0;
  }

  StreamItem remove(long offset) {
    return items.remove(offset);
  }

  void put(long offset, StreamItem item) {
    items.put(offset, item);
  }
}
