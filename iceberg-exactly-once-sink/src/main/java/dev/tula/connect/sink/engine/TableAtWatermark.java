package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a table was when the watermark was committed (C6).
 *
 * @param uuid the table's UUID, known from the first claim on
 * @param to the end of its last range; absent before the first watermark
 * @param chain its chain
 * @param snapshotId the snapshot of its last range, if it had one
 * @param totalRows its rows
 */
public record TableAtWatermark(
    String uuid, Optional<Position> to, Chain chain, OptionalLong snapshotId, long totalRows) {
  /** Checks that the parts are there. */
  public TableAtWatermark {
    Objects.requireNonNull(uuid, "uuid");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(chain, "chain");
    Objects.requireNonNull(snapshotId, "snapshotId");
  }

  static TableAtWatermark unwritten(String uuid) {
    return new TableAtWatermark(uuid, Optional.empty(), Chain.ZERO, OptionalLong.empty(), 0);
  }
}
