package dev.tula.connect.sink.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Every state of two writers, two tables and the watermark table: C4, C5, C6, C9, C14 to C16, C19.
 * What is allowed to go wrong at once is bounded, so that each runs in seconds; {@link Explorer}
 * says what is left out.
 */
class ExplorerTest {
  private static final PipelineIdentity IDENTITY =
      new PipelineIdentity(
          "cluster", "pipeline", 1, 1, Layout.BY_MODE, false, false, 28, PipelineIdentity.FORMAT);

  private static final int MAX_STATES = 3_000_000;

  private static Explorer explorer(int batches, Explorer.Limits limits) {
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

  private static void report(String what, Explorer explorer) {
    System.out.printf(
        "%s: %d states, %d transitions, %d ends, of %s%n",
        what, explorer.states(), explorer.transitions(), explorer.ends(), explorer.parts());
    assertThat(explorer.ends()).isPositive();
  }

  @Test
  @DisplayName("two ranges, two writers, one crash each")
  void two_ranges_with_a_crash_of_each_writer() {
    Explorer explorer = explorer(2, new Explorer.Limits(1, 1, 0, 0, MAX_STATES));
    explorer.exploreFromTheFirstWatermark();
    report("two ranges, one crash each", explorer);
  }

  @Test
  @DisplayName("one range, two writers, a crash of one, and a commit that lands late or never")
  void one_range_with_a_crash_and_a_late_landing() {
    Explorer explorer = explorer(1, new Explorer.Limits(1, 0, 0, 1, MAX_STATES));
    explorer.exploreFromTheFirstWatermark();
    report("one range, one crash, one late landing", explorer);
  }

  @Test
  @DisplayName("two ranges, two writers, lost replies and commits that are never sent")
  void two_ranges_with_lost_replies() {
    Explorer explorer = explorer(2, new Explorer.Limits(0, 0, 2, 0, MAX_STATES));
    explorer.exploreFromTheFirstWatermark();
    report("two ranges, two lost replies", explorer);
  }

  @Test
  @DisplayName("two writers open a generation that does not exist yet, with a crash of each")
  void two_writers_open_a_new_generation() {
    Explorer explorer = explorer(1, new Explorer.Limits(1, 1, 0, 0, MAX_STATES));
    explorer.exploreFromNothing();
    report("a new generation, one crash each", explorer);
  }
}
