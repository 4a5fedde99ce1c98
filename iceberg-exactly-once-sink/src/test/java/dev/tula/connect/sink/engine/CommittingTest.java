package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.sim.SimFile;
import dev.tula.connect.sink.engine.sim.SimLake;
import dev.tula.connect.sink.engine.sim.SimTable;
import java.math.BigInteger;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Committing ranges: compare-and-set, refusals, lost replies, order (C14 to C21). */
class CommittingTest {
  private final Bench bench = new Bench();

  /** A writer with a range staged, about to commit it to both tables. */
  private CommitEngine aboutToCommit(String writer) {
    CommitEngine engine = bench.started(writer);
    bench.begin(engine, Bench.end(1), Bench.row(1, 0), Bench.tieredRow(1, 1));
    return bench.runTo(engine, Phase.CommittingTables.class);
  }

  private void foreignClaim(String table, WriterClaim claim) {
    SimTable whole = bench.table(table);
    commitBeside(table, whole.property().orElseThrow().claimedBy(claim));
  }

  private void commitBeside(String table, TableState next) {
    SimTable whole = bench.table(table);
    bench.lake.commit(
        new TableCommit(
            table,
            whole.uuid(),
            whole.property(),
            next,
            new TableCommit.Change.NoRows(),
            Map.of()));
  }

  @Test
  @DisplayName("encodings, First W: START commits W₀ before any range")
  void start_commits_the_first_watermark() {
    CommitEngine a = bench.open("a");
    a.start(new StreamItem.Start(Bench.end(7), 70, Bench.STREAM), Bench.kafka(1));
    bench.run(a);

    TableState state = bench.state(Bench.WATERMARK);
    assertThat(state.range())
        .contains(RangeState.ofWatermark(new Range(Bench.end(7), Bench.end(7))));
    assertThat(state.totalRows()).isEqualTo(1);
    assertThat(state.closedThroughMicros()).hasValue(70);
    WatermarkState w = state.watermark().orElseThrow();
    assertThat(w.startFrom()).contains(Bench.end(7));
    assertThat(w.startFloorTimeMicros()).hasValue(70);
    assertThat(w.rowsDecoded()).isZero();
    assertThat(w.tables().get(Bench.DEFAULT).to()).contains(Bench.end(7));
    assertThat(w.tables().get(Bench.DEFAULT).chain()).isEqualTo(Chain.ZERO);
    assertThat(a.writer().orElseThrow().rangeStart(Bench.DEFAULT)).isEqualTo(Bench.end(7));
  }

  @Test
  @DisplayName("C14: a commit expects the whole state, and carries the whole next one")
  void a_commit_expects_the_whole_state() {
    CommitEngine a = aboutToCommit("a");

    TableCommit commit = Bench.commitOf(a, Bench.DEFAULT).commit();

    assertThat(commit.expected()).contains(bench.state(Bench.DEFAULT));
    assertThat(commit.uuid()).isEqualTo(bench.table(Bench.DEFAULT).uuid());
    RangeState range = commit.next().range().orElseThrow();
    assertThat(range.range()).isEqualTo(new Range(Position.ORIGIN, Bench.end(1)));
    assertThat(range.rows()).isEqualTo(1);
    assertThat(range.amountSum()).contains(BigInteger.TEN);
    assertThat(commit.next().totalRows()).isEqualTo(1);
    assertThat(commit.next().totalAmountSum()).contains(BigInteger.TEN);
    assertThat(commit.next().chain()).isEqualTo(Chain.ZERO.next(range.digest().orElseThrow()));
  }

  @Test
  @DisplayName("C14: a state that our own maintenance changed is derived from anew")
  void a_commit_is_derived_anew_after_our_own_maintenance() {
    CommitEngine a = aboutToCommit("a");
    commitBeside(Bench.DEFAULT, bench.state(Bench.DEFAULT).after(CommitKind.COMPACT));
    commitBeside(Bench.WATERMARK, bench.state(Bench.WATERMARK).after(CommitKind.PIN));

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
    assertThat(bench.watermark()).contains(Bench.end(1));
  }

  @Test
  @DisplayName("C14: a table that keeps changing fails the writer in the end, and loses nothing")
  void a_table_that_keeps_changing_fails_the_writer() {
    CommitEngine a = aboutToCommit("a");
    for (int i = 0; i < 100 && a.stopped().isEmpty(); i++) {
      commitBeside(
          Bench.DEFAULT,
          bench.state(Bench.DEFAULT).after(i % 2 == 0 ? CommitKind.PIN : CommitKind.COMPACT));
      Effect.Commit commit = Bench.commitOf(a, Bench.DEFAULT);
      a.complete(commit, bench.perform(a, commit));
    }

    assertThat(a.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FAILED);
    assertThat(bench.commit(bench.open("b"), Bench.end(1), Bench.row(1, 0)).isIdle()).isTrue();
  }

