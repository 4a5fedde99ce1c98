package dev.tula.connect.model.event;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.model.Position;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A repair changed rows of ranges that had been committed before. Readers take a range's newest
 * digest.
 *
 * @param identity whose
 * @param table the table's logical name
 * @param id the repair's id
 * @param ranges the ranges whose rows changed, with their new digests
 * @param totalRows the table's rows after it
 * @param snapshotId the snapshot that holds them
 * @param epoch the writer's epoch
 * @param claim the writer's claim number, n
 * @param at when
 */
public record RepairEvent(
    EventIdentity identity,
    String table,
    String id,
    List<RepairedRange> ranges,
    long totalRows,
    long snapshotId,
    long epoch,
    long claim,
    Instant at)
    implements LakeEvent {
  static final String TYPE = "repair";

  /**
   * A range as it is after the repair.
   *
   * @param from exclusive
   * @param to inclusive
   * @param digest the new range digest, hex
   * @param rows its rows now
   * @param amountSum the sum of their amounts; absent for change logs
   */
  public record RepairedRange(
      Position from, Position to, String digest, long rows, Optional<BigInteger> amountSum) {}

  /** Copies the list. */
  public RepairEvent {
    ranges = List.copyOf(ranges);
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public String key() {
    return EventWriter.key(this).put("table", table).put("id", id).json();
  }

  @Override
  public String value() {
    EventWriter writer = EventWriter.value(this).put("table", table).put("id", id);
    ArrayNode array = writer.document().putArray("ranges");
    for (RepairedRange range : ranges) {
      ObjectNode node = array.addObject();
      node.put("from", range.from().toString()).put("to", range.to().toString());
      node.put("digest", range.digest()).put("rows", range.rows());
      range.amountSum().ifPresent(sum -> node.put("amount_sum", sum.toString()));
    }
    return writer
        .put("total_rows", totalRows)
        .put("snapshot_id", snapshotId)
        .put("epoch", epoch)
        .put("n", claim)
        .putAt(at)
        .json();
  }

  static RepairEvent read(EventReader reader) {
    return new RepairEvent(
        EventIdentity.read(reader),
        reader.text("table"),
        reader.text("id"),
        reader.objects("ranges").stream().map(RepairEvent::readRange).toList(),
        reader.number("total_rows"),
        reader.number("snapshot_id"),
        reader.number("epoch"),
        reader.number("n"),
        reader.instant("at"));
  }

  private static RepairedRange readRange(EventReader reader) {
    return new RepairedRange(
        reader.position("from"),
        reader.position("to"),
        reader.text("digest"),
        reader.number("rows"),
        reader.optionalAmount("amount_sum"));
  }
}
