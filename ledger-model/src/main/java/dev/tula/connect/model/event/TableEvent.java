package dev.tula.connect.model.event;

import dev.tula.connect.model.Position;
import java.math.BigInteger;
import java.util.Optional;

/**
 * Says that a table's rows of one range were committed; durable before the watermark passes them
 * (C19). Kept for ever, these events are the commit log that a table is held against.
 *
 * @param identity whose
 * @param table the table's logical name
 * @param uuid the table's UUID
 * @param from exclusive: the table's last {@code to}
 * @param to inclusive
 * @param digest the range digest, hex
 * @param chain the chain after this range, hex
 * @param rows the rows in the range
 * @param amountSum the sum of their amounts; absent for change logs
 * @param totalRows the table's rows after it
 * @param snapshotId the snapshot that holds them
 * @param epoch the writer's epoch
 * @param claim the writer's claim number, n
 */
public record TableEvent(
    EventIdentity identity,
    String table,
    String uuid,
    Position from,
    Position to,
    String digest,
    String chain,
    long rows,
    Optional<BigInteger> amountSum,
    long totalRows,
    long snapshotId,
    long epoch,
    long claim)
    implements LakeEvent {
  static final String TYPE = "table";

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public String key() {
    return EventWriter.key(this).put("table", table).put("to", to).json();
  }

  @Override
  public String value() {
    return EventWriter.value(this)
        .put("table", table)
        .put("uuid", uuid)
        .put("from", from)
        .put("to", to)
        .put("digest", digest)
        .put("chain", chain)
        .put("rows", rows)
        .putAmount("amount_sum", amountSum)
        .put("total_rows", totalRows)
        .put("snapshot_id", snapshotId)
        .put("epoch", epoch)
        .put("n", claim)
        .json();
  }

  static TableEvent read(EventReader reader) {
    return new TableEvent(
        EventIdentity.read(reader),
        reader.text("table"),
        reader.text("uuid"),
        reader.position("from"),
        reader.position("to"),
        reader.text("digest"),
        reader.text("chain"),
        reader.number("rows"),
        reader.optionalAmount("amount_sum"),
        reader.number("total_rows"),
        reader.number("snapshot_id"),
        reader.number("epoch"),
        reader.number("n"));
  }
}
