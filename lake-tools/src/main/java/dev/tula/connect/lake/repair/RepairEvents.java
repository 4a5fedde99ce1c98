package dev.tula.connect.lake.repair;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.RepairEvent;
import dev.tula.connect.model.event.RepairEvent.RepairedRange;
import dev.tula.connect.sink.engine.WriterClaim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What the commit log is told of a repair: one event, or several where one would not fit a topic. A
 * broker takes a megabyte, by default, and a range is less than 400 bytes.
 */
final class RepairEvents {
  static final int RANGES_PER_EVENT = 1_000;

  private RepairEvents() {}

  /**
   * The events, whose ranges together are the repair's, in their order.
   *
   * @param id the repair's; later events have a number added to it
   * @param totalRows the table's after it
   * @param claim the writer that the table belongs to
   */
  static List<LakeEvent> of(
      EventIdentity identity,
      String table,
      String id,
      List<RepairedRange> ranges,
      long totalRows,
      WriterClaim claim,
      long snapshotId,
      Instant at) {
    List<LakeEvent> events = new ArrayList<>();
    for (int from = 0; from < ranges.size(); from += RANGES_PER_EVENT) {
      events.add(
          new RepairEvent(
              identity,
              table,
              from == 0 ? id : id + "-" + events.size(),
              ranges.subList(from, Math.min(ranges.size(), from + RANGES_PER_EVENT)),
              totalRows,
              snapshotId,
              claim.epoch(),
              claim.number(),
              at));
    }
    return events;
  }
}
