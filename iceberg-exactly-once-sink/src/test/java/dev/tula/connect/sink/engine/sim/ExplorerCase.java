package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What the {@link Explorer} visits in full: two writers, two tables and the watermark table, and
 * what is allowed to go wrong at once, which is bounded so that each case takes seconds.
 */
public enum ExplorerCase {
  /** Two ranges, and a crash of each writer. */
  TWO_RANGES_ONE_CRASH_EACH(2, new Explorer.Limits(1, 1, 0, 0, ExplorerCase.MAX_STATES)),
  /** One range, a crash of one writer, and a commit that lands late or never. */
  ONE_RANGE_ONE_CRASH_ONE_LATE_LANDING(1, new Explorer.Limits(1, 0, 0, 1, ExplorerCase.MAX_STATES)),
  /** Two ranges, lost replies and commits that are never sent. */
  TWO_RANGES_TWO_LOST_REPLIES(2, new Explorer.Limits(0, 0, 2, 0, ExplorerCase.MAX_STATES)),
  /** Two writers open a generation that does not exist yet, with a crash of each. */
  NEW_GENERATION_ONE_CRASH_EACH(1, new Explorer.Limits(1, 1, 0, 0, ExplorerCase.MAX_STATES));

  private static final int MAX_STATES = 3_000_000;

  private static final PipelineIdentity IDENTITY =
      new PipelineIdentity(
          "cluster", "pipeline", 1, 1, Layout.BY_MODE, false, false, 28, PipelineIdentity.FORMAT);

  private final int batches;
  private final Explorer.Limits limits;

  ExplorerCase(int batches, Explorer.Limits limits) {
    this.batches = batches;
    this.limits = limits;
  }

  /** Its name in commands. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The case of such a name. */
  public static ExplorerCase ofWord(String word) {
    for (ExplorerCase candidate : values()) {
      if (candidate.word().equals(word)) {
        return candidate;
      }
    }
    throw new IllegalArgumentException("there is no case " + word);
  }

  /**
   * Visits every state.
   *
   * @return how many there were
   * @throws AssertionError with the steps that led there, if something is broken in one
   */
  public String explore() {
    Explorer explorer = explorer();
    if (this == NEW_GENERATION_ONE_CRASH_EACH) {
      explorer.exploreFromNothing();
    } else {
      explorer.exploreFromTheFirstWatermark();
    }
    if (explorer.ends() == 0) {
      throw new AssertionError("stuck: no run of " + word() + " ever ends");
    }
    return String.format(
        Locale.ROOT,
        "%s: %,d states, %,d transitions, %,d ends, of %s",
        word(),
        explorer.states(),
        explorer.transitions(),
        explorer.ends(),
        explorer.parts());
  }

  /**
   * What is broken in a state, if anything is in any.
   *
   * @throws IllegalStateException if that can't be told: not every state was visited, or something
   *     failed that is no check
   */
  public Optional<Found> found() {
    try {
      explore();
      return Optional.empty();
    } catch (AssertionError e) {
      return Optional.of(Found.of(e));
    }
  }

  private Explorer explorer() {
    List<CanonicalRow> rows = new ArrayList<>();
    Map<Position, String> tables = new TreeMap<>();
    for (int batch = 1; batch <= batches; batch++) {
      add(rows, tables, SimRows.transaction(batch, 0, "default"), "transactions_default");
      add(
          rows,
          tables,
          SimRows.transaction(batch, 1, "position_settlement"),
          "transactions_position_settlement");
    }
    return new Explorer(IDENTITY, rows, tables, limits);
  }

  private static void add(
      List<CanonicalRow> rows, Map<Position, String> tables, CanonicalRow row, String table) {
    rows.add(row);
    tables.put(row.position(), table);
  }
}
