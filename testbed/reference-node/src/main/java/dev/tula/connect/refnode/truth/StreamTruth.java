package dev.tula.connect.refnode.truth;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an export partition's stream holds, held against the ledger. A stream begins with START,
 * each item continues from what was proven before it (C12), and its rows are the ledger's, in its
 * order. Items that came before may come again, with the same bytes.
 *
 * @param rows how many rows of the ledger it holds, each counted once
 * @param replayed how many rows came again
 * @param steps how often it stepped back to an earlier position
 * @param provenTo up to where it is complete
 * @param problem what is wrong with it first; empty if it agrees with the ledger as far as it goes
 */
public record StreamTruth(
    long rows, long replayed, long steps, Position provenTo, Optional<String> problem) {

  /**
   * Compares.
   *
   * @param items the stream, in its order
   * @param truth the ledger's records of that partition, in that record mode, and from where the
   *     stream begins; read to where the stream ends
   */
  public static StreamTruth of(List<StreamItem> items, TruthReader truth) {
    Comparison comparison = new Comparison(truth);
    for (int i = 0; i < items.size() && comparison.problem == null; i++) {
      comparison.take(i, items.get(i));
    }
    return comparison.result();
  }

  /** Whether every row came once, and nothing was sent again. */
  public boolean isExactlyOnce() {
    return problem.isEmpty() && replayed == 0 && steps == 0;
  }

  private static final class Comparison {
    private final TruthReader truth;
    private final Map<Position, CanonicalRow> seen = new HashMap<>();
    private Position proven;
    private long replayed;
    private long steps;
    private String problem;

    Comparison(TruthReader truth) {
      this.truth = truth;
    }

    void take(int index, StreamItem item) {
      if (proven == null) {
        if (!(item instanceof StreamItem.Start)) {
          problem = "it begins with " + item + ", not with START";
          return;
        }
        proven = item.provesTo();
      }
      if (item.provesAfter().isAfter(proven)) {
        problem = "item " + index + ", " + item + ", follows " + proven + ": a gap (C12)";
        return;
      }
      if (proven.isAfter(item.provesAfter())) {
        steps++;
      }
      if (item instanceof StreamItem.Row row) {
        takeRow(index, row.row());
      }
      proven = Position.max(proven, item.provesTo());
    }

    private void takeRow(int index, CanonicalRow row) {
      CanonicalRow expected = seen.get(row.position());
      if (expected != null) {
        replayed++;
      } else {
        expected = truth.next() ? CanonicalRow.of(truth.row().toByteArray()) : null;
        seen.put(row.position(), row);
      }
      if (!row.equals(expected)) {
        problem = "item " + index + " is " + row + ", and the ledger has " + expected;
      }
    }

    StreamTruth result() {
      Position end = proven == null ? Position.ORIGIN : proven;
      return new StreamTruth(seen.size(), replayed, steps, end, Optional.ofNullable(missing(end)));
    }

    private String missing(Position end) {
      if (problem == null && truth.next() && !truth.position().isAfter(end)) {
        return "the ledger's row at " + truth.position() + " is not in it, up to " + end;
      }
      return problem;
    }
  }
}
