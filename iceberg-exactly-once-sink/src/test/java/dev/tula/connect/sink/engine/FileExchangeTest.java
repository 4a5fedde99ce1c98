package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.sink.engine.FileExchange.Step;
import dev.tula.connect.sink.engine.sim.SimFile;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Files a and b are to be replaced by c, which was staged under the claim 1/1. */
class FileExchangeTest {
  private static final WriterClaim CLAIM = new WriterClaim(1, 1, "w");
  private static final TableState STATE =
      TableState.first(Bench.IDENTITY.stream(0), CLAIM, false, Optional.empty());

  private final FileExchange exchange =
      new FileExchange("t", CLAIM, List.of(file("a"), file("b")), List.of(file("c")));

  private static SimFile file(String location) {
    return new SimFile(location, List.of());
  }

  private static TableView view(TableState state, long rows) {
    return new TableView(
        "uuid",
        Optional.of(state),
        Optional.of(state),
        OptionalLong.of(7),
        rows,
        Optional.empty(),
        Map.of(),
        Set.of());
  }

  private Step next(TableState state, String... live) {
    return exchange.next(view(state, 0), Set.of(live));
  }

  @Test
  void an_exchange_is_ready_while_all_is_as_it_was() {
    assertThat(next(STATE, "a", "b", "other")).isEqualTo(new Step.Ready());
  }

  @Test
  @DisplayName("C28: what was staged under an older claim may be taken for dead")
  void an_exchange_is_given_up_once_a_writer_has_claimed_the_table() {
    WriterClaim newer = new WriterClaim(1, 2, "v");

    assertThat(next(STATE.claimedBy(newer), "a", "b")).isEqualTo(new Step.Overtaken(newer));
  }

  @Test
  void an_exchange_is_given_up_once_somebody_else_has_rewritten_a_file() {
    assertThat(next(STATE, "a", "theirs")).isEqualTo(new Step.Rewritten("b"));
  }

  @Test
  @DisplayName(
      "C16: files that go with nothing in their place are gone by it only if the rows say so")
  void what_takes_files_away_has_landed_only_where_the_rows_are_those_of_the_state() {
    List<CanonicalRow> one = List.of(Bench.row(1, 0));
    FileExchange removal = new FileExchange("t", CLAIM, List.of(new SimFile("a", one)), List.of());

    assertThat(removal.next(view(STATE, 0), Set.of())).isEqualTo(new Step.Landed());
    assertThat(removal.next(view(STATE, 1), Set.of("theirs"))).isEqualTo(new Step.Rewritten("a"));
  }

  @Test
  @DisplayName("C7: an exchange leaves a table with the rows that its state says, or is given up")
  void an_exchange_is_given_up_where_the_rows_are_others_than_were_found() {
    List<CanonicalRow> two = List.of(Bench.row(1, 0), Bench.row(1, 1));
    FileExchange repair =
        new FileExchange(
            "t",
            CLAIM,
            List.of(new SimFile("a", two)),
            List.of(new SimFile("b", two.subList(0, 1))));

    assertThat(repair.next(view(STATE, 1), Set.of("a"))).isEqualTo(new Step.Ready());
    assertThat(repair.next(view(STATE, 2), Set.of("a", "theirs")))
        .isEqualTo(new Step.OtherRows(1, 0));
    assertThat(repair.next(view(STATE, 0), Set.of("a"))).isEqualTo(new Step.OtherRows(-1, 0));
  }

  @Test
  @DisplayName("C16: whatever the reply was, and whoever has claimed the table since")
  void an_exchange_that_the_table_has_already_has_landed() {
    WriterClaim newer = new WriterClaim(1, 2, "v");

    assertThat(next(STATE, "c", "other")).isEqualTo(new Step.Landed());
    assertThat(next(STATE.claimedBy(newer), "c")).isEqualTo(new Step.Landed());
  }

  @Test
  @DisplayName("C14: files are exchanged only where they were found")
  void commits_fit_only_the_snapshot_that_they_were_planned_on() {
    TableView view = view(STATE, 0);
    TableCommit rewrite = exchange.rewrite(view, 7);
    TableCommit repair = exchange.repair(view, 7);

    for (TableCommit commit : List.of(rewrite, repair)) {
      assertThat(commit.fits(view)).isTrue();
      assertThat(commit.fitsOn(OptionalLong.of(7))).isTrue();
      assertThat(commit.fitsOn(OptionalLong.of(8))).isFalse();
      assertThat(commit.fitsOn(OptionalLong.empty())).isFalse();
    }
    assertThat(rewrite.next()).isEqualTo(STATE.after(CommitKind.COMPACT));
    assertThat(repair.next()).isEqualTo(STATE.after(CommitKind.REPAIR));
  }
}
