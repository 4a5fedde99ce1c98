package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The truth: a ledger's batches, and what one export partition's tables must hold in the end. Which
 * table a row belongs to is worked out here from what the row was made of, without the code under
 * test.
 */
final class SimLedger {
  private static final long BATCH_MICROS = 1_000_000;
  private static final List<String> KINDS =
      List.of("single_phase", "reserve", "resolution", "rejected");
  private static final List<RecordKind> CHANGES =
      List.of(
          RecordKind.ACCOUNT_CHANGE,
          RecordKind.LEDGER_CHANGE,
          RecordKind.CURRENCY_CHANGE,
          RecordKind.SOURCE_CHANGE,
          RecordKind.CLUSTER_CHANGE);

  private final PipelineIdentity identity;
  private final Position start;
  private final long lastBatch;
  private final NavigableMap<Position, CanonicalRow> rows = new TreeMap<>();
  private final NavigableMap<Position, String> tables = new TreeMap<>();
  private final RowWriter writer = new RowWriter();

  /** A ledger of which the stream begins after {@code start}. */
  private SimLedger(PipelineIdentity identity, Position start, long lastBatch) {
    this.identity = identity;
    this.start = start;
    this.lastBatch = lastBatch;
  }

  static SimLedger random(
      Schedule schedule, PipelineIdentity identity, int partition, int batches) {
    long first = schedule.chance(0.5) ? 0 : schedule.between(1, 40);
    boolean seeded = (first + 1) % identity.partitionCount() == partition && schedule.chance(0.2);
    Position start = seeded ? Position.beforeSeeded(first + 1) : Position.batchEnd(first);
    SimLedger ledger = new SimLedger(identity, start, first + batches);
    for (long batch = first + 1; batch <= first + batches; batch++) {
      if (batch % identity.partitionCount() == partition) {
        ledger.addBatch(schedule, batch);
      }
    }
    return ledger;
  }

  private void addBatch(Schedule schedule, long batch) {
    int size = schedule.chance(0.1) ? 0 : schedule.between(1, 5);
    boolean seeded = batch == start.globalBatchSeq();
    for (int i = 0; i < size; i++) {
      int index = seeded ? Position.FIRST_SEEDED_INDEX + i : i;
      if (identity.includeMetadata() && schedule.chance(0.3)) {
        addChange(schedule, new Position(batch, index));
      } else {
        addTransaction(schedule, new Position(batch, index));
      }
    }
  }

  private void addTransaction(Schedule schedule, Position position) {
    boolean tiered = schedule.chance(0.3);
    String kind = schedule.pick(KINDS);
    begin(RecordKind.TRANSACTION, position);
    writer.putId(position.globalBatchSeq(), position.arrayIndex()).putId(7, schedule.number());
    writer.putInt(1).putInt(schedule.below(3)).putString(schedule.pick(List.of("EUR", "USD", "€")));
    writer.putId(0, schedule.below(9)).putId(0, schedule.below(9));
    writer.putAmount(schedule.below(3) - 1, schedule.number());
    writer.putString(kind).putString(tiered ? "position_settlement" : "default");
    writer.putString("posted").absentToEnd();
    add(position, transactionTable(kind, tiered));
  }

  private String transactionTable(String kind, boolean tiered) {
    return switch (identity.layout()) {
      case BY_TYPE -> "transactions_" + (tiered ? "tiered_" : "") + kind;
      case BY_MODE -> "transactions_" + (tiered ? "position_settlement" : "default");
      case SHARED -> "transactions";
    };
  }

  private void addChange(Schedule schedule, Position position) {
    RecordKind kind = schedule.pick(CHANGES);
    begin(kind, position);
    if (kind == RecordKind.ACCOUNT_CHANGE) {
      writer.putId(0, schedule.below(9));
    } else {
      writer.putString("entity " + schedule.below(9));
    }
    writer.putString("updated").putString("stream").absentToEnd();
    add(position, kind.name().toLowerCase(Locale.ROOT) + "s");
  }

  private void begin(RecordKind kind, Position position) {
    writer.begin(kind).putLong(position.globalBatchSeq()).putLong(position.globalBatchSeq());
    writer.putInt(position.arrayIndex());
    writer.putTimestamp(recordedAtMicros(position.globalBatchSeq()) - 5);
    writer.putTimestamp(recordedAtMicros(position.globalBatchSeq()));
  }

  private void add(Position position, String table) {
    rows.put(position, writer.toRow());
    tables.put(position, table);
  }

  private static long recordedAtMicros(long batch) {
    return batch * BATCH_MICROS;
  }

  /** Where the stream begins, exclusive. */
  Position start() {
    return start;
  }

  long lastBatch() {
    return lastBatch;
  }

  /** Where the stream ends, in the end. */
  Position end() {
    return Position.batchEnd(lastBatch);
  }

  /** All rows in position order. */
  NavigableMap<Position, CanonicalRow> rows() {
    return rows;
  }

  /** The table that the row at a position belongs to. */
  String tableOf(Position position) {
    return tables.get(position);
  }

  /** The rows in {@code (from, to]}, in position order. */
  NavigableMap<Position, CanonicalRow> rows(Position from, Position to) {
    return rows.subMap(from, false, to, true);
  }

  /** Whether a position is the last row of its batch. */
  boolean endsBatch(Position position) {
    Position next = rows.higherKey(position);
    return next == null || next.globalBatchSeq() > position.globalBatchSeq();
  }

  /** The latest time through which the ledger can be called closed by who covered {@code to}. */
  long latestClosedThroughMicros(Position to) {
    return (to.isBatchEnd()
            ? recordedAtMicros(to.globalBatchSeq() + 1)
            : recordedAtMicros(to.globalBatchSeq()))
        - 1;
  }
}
