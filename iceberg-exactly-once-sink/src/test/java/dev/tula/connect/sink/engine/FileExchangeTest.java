package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

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

  @Test
  void an_exchange_is_ready_while_all_is_as_it_was() {
    assertThat(exchange.next(STATE, Set.of("a", "b", "other"))).isEqualTo(new Step.Ready());
  }

  @Test
  @DisplayName("C28: what was staged under an older claim may be taken for dead")
  void an_exchange_is_given_up_once_a_writer_has_claimed_the_table() {
    WriterClaim newer = new WriterClaim(1, 2, "v");

    assertThat(exchange.next(STATE.claimedBy(newer), Set.of("a", "b")))
        .isEqualTo(new Step.Overtaken(newer));
  }

  @Test
  void an_exchange_is_given_up_once_somebody_else_has_rewritten_a_file() {
    assertThat(exchange.next(STATE, Set.of("a", "theirs"))).isEqualTo(new Step.Rewritten("b"));
  }

  @Test
  @DisplayName("C16: whatever the reply was, and whoever has claimed the table since")
  void an_exchange_that_the_table_has_already_has_landed() {
    WriterClaim newer = new WriterClaim(1, 2, "v");

    assertThat(exchange.next(STATE, Set.of("c", "other"))).isEqualTo(new Step.Landed());
    assertThat(exchange.next(STATE.claimedBy(newer), Set.of("c"))).isEqualTo(new Step.Landed());
  }

  @Test
  @DisplayName("C14: files are exchanged only where they were found")
  void commits_fit_only_the_snapshot_that_they_were_planned_on() {
    TableView view =
        new TableView(
            "uuid",
            Optional.of(STATE),
            Optional.of(STATE),
            OptionalLong.of(7),
            0,
            Optional.empty(),
            Map.of(),
            Set.of());
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