  @Test
  @DisplayName("C15, I5: a zombie cannot commit after a newer claim, and is fenced, not halted")
  void zombie_writer_cannot_commit_after_a_newer_claim() {
    CommitEngine zombie = aboutToCommit("zombie");
    bench.open("newer");
    SimLake.Contents before = bench.lake.contents();
    int events = bench.log.events().size();

    bench.run(zombie);

    assertThat(zombie.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(zombie.stopped().get().codedMessage()).startsWith("TULA-FENCED ");
    assertThat(bench.lake.contents()).isEqualTo(before);
    assertThat(bench.log.events()).hasSize(events);
  }

  @Test
  @DisplayName("C15: a newer claim is looked at before all else, and ends the writer on the spot")
  void a_newer_claim_ends_the_writer_before_anything_else_is_looked_at() {
    CommitEngine zombie = aboutToCommit("zombie");
    Effect.Commit commit = Bench.commitOf(zombie, Bench.DEFAULT);
    foreignClaim(Bench.DEFAULT, new WriterClaim(2, 2, "newer"));
    SimTable claimed = bench.table(Bench.DEFAULT);
    // And everything else is wrong as well: another UUID, and rows that nobody knows of.
    SimTable broken =
        new SimTable(
                "another", claimed.property(), claimed.main(), claimed.nextId(), Map.of(), Set.of())
            .afterForeign(List.of(new SimFile("x", List.of(Bench.row(9, 9)))));
    bench.lake.set(Bench.DEFAULT, broken);

    zombie.complete(commit, bench.perform(zombie, commit));

    assertThat(zombie.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(zombie.effects()).isEmpty();
  }

  @Test
  @DisplayName("C15, I5: a zombie's watermark is refused by the newer claim")
  void zombie_writer_cannot_move_the_watermark() {
    CommitEngine zombie = aboutToCommit("zombie");
    bench.runTo(zombie, Phase.CommittingWatermark.class);
    CommitEngine newer = bench.open("newer");

    assertThat(bench.run(zombie).stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(bench.watermark()).contains(Position.ORIGIN);
    assertThat(newer.writer().orElseThrow().forcedCut()).contains(Bench.end(1));
  }

  @Test
  @DisplayName("C15: our claim replaced by an older one is 86")
  void a_table_that_lost_our_claim_halts() {
    bench.open("a");
    SimTable old = bench.table(Bench.DEFAULT);
    bench.log.events().clear();
    CommitEngine b = bench.open("b");
    b.start(new StreamItem.Start(Position.ORIGIN, 0, Bench.STREAM), Bench.kafka(1));
    bench.run(b);
    bench.lake.set(Bench.DEFAULT, old);

    bench.commit(b, Bench.end(1), Bench.row(1, 0));

    assertThat(b.stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(b.stopped().get().message()).contains("older claim 1/1 of a");
  }

  @Test
  @DisplayName("C15: a table that disappears while a writer is live is 86")
  void a_table_that_disappears_halts() {
    CommitEngine a = aboutToCommit("a");
    bench.lake.drop(Bench.DEFAULT);

    assertThat(bench.run(a).stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.watermark()).contains(Position.ORIGIN);
  }

  @Test
  @DisplayName("C15: UUID and witnesses of a refused table are looked at: 86")
  void a_table_that_was_replaced_or_changed_under_a_live_writer_halts() {
    CommitEngine a = aboutToCommit("a");
    bench.lake.set(Bench.DEFAULT, bench.table(Bench.DEFAULT).withMain(List.of()));
    SimTable tiered = bench.table(Bench.TIERED);
    bench.lake.set(
        Bench.TIERED, tiered.afterForeign(List.of(new SimFile("x", List.of(Bench.row(9, 9))))));

    assertThat(bench.run(a).stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.log.read().halts()).containsOnlyKeys("a");
  }

  /** A writer is run twice, and its other self has committed a range to the table before. */
  private Stop stopAfterOtherSelf(Position end, CanonicalRow row) {
    CommitEngine a = bench.started("a");
    EngineSettings settings =
        new EngineSettings(Bench.IDENTITY, 0, "a", OptionalLong.empty(), Bench.MAX_ATTEMPTS);
    CommitEngine other = new CommitEngine(settings, InstantSource.system(), a.snapshot());
    bench.runTo(bench.begin(other, end, row), Phase.CommittingTables.class);
    bench.lake.commit(Bench.commitOf(other, Bench.DEFAULT).commit());

    return bench.commit(a, Bench.end(1), Bench.row(1, 0)).stopped().orElseThrow();
  }

  @Test
  @DisplayName("C15, I6: a table of our claim that ends elsewhere is 86")
  void a_table_of_our_claim_that_ends_elsewhere_halts() {
    Stop stop = stopAfterOtherSelf(Bench.end(2), Bench.row(1, 0));

    assertThat(stop.code()).isEqualTo(Stop.Code.HALTED);
    assertThat(stop.message()).contains("ends at " + Bench.end(2));
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
  }

  @Test
  @DisplayName("C15, I6: our range with another digest is 86")
  void our_range_with_another_digest_halts() {
    Stop stop = stopAfterOtherSelf(Bench.end(1), Bench.transaction(1, 0, "default", 11));

    assertThat(stop.code()).isEqualTo(Stop.Code.HALTED);
    assertThat(stop.message()).contains("another digest than the one to be committed");
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
  }

  @Test
  @DisplayName("C16: a range whose reply is lost is found and not written again")
  void a_range_that_landed_without_a_reply_is_found() {
    CommitEngine a = aboutToCommit("a");
    Effect.Commit commit = Bench.commitOf(a, Bench.DEFAULT);
    bench.lake.commit(commit.commit());
    Bench.loseReply(a, commit);

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
    assertThat(bench.watermark()).contains(Bench.end(1));
  }

  @Test
  @DisplayName("C16: a range that was never sent is committed again")
  void a_range_that_never_landed_is_committed_again() {
    CommitEngine a = aboutToCommit("a");
    Bench.loseReply(a, Bench.commitOf(a, Bench.DEFAULT));

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
  }

  @Test
  @DisplayName("C16, I1: a commit that lands late and its second try put the rows there once")
  void a_commit_that_lands_late_and_its_second_try_land_once() {
    CommitEngine a = aboutToCommit("a");
    Effect.Commit first = Bench.commitOf(a, Bench.DEFAULT);
    Bench.loseReply(a, first);
    Effect load = Bench.wanted(a, Effect.LoadTable.class);
    a.complete(load, bench.perform(a, load));
    Effect.Commit second = Bench.commitOf(a, Bench.DEFAULT);
    bench.lake.commit(first.commit());

    a.complete(second, bench.perform(a, second));

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
  }

  @Test
  @DisplayName("C16: also a refusal that shows our own range is success")
  void a_refusal_that_shows_our_own_range_is_success() {
    CommitEngine a = aboutToCommit("a");
    Effect.Commit commit = Bench.commitOf(a, Bench.DEFAULT);
    bench.lake.commit(commit.commit());
    commitBeside(Bench.DEFAULT, bench.state(Bench.DEFAULT).after(CommitKind.COMPACT));

    a.complete(
        commit,
        new Outcome.Committed(new Lake.CommitReply.Refused(bench.lake.load(Bench.DEFAULT))));

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
  }

  @Test
  @DisplayName(
      "C16: a watermark whose reply is lost is found, and one never sent is committed again")
  void a_watermark_without_a_reply_is_found_or_committed_again() {
    CommitEngine a = bench.runTo(aboutToCommit("a"), Phase.CommittingWatermark.class);
    Effect.Commit commit = Bench.commitOf(a, Bench.WATERMARK);
    Bench.loseReply(a, commit);
    bench.runTo(a, Phase.CommittingWatermark.class);
    Effect load = Bench.wanted(a, Effect.LoadTable.class);
    a.complete(load, bench.perform(a, load));
    bench.lake.commit(commit.commit());
    Bench.loseReply(a, Bench.commitOf(a, Bench.WATERMARK));

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.watermark()).contains(Bench.end(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {Bench.DEFAULT, Bench.WATERMARK})
  @DisplayName("C16: lost replies are no conflicts, however many there are: the range is committed")
  void lost_replies_are_not_taken_for_conflicts(String table) {
    CommitEngine a = aboutToCommit("a");
    for (int i = 0; i < 10 * Bench.MAX_ATTEMPTS; i++) {
      bench.runWhile(a, effect -> !Bench.isCommitTo(table, effect));
      Bench.loseReply(a, Bench.commitOf(a, table));
    }

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.positions(Bench.DEFAULT)).containsExactly(new Position(1, 0));
    assertThat(bench.watermark()).contains(Bench.end(1));
  }

  private Stop stopAfterRefusals(CommitEngine a, String table) {
    for (int i = 0; i < 10 * Bench.MAX_ATTEMPTS && a.stopped().isEmpty(); i++) {
      bench.runWhile(a, effect -> !Bench.isCommitTo(table, effect));
      if (a.stopped().isEmpty()) {
        Bench.refuse(a, Bench.commitOf(a, table), bench.lake.load(table));
      }
    }
    return a.stopped().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {Bench.DEFAULT, Bench.WATERMARK})
  @DisplayName("A commit that is refused each time fails in the end, and names the table")
  void a_commit_that_is_always_refused_has_a_limit(String table) {
    Stop stop = stopAfterRefusals(aboutToCommit("a"), table);

    assertThat(stop.code()).isEqualTo(Stop.Code.FAILED);
    assertThat(stop.message())
        .contains("could not commit to table " + table + " in ", "each was refused");
  }

  @ParameterizedTest
  @ValueSource(strings = {Bench.DEFAULT, Bench.WATERMARK})
  @DisplayName("C15: also a last refusal is judged before it is counted: a newer claim fences")
  void a_last_refusal_by_a_newer_claim_is_fenced(String table) {
    CommitEngine a = aboutToCommit("a");
    int limit = table.equals(Bench.DEFAULT) ? 2 * Bench.MAX_ATTEMPTS : Bench.MAX_ATTEMPTS;
    for (int i = 0; i < limit; i++) {
      bench.runWhile(a, effect -> !Bench.isCommitTo(table, effect));
      Bench.refuse(a, Bench.commitOf(a, table), bench.lake.load(table));
    }
    assertThat(a.stopped()).isEmpty();
    foreignClaim(table, new WriterClaim(9, 9, "b"));

    assertThat(stopAfterRefusals(a, table).code()).isEqualTo(Stop.Code.FENCED);
  }

  @Test
  @DisplayName("C18: a table without rows gets no commit, and its next range begins at its own end")
  void a_table_without_rows_gets_no_commit() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0), Bench.tieredRow(1, 1));
    SimTable tiered = bench.table(Bench.TIERED);

    bench.commit(a, Bench.end(2), Bench.row(2, 0));
    assertThat(bench.table(Bench.TIERED)).isEqualTo(tiered);

    bench.commit(a, Bench.end(3), Bench.tieredRow(3, 0));
    assertThat(bench.state(Bench.TIERED).range().orElseThrow().range())
        .isEqualTo(new Range(Bench.end(1), Bench.end(3)));
  }

  @Test
  @DisplayName("C18, C12: a range without any rows moves W alone")
  void a_range_without_rows_moves_the_watermark_alone() {
    CommitEngine a = bench.started("a");
    SimTable before = bench.table(Bench.DEFAULT);

    bench.commit(a, Bench.end(5));

    assertThat(bench.watermark()).contains(Bench.end(5));
    assertThat(bench.table(Bench.DEFAULT)).isEqualTo(before);
    assertThat(bench.log.events()).noneMatch(TableEvent.class::isInstance);
  }

  @Test
  @DisplayName("C19: tables, then table events, then W, then the checkpoint")
  void a_range_is_committed_in_order() {
    CommitEngine a = aboutToCommit("a");
    assertThat(a.effects()).hasSize(2).allMatch(Effect.Commit.class::isInstance);

    bench.runTo(a, Phase.PublishingTables.class);
    assertThat(bench.positions(Bench.TIERED)).hasSize(1);
    assertThat(a.effects()).hasSize(1);
    Effect.Publish events = Bench.wanted(a, Effect.Publish.class);
    assertThat(events.events()).hasSize(2).allMatch(TableEvent.class::isInstance);
    assertThat(bench.watermark()).contains(Position.ORIGIN);

    a.complete(events, bench.perform(a, events));
    assertThat(a.effects()).hasSize(1);
    assertThat(Bench.commitOf(a, Bench.WATERMARK).commit().change())
        .isInstanceOf(TableCommit.Change.ReplaceRow.class);

    bench.runTo(a, Phase.PublishingCheckpoint.class);
    assertThat(bench.watermark()).contains(Bench.end(1));
    assertThat(checkpoint().to()).isEqualTo(Position.ORIGIN);
    assertThat(a.isIdle()).isFalse();

    bench.run(a);
    assertThat(checkpoint().to()).isEqualTo(Bench.end(1));
    assertThat(a.isIdle()).isTrue();
  }

  private CheckpointEvent checkpoint() {
    Optional<CheckpointEvent> newest = Optional.empty();
    for (LakeEvent event : bench.log.events()) {
      if (event instanceof CheckpointEvent checkpoint) {
        newest = Optional.of(checkpoint);
      }
    }
    return newest.orElseThrow();
  }

  @Test
  @DisplayName("C19: digests and files are made before the first commit")
  void nothing_is_committed_before_everything_is_staged() {
    CommitEngine a = bench.started("a");
    bench.begin(a, Bench.end(1), Bench.row(1, 0), Bench.tieredRow(1, 1));

    Effect.Stage first = Bench.wanted(a, Effect.Stage.class);
    a.complete(first, bench.perform(a, first));

    assertThat(a.effects()).hasSize(1).allMatch(Effect.Stage.class::isInstance);
  }

  @Test
  @DisplayName("C28: a staged file is named after claim, table and end")
  void a_staged_file_names_its_claim_its_table_and_its_end() {
    CommitEngine a = bench.started("a");
    bench.begin(a, Bench.end(1), Bench.row(1, 0));

    assertThat(Bench.wanted(a, Effect.Stage.class).fileName())
        .isEqualTo("1-1-a-transactions_default-1.2147483647.parquet");
  }

  @Test
  @DisplayName("C6, C20: W records every table; the checkpoint carries the claim")
  void the_watermark_records_every_table() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0), Bench.row(1, 1));

    WatermarkState w = bench.state(Bench.WATERMARK).watermark().orElseThrow();
    TableAtWatermark table = w.tables().get(Bench.DEFAULT);
    assertThat(table.uuid()).isEqualTo(bench.table(Bench.DEFAULT).uuid());
    assertThat(table.to()).contains(Bench.end(1));
    assertThat(table.chain()).isEqualTo(bench.state(Bench.DEFAULT).chain());
    assertThat(table.snapshotId()).isEqualTo(OptionalLong.of(2));
    assertThat(table.totalRows()).isEqualTo(2);
    assertThat(w.rowsDecoded()).isEqualTo(2);
    assertThat(w.kafka()).contains(Bench.kafka(3));
    assertThat(checkpoint().epoch()).isEqualTo(1);
    assertThat(checkpoint().claim()).isEqualTo(1);
    assertThat(checkpoint().kafkaOffset()).isEqualTo(3);
    assertThat(checkpoint().closedThroughMicros()).isEqualTo(1100);
  }

  @Test
  @DisplayName("C21: a range that does not account for every row is 86, and W stays")
  void a_range_that_does_not_account_for_every_row_halts() {
    CommitEngine a = bench.started("a");
    SealedTable sealed = new SealedTable(Bench.DEFAULT, 1, Optional.of(BigInteger.ONE));
    a.commit(new SealedRange(Bench.end(1), 1100, 2, Bench.kafka(2), Map.of(Bench.DEFAULT, sealed)));
    Effect.Stage stage = Bench.wanted(a, Effect.Stage.class);
    TableRows rows = new TableRows();
    rows.add(Bench.row(1, 0), 0, 1);
    a.complete(
        stage,
        new Outcome.Staged(
            "00".repeat(32), Optional.of(bench.lake.stage(Bench.DEFAULT, stage.fileName(), rows))));

    assertThat(bench.run(a).stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.watermark()).contains(Position.ORIGIN);
  }

  @Test
  @DisplayName("A range that ends inside a batch or goes back is a caller's mistake")
  void a_range_that_ends_inside_a_batch_or_goes_back_is_refused() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(3), Bench.row(1, 0));

    assertThatThrownBy(() -> bench.begin(a, new Position(4, 0), Bench.row(4, 0)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> bench.begin(a, Bench.end(2)))
        .isInstanceOf(IllegalStateException.class);
    SealedRange back = new SealedRange(Bench.end(4), 10, 1, Bench.kafka(9), Map.of());
    assertThatThrownBy(() -> a.commit(back)).isInstanceOf(IllegalStateException.class);
    assertThat(a.isIdle()).isTrue();
  }

  @Test
  @DisplayName("One commit is in flight at a time")
  void one_range_is_committed_at_a_time() {
    CommitEngine a = bench.started("a");
    bench.begin(a, Bench.end(1), Bench.row(1, 0));

    assertThatThrownBy(() -> bench.begin(a, Bench.end(2), Bench.row(2, 0)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("An engine goes on from its snapshot alone")
  void an_engine_goes_on_from_its_snapshot() {
    CommitEngine a = aboutToCommit("a");
    CommitEngine copy =
        new CommitEngine(
            new EngineSettings(Bench.IDENTITY, 0, "a", OptionalLong.empty(), Bench.MAX_ATTEMPTS),
            InstantSource.system(),
            a.snapshot());

    assertThat(copy.effects()).isEqualTo(a.effects());
    assertThat(bench.run(copy).isIdle()).isTrue();
  }
}
