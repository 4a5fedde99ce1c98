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

  /** Where a table stands against what it was at W. The protocol leaves the first two behind. */
  public enum Standing {
    /** It is what it was. */
    AT_WATERMARK,
    /** It has exactly the next range as well. */
    ONE_RANGE_AHEAD,
    /** Neither: it was set back, replaced, or written to by something else. */
    ELSEWHERE
  }

  /**
   * Where the table stands now (C6).
   *
   * @param now its state
   * @param watermark W
   */
  public Standing standing(TableState now, Position watermark) {
    Position end = endOf(now);
    if (end.equals(to.orElseThrow()) && now.chain().equals(chain) && now.totalRows() == totalRows) {
      return Standing.AT_WATERMARK;
    }
    boolean oneRangeAhead =
        end.isAfter(watermark)
            && now.range().orElseThrow().range().from().equals(to.orElseThrow())
            && now.totalRows() == totalRows + now.range().get().rows()
            && now.chain().equals(nextChain(now));
    return oneRangeAhead ? Standing.ONE_RANGE_AHEAD : Standing.ELSEWHERE;
  }

  /**
   * The end of its last range now. A table without rows so far has no range of its own: it stands
   * where the stream began, as W's record of it does.
   */
  Position endOf(TableState now) {
    return now.to().orElseGet(to::orElseThrow);
  }

  private Chain nextChain(TableState now) {
    return now.range().flatMap(RangeState::digest).map(chain::next).orElse(chain);
  }

  static TableAtWatermark unwritten(String uuid) {
    return new TableAtWatermark(uuid, Optional.empty(), Chain.ZERO, OptionalLong.empty(), 0);
  }
}
