package dev.tula.connect.sink;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A small ledger, and the stream that a source would make of it: START, a session's coverage, rows,
 * coverage to the end.
 */
final class TestLedger {
  static final String CLUSTER = "cluster-a";
  static final String PIPELINE = "ledger";
  static final long EPOCH_MICROS = 1_700_000_000_000_000L;

  private static final String[] KINDS = {"single_phase", "reserve", "resolution", "rejected"};
  private static final String[] OUTCOMES = {
    "posted", "reserved", "committed", "rejected_insufficient_funds"
  };

  private TestLedger() {}

  /**
   * The least that a sink of this ledger is told, but for its catalog; a map of the caller's own.
   */
  static Map<String, String> sinkConfig() {
    Map<String, String> config = new HashMap<>();
    config.put("name", "bench");
    config.put("topics", "ledger");
    config.put("tula.cluster.id", CLUSTER);
    config.put("tula.pipeline", PIPELINE);
    config.put("iceberg.namespace", "ledger");
    return config;
  }

  static StreamIdentity identity(int partition, int partitionCount) {
    return new StreamIdentity(CLUSTER, PIPELINE, 1, partition, partitionCount, false, false);
  }

  static StreamItem start(StreamIdentity identity) {
    return new StreamItem.Start(Position.ORIGIN, 0, identity);
  }

  static StreamItem coverage(StreamIdentity identity, Position from, Position to) {
    return new StreamItem.Coverage(from, to, EPOCH_MICROS + to.globalBatchSeq() * 1_000, identity);
  }

  static int kindOf(long globalBatchSeq, int index) {
    return (int) ((globalBatchSeq + index) % KINDS.length);
  }

  static CanonicalRow row(long globalBatchSeq, int index) {
    return row(globalBatchSeq, index, 1 + globalBatchSeq * 1_000 + index);
  }

  static CanonicalRow row(long globalBatchSeq, int index, long amount) {
    int kind = kindOf(globalBatchSeq, index);
    return new RowWriter()
        .begin(RecordKind.TRANSACTION)
        .putLong(globalBatchSeq)
        .putLong(globalBatchSeq)
        .putInt(index)
        .putTimestamp(EPOCH_MICROS + globalBatchSeq * 1_000 - 1)
        .putTimestamp(EPOCH_MICROS + globalBatchSeq * 1_000)
        .putId(globalBatchSeq, index)
        .putId(~globalBatchSeq, index)
        .putInt(1)
        .putInt(7)
        .putString("EUR")
        .putId(1, globalBatchSeq % 97)
        .putId(2, index % 89)
        .putAmount(amount)
        .putString(KINDS[kind])
        .putString(globalBatchSeq % 5 == 0 ? "position_settlement" : "default")
        .putString(OUTCOMES[kind])
        .absentToEnd()
        .toRow();
  }

  /** The rows and the closing coverage of batches, as one page has them. */
  static List<StreamItem> page(
      StreamIdentity identity, long firstBatch, long lastBatch, int rowsPerBatch) {
    List<StreamItem> items = new ArrayList<>();
    Position proven = Position.batchEnd(firstBatch - 1);
    for (long batch = firstBatch; batch <= lastBatch; batch++) {
      if (batch % identity.partitionCount() == identity.partition()) {
        for (int i = 0; i < rowsPerBatch; i++) {
          CanonicalRow row = row(batch, i);
          items.add(new StreamItem.Row(proven, row));
          proven = row.position();
        }
      }
    }
    items.add(coverage(identity, proven, Position.batchEnd(lastBatch)));
    return items;
  }
}
