package dev.tula.connect.local;

import dev.tula.connect.local.AckCheck.WatermarkSnapshot;
import dev.tula.connect.model.Position;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a pipeline's watermark tables have shown: each watermark with the time of its snapshot, also
 * of those that were expired since. A cleanup takes snapshots away, so whoever runs one takes in
 * first what it may take. What was never taken in is missing here, and an ack that needs it shows
 * as a violation, never the other way round.
 *
 * <p>Safe for any thread.
 */
public final class WatermarkHistory {
  private final LocalLake lake;
  private final LakeShape shape;
  private final Map<Long, WatermarkSnapshot> byId = new LinkedHashMap<>();

  /**
   * @param lake where the tables are
   * @param shape which there are
   */
  public WatermarkHistory(LocalLake lake, LakeShape shape) {
    this.lake = lake;
    this.shape = shape;
  }

  /**
   * Takes in what the tables list now.
   *
   * @throws StackException if one is not there or can't be read
   */
  public void read() {
    for (int partition = 0; partition < shape.partitionCount(); partition++) {
      String name = shape.physicalName("watermark", partition);
      LakeTable table =
          lake.table(name)
              .orElseThrow(() -> new StackException("table " + name + " is not in the catalog"));
      for (LakeTable.SnapshotInfo snapshot : table.snapshots()) {
        take(partition, snapshot);
      }
    }
  }

  private synchronized void take(int partition, LakeTable.SnapshotInfo snapshot) {
    String to = snapshot.summary().get("tula.range.to");
    if (to != null && "watermark".equals(snapshot.summary().get("tula.commit"))) {
      byId.put(
          snapshot.id(),
          new WatermarkSnapshot(
              partition, Position.parse(to), Instant.ofEpochMilli(snapshot.atMs())));
    }
  }

  /** All that was taken in. */
  public synchronized List<WatermarkSnapshot> snapshots() {
    return List.copyOf(byId.values());
  }
}
