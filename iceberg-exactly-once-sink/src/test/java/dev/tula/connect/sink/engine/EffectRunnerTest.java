package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EffectRunnerTest {
  private final Bench bench = new Bench();
  private final EffectRunner runner = new EffectRunner(Bench.IDENTITY, 0, bench.lake, bench.log);

  private Effect.Stage stage(CanonicalRow row) {
    return Bench.wanted(bench.begin(bench.started("a"), Bench.end(1), row), Effect.Stage.class);
  }

  private static Map<String, TableRows> rows(CanonicalRow row) {
    TableRows rows = new TableRows();
    rows.add(row, 0, 10);
    return Map.of(Bench.DEFAULT, rows);
  }

  @Test
  @DisplayName("C9: for the digest alone no file is written, and the digest is that of the file")
  void a_range_that_is_there_already_is_only_digested() {
    CanonicalRow row = Bench.row(1, 0);
    Effect.Stage stage = stage(row);
    Effect.Stage digestOnly =
        new Effect.Stage(stage.table(), stage.range(), stage.fileName(), true);

    Outcome.Staged written = (Outcome.Staged) runner.run(stage, rows(row));
    Outcome.Staged digested = (Outcome.Staged) runner.run(digestOnly, rows(row));

    assertThat(written.file()).isPresent();
    assertThat(digested.file()).isEmpty();
    assertThat(digested.digest()).isEqualTo(written.digest());
  }

  @Test
  @DisplayName("C22: without a catalog that commits together, no commit goes with another")
  void commits_go_alone_where_the_lake_does_not_commit_together() {
    CommitEngine engine = bench.begin(bench.started("a"), Bench.end(1), Bench.row(1, 0));
    bench.runTo(engine, Phase.CommittingTables.class);
    Effect.Commit commit = Bench.commitOf(engine, Bench.DEFAULT);

    assertThat(runner.goesTogether(commit)).isFalse();
    assertThat(runner.run(commit, Map.of())).isInstanceOf(Outcome.Committed.class);
    assertThat(bench.positions(Bench.DEFAULT)).hasSize(1);
  }
}
