package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message.State;
import dev.tula.connect.model.wire.Message.StateKind;
import dev.tula.connect.model.wire.Message.StatePage;
import dev.tula.connect.refnode.history.History;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The state as of a position: for each entity the newest change at or below it. Accounts come
 * first, then ledgers, currencies, sources and members, each in order of creation; a row's ordinal
 * is its place in that whole list, so that no two rows share a position. Safe for any thread.
 */
final class StateReader {
  private static final int CACHED = 4;
  private static final byte PRESENT = 1;
  private static final int COMMON_FIELDS_BYTES = 43;

  private final History history;
  private final Map<Long, Snapshot> cache =
      new LinkedHashMap<>(8, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Snapshot> eldest) {
          return size() > CACHED;
        }
      };

  private record Snapshot(Map<RecordKind, long[]> locators) {
    int firstOrdinal(RecordKind kind) {
      int before = 0;
      for (RecordKind earlier : RecordKind.values()) {
        if (earlier == kind) {
          return before;
        }
        before += locators.getOrDefault(earlier, new long[0]).length;
      }
      throw new IllegalArgumentException(kind + " is no state");
    }
  }

  private record Entity(RecordKind kind, String id) {}

  StateReader(History history) {
    this.history = history;
  }

  /** A page of the state as of the end of a batch at or below the head. */
  StatePage read(State request, long maxFrameRowsBytes) {
    Position asOf = request.asOf();
    RecordKind kind = kind(request.kind());
    int from = parseCursor(request.cursor());
    if (asOf.globalBatchSeq() == 0) {
      return new StatePage(asOf, List.of(), "");
    }
    Snapshot snapshot = snapshot(asOf);
    long[] locators = snapshot.locators().getOrDefault(kind, new long[0]);
    if (from > locators.length) {
      throw badCursor(request.cursor());
    }
    int firstOrdinal = snapshot.firstOrdinal(kind);
    List<CanonicalRow> rows = new ArrayList<>();
    long bytes = 0;
    int next = from;
    while (next < locators.length && rows.size() < request.maxRecords()) {
      CanonicalRow row = seeded(history.row(locators[next]), asOf, firstOrdinal + next);
      bytes += FrameCodec.encodedRowBytes(row);
      if (bytes > maxFrameRowsBytes) {
        break;
      }
      rows.add(row);
      next++;
    }
    return new StatePage(asOf, rows, next < locators.length ? Integer.toString(next) : "");
  }

  private static RecordKind kind(StateKind kind) {
    return switch (kind) {
      case ACCOUNTS -> RecordKind.ACCOUNT_CHANGE;
      case LEDGERS -> RecordKind.LEDGER_CHANGE;
      case CURRENCIES -> RecordKind.CURRENCY_CHANGE;
      case SOURCES -> RecordKind.SOURCE_CHANGE;
      case CLUSTER -> RecordKind.CLUSTER_CHANGE;
    };
  }

  private static int parseCursor(String cursor) {
    try {
      int from = cursor.isEmpty() ? 0 : Integer.parseInt(cursor);
      if (from >= 0) {
        return from;
      }
    } catch (NumberFormatException e) {
      throw badCursor(cursor);
    }
    throw badCursor(cursor);
  }

  private static QueryPortException badCursor(String cursor) {
    return QueryPortException.of(
        ErrorCode.ERR_BAD_REQUEST, "cursor \"" + cursor + "\" was not given out by this state");
  }

  private synchronized Snapshot snapshot(Position asOf) {
    return cache.computeIfAbsent(asOf.globalBatchSeq(), this::fold);
  }

  private Snapshot fold(long throughBatch) {
    Map<Entity, Long> newest = new LinkedHashMap<>();
    RowReader reader = new RowReader();
    for (long locator : history.metadataLocators()) {
      CanonicalRow row = history.row(locator);
      if (row.globalBatchSeq() > throughBatch) {
        break;
      }
      reader.wrap(row);
      boolean account = row.kind() == RecordKind.ACCOUNT_CHANGE;
      String id = account ? reader.hex(RowSchema.ENTITY_ID) : reader.string(RowSchema.ENTITY_ID);
      newest.put(new Entity(row.kind(), id), locator);
    }
    Map<RecordKind, List<Long>> byKind = new LinkedHashMap<>();
    newest.forEach(
        (entity, locator) ->
            byKind.computeIfAbsent(entity.kind(), kind -> new ArrayList<>()).add(locator));
    Map<RecordKind, long[]> locators = new LinkedHashMap<>();
    byKind.forEach(
        (kind, list) -> locators.put(kind, list.stream().mapToLong(Long::longValue).toArray()));
    return new Snapshot(locators);
  }

  /** The same entity as a row of its own position, with {@code change} and {@code origin} set. */
  private CanonicalRow seeded(CanonicalRow row, Position asOf, int ordinal) {
    RowReader reader = new RowReader().wrap(row);
    byte[] change = string("seeded");
    byte[] origin = string("bootstrap");
    int changeAt = reader.valueOffset(RowSchema.CHANGE) - 1 - Integer.BYTES;
    int ownAt = reader.valueOffset(RowSchema.ORIGIN) + reader.valueLength(RowSchema.ORIGIN);
    int entityBytes = changeAt - row.offset() - COMMON_FIELDS_BYTES;
    int ownBytes = row.offset() + row.length() - ownAt;
    ByteBuffer out =
        ByteBuffer.allocate(
            COMMON_FIELDS_BYTES + entityBytes + change.length + origin.length + ownBytes);
    long recordedAt = history.recordedAtMicros(asOf.globalBatchSeq());
    out.put(CanonicalRow.FORMAT).put(row.kind().code());
    out.put(PRESENT).putLong(asOf.globalBatchSeq());
    out.put(PRESENT).putLong(CommittedLedger.batchSeq(asOf.globalBatchSeq()));
    out.put(PRESENT).putInt(Position.FIRST_SEEDED_INDEX + ordinal);
    out.put(PRESENT).putLong(recordedAt);
    out.put(PRESENT).putLong(recordedAt);
    out.put(row.array(), row.offset() + COMMON_FIELDS_BYTES, entityBytes);
    out.put(change).put(origin).put(row.array(), ownAt, ownBytes);
    return CanonicalRow.of(out.array());
  }

  private static byte[] string(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + Integer.BYTES + utf8.length)
        .put(PRESENT)
        .putInt(utf8.length)
        .put(utf8)
        .array();
  }
}
