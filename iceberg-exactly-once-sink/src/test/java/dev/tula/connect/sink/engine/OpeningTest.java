package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.sim.SimFile;
import dev.tula.connect.sink.engine.sim.SimLake;
import dev.tula.connect.sink.engine.sim.SimTable;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening a partition: identity, creation, claims (C2 to C5). */
class OpeningTest {
  private final Bench bench = new Bench();

  @Test
  @DisplayName("C2: a fresh generation records its identity before it creates anything")
  void a_fresh_generation_records_its_identity_before_it_creates_anything() {
    CommitEngine engine = bench.engine("a");
    bench.runTo(engine, Phase.Surveying.class);

    assertThat(bench.lake.contents().identity()).contains(Bench.IDENTITY.toProperties());
    assertThat(bench.lake.contents().tables()).isEmpty();
  }

  @Test
  @DisplayName("C2: another recorded identity is 88, and nothing is written or recorded")
  void another_identity_is_refused_and_nothing_is_written() {
    bench.started("a");
    SimLake.Contents before = bench.lake.contents();
    int events = bench.log.events().size();
    for (PipelineIdentity other : otherIdentities()) {
      CommitEngine engine = bench.run(bench.engine("b", other, OptionalLong.empty()));

      assertThat(engine.stopped().orElseThrow().code()).isEqualTo(Stop.Code.IDENTITY);
      assertThat(engine.stopped().get().codedMessage()).startsWith("TULA-88 ");
      assertThat(bench.lake.contents()).isEqualTo(before);
      assertThat(bench.log.events()).hasSize(events);
    }
  }

  private static List<PipelineIdentity> otherIdentities() {
    return List.of(
        identity("other", "pipeline", 1, 1, Layout.BY_MODE, false, false, 28),
        identity("cluster", "other", 1, 1, Layout.BY_MODE, false, false, 28),
        identity("cluster", "pipeline", 2, 1, Layout.BY_MODE, false, false, 28),
        identity("cluster", "pipeline", 1, 2, Layout.BY_MODE, false, false, 28),
        identity("cluster", "pipeline", 1, 1, Layout.SHARED, false, false, 28),
        identity("cluster", "pipeline", 1, 1, Layout.BY_MODE, true, false, 28),
        identity("cluster", "pipeline", 1, 1, Layout.BY_MODE, true, true, 28),
        identity("cluster", "pipeline", 1, 1, Layout.BY_MODE, false, false, 38));
  }

  private static PipelineIdentity identity(
      String cluster,
      String pipeline,
      int generation,
      int count,
      Layout layout,
      boolean metadata,
      boolean full,
      int precision) {
    return new PipelineIdentity(
        cluster,
        pipeline,
        generation,
        count,
        layout,
        metadata,
        full,
        precision,
        PipelineIdentity.FORMAT);
  }

  @Test
  @DisplayName("C2: setting the configuration back cures an 88")
  void setting_the_configuration_back_cures_another_identity() {
    bench.started("a");
    bench.run(bench.engine("b", otherIdentities().get(0), OptionalLong.empty()));

    assertThat(bench.open("c").isIdle()).isTrue();
  }

  @Test
  @DisplayName("C2, I6: a missing tula_pipeline beside a watermark table is 86, once")
  void a_missing_identity_table_halts_once() {
    bench.started("a");
    bench.lake.set(new SimLake.Contents(Optional.empty(), bench.lake.contents().tables()));

    assertThat(bench.open("b").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.log.read().halts()).containsOnlyKeys("b");

    assertThat(bench.open("c").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED_BEFORE);
    assertThat(bench.log.read().halts()).containsOnlyKeys("b");
    assertThat(bench.lake.contents().identity()).isEmpty();
  }

  @Test
  @DisplayName("C2: one look that finds the watermark table and no identity is not enough to halt")
  void an_identity_that_was_created_between_two_looks_is_no_halt() {
    CommitEngine late = bench.engine("late");
    bench.started("a");
    late.complete(
        new Effect.LookUpIdentity(),
        new Outcome.IdentityLookedUp(
            new Lake.IdentityLookup(Optional.empty(), Optional.of(Bench.WATERMARK))));

    assertThat(bench.run(late).isIdle()).isTrue();
  }

  @Test
  @DisplayName("C3: the watermark table is created last")
  void the_watermark_table_is_created_last() {
    CommitEngine engine = bench.engine("a");
    bench.runTo(engine, Phase.CreatingTables.class);
    assertThat(engine.effects())
        .containsExactlyInAnyOrder(
            new Effect.CreateTable(Bench.DEFAULT), new Effect.CreateTable(Bench.TIERED));

    bench.runWhile(engine, effect -> !effect.equals(new Effect.CreateTable(Bench.WATERMARK)));

    assertThat(bench.lake.contents().tables()).containsOnlyKeys(Bench.DEFAULT, Bench.TIERED);
    assertThat(bench.run(engine).isIdle()).isTrue();
  }

  @Test
  @DisplayName("C3: tables that a crash left half created are completed")
  void half_created_tables_are_completed() {
    bench.lake.createIdentity(Bench.IDENTITY);
    bench.lake.create(Bench.TIERED);

    assertThat(bench.open("a").isIdle()).isTrue();
    assertThat(bench.lake.contents().tables())
        .containsOnlyKeys(Bench.DEFAULT, Bench.TIERED, Bench.WATERMARK);
  }

  @Test
  @DisplayName("C3, I6: a dropped table is a halt and is not created anew")
  void a_dropped_table_is_not_created_anew() {
    bench.started("a");
    bench.lake.drop(Bench.TIERED);

    Stop stop = bench.open("b").stopped().orElseThrow();

    assertThat(stop.code()).isEqualTo(Stop.Code.HALTED);
    assertThat(stop.message()).contains(Bench.TIERED).contains("missing");
    assertThat(bench.lake.table(Bench.TIERED)).isEmpty();
  }

  @Test
  @DisplayName(
      "C3, I6: a dropped watermark table is a halt, though only claims remember the generation")
  void a_dropped_watermark_table_is_not_created_anew() {
    bench.open("a");
    bench.lake.drop(Bench.WATERMARK);

    assertThat(bench.open("b").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.lake.table(Bench.WATERMARK)).isEmpty();
  }

  @Test
  @DisplayName("C3, I6: with every table gone, the checkpoint event alone is a halt")
  void a_checkpoint_event_alone_keeps_a_generation_from_beginning_anew() {
    bench.log.publish(List.of(checkpoint(7, Bench.end(3))));

    assertThat(bench.open("a").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.lake.contents().tables()).isEmpty();
  }

  private static CheckpointEvent checkpoint(long epoch, Position to) {
    return new CheckpointEvent(
        EventIdentity.of(Bench.STREAM),
        epoch,
        1,
        "older",
        Position.ORIGIN,
        to,
        0,
        Bench.TOPIC,
        0,
        1,
        Instant.EPOCH);
  }

  @Test
  @DisplayName("I6: a table that has rows and no state is refused")
  void a_table_with_rows_and_no_state_is_refused() {
    bench.lake.createIdentity(Bench.IDENTITY);
    bench.lake.create(Bench.DEFAULT);
    SimTable empty = bench.table(Bench.DEFAULT);
    bench.lake.set(
        Bench.DEFAULT,
        empty.afterForeign(List.of(new SimFile("theirs", List.of(Bench.row(1, 0))))));

    Stop stop = bench.open("a").stopped().orElseThrow();

    assertThat(stop.code()).isEqualTo(Stop.Code.HALTED);
    assertThat(stop.message()).contains("1 rows and no state of ours");
  }

  @Test
  @DisplayName("C4: the watermark table is claimed first, and each claim is an empty snapshot")
  void the_watermark_table_is_claimed_before_all_others() {
    CommitEngine engine = bench.engine("a");
    bench.runTo(engine, Phase.ClaimingWatermark.class);
    assertThat(engine.effects()).hasSize(1);
    TableCommit claim = Bench.commitOf(engine, Bench.WATERMARK).commit();
    assertThat(claim.change()).isEqualTo(new TableCommit.Change.NoRows());
    assertThat(claim.next().commit()).isEqualTo(CommitKind.CLAIM);

    bench.runTo(engine, Phase.ClaimingTables.class);

    assertThat(bench.state(Bench.WATERMARK).claim()).isEqualTo(new WriterClaim(1, 1, "a"));
    assertThat(bench.table(Bench.DEFAULT).property()).isEmpty();
    assertThat(engine.effects()).hasSize(2);
  }

  @Test
  @DisplayName("C4: the first claim records every table's UUID")
  void the_first_claim_records_uuids() {
    bench.open("a");

    assertThat(bench.state(Bench.WATERMARK).watermark().orElseThrow().tables().get(Bench.TIERED))
        .isEqualTo(TableAtWatermark.unwritten(bench.table(Bench.TIERED).uuid()));
  }

  @Test
  @DisplayName("C4: a claim copies everything else of the state")
  void a_claim_copies_everything_else() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0));
    TableState data = bench.state(Bench.DEFAULT);
    TableState watermark = bench.state(Bench.WATERMARK);

    bench.open("b");

    WriterClaim claim = new WriterClaim(2, 2, "b");
    assertThat(bench.state(Bench.DEFAULT)).isEqualTo(data.claimedBy(claim));
    assertThat(bench.state(Bench.WATERMARK)).isEqualTo(watermark.claimedBy(claim));
  }

  @Test
  @DisplayName("C4: two starters at once both get a claim, and the loser derives its own anew")
  void the_loser_of_a_claim_derives_it_anew() {
    bench.open("first");
    CommitEngine a = bench.runTo(bench.engine("a"), Phase.ClaimingWatermark.class);
    CommitEngine b = bench.runTo(bench.engine("b"), Phase.ClaimingWatermark.class);

    bench.run(a);
    bench.run(b);

    assertThat(bench.state(Bench.WATERMARK).claim()).isEqualTo(new WriterClaim(3, 3, "b"));
    assertThat(b.isIdle()).isTrue();
  }

  @Test
  @DisplayName("C4: a fixed epoch is kept, and the number rises")
  void a_fixed_epoch_is_kept_over_restarts() {
    bench.run(bench.engine("a", Bench.IDENTITY, OptionalLong.of(9)));
    CommitEngine b = bench.run(bench.engine("b", Bench.IDENTITY, OptionalLong.of(9)));

    assertThat(b.isIdle()).isTrue();
    assertThat(bench.state(Bench.DEFAULT).claim()).isEqualTo(new WriterClaim(9, 2, "b"));
  }

  @Test
  @DisplayName("C4: a configured epoch below the highest is refused, and nothing is claimed")
  void a_configured_epoch_below_the_highest_is_refused() {
    bench.run(bench.engine("a", Bench.IDENTITY, OptionalLong.of(9)));
    SimLake.Contents before = bench.lake.contents();

    CommitEngine b = bench.run(bench.engine("b", Bench.IDENTITY, OptionalLong.of(8)));

    assertThat(b.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FAILED);
    assertThat(b.stopped().get().message()).contains("tula.writer.epoch=8").contains("9");
    assertThat(bench.lake.contents()).isEqualTo(before);
  }

  @Test
  @DisplayName("C4: the epoch rises above the newest checkpoint's too")
  void the_epoch_rises_above_the_newest_checkpoint() {
    CommitEngine a = bench.started("a");
    bench.log.publish(List.of(checkpoint(41, Position.ORIGIN)));

    assertThat(a.writer().orElseThrow().claim().epoch()).isEqualTo(1);
    assertThat(bench.open("b").writer().orElseThrow().claim().epoch()).isEqualTo(42);
  }

  @Test
  @DisplayName(
      "C4: a number that is in a table is not allotted again by a watermark table set back")
  void a_claim_number_is_never_allotted_twice() {
    bench.run(bench.engine("a", Bench.IDENTITY, OptionalLong.of(1)));
    SimTable old = bench.table(Bench.WATERMARK);
    bench.run(bench.engine("b", Bench.IDENTITY, OptionalLong.of(1)));
    bench.lake.set(Bench.WATERMARK, old);

    CommitEngine c = bench.run(bench.engine("c", Bench.IDENTITY, OptionalLong.of(1)));

    assertThat(c.isIdle()).isTrue();
    assertThat(bench.state(Bench.DEFAULT).claim()).isEqualTo(new WriterClaim(1, 3, "c"));
  }

  @Test
  @DisplayName("C4, I5: an equal claim of another writer is 86")
  void an_equal_claim_of_another_writer_halts() {
    bench.open("a");
    CommitEngine b = bench.runTo(bench.engine("b"), Phase.ClaimingTables.class);
    SimTable whole = bench.table(Bench.DEFAULT);
    TableState stolen = whole.property().orElseThrow().claimedBy(new WriterClaim(2, 2, "c"));
    bench.lake.commit(
        new TableCommit(
            Bench.DEFAULT,
            whole.uuid(),
            whole.property(),
            stolen,
            new TableCommit.Change.NoRows(),
            Map.of()));

    assertThat(bench.run(b).stopped().orElseThrow().message()).contains("has allotted again");
    assertThat(bench.state(Bench.DEFAULT)).isEqualTo(stolen);
  }

  @Test
  @DisplayName("C3: a watermark table that loses its state while it is claimed is surveyed again")
  void a_watermark_table_that_loses_its_state_while_it_is_claimed_gets_no_first_state() {
    bench.started("a");
    CommitEngine b = bench.runTo(bench.engine("b"), Phase.ClaimingWatermark.class);
    bench.lake.set(Bench.WATERMARK, SimTable.created("another"));

    assertThat(bench.run(b).stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.table(Bench.WATERMARK).property()).isEmpty();
  }

  @Test
  @DisplayName("C16: claims whose replies are lost are found to be ours")
  void claims_with_lost_replies_are_found() {
    CommitEngine a = bench.runTo(bench.engine("a"), Phase.ClaimingWatermark.class);
    Effect.Commit watermark = Bench.commitOf(a, Bench.WATERMARK);
    bench.lake.commit(watermark.commit());
    Bench.loseReply(a, watermark);
    bench.runTo(a, Phase.ClaimingTables.class);
    Effect.Commit table = Bench.commitOf(a, Bench.TIERED);
    bench.lake.commit(table.commit());
    Bench.loseReply(a, table);

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.table(Bench.WATERMARK).main()).hasSize(1);
    assertThat(bench.table(Bench.TIERED).main()).hasSize(1);
  }

  @Test
  @DisplayName("C16: a claim that was never sent is made again")
  void claims_that_were_never_sent_are_made_again() {
    CommitEngine a = bench.runTo(bench.engine("a"), Phase.ClaimingWatermark.class);
    Bench.loseReply(a, Bench.commitOf(a, Bench.WATERMARK));
    bench.runTo(a, Phase.ClaimingTables.class);
    Bench.loseReply(a, Bench.commitOf(a, Bench.TIERED));

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.state(Bench.TIERED).claim().writerId()).isEqualTo("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {Bench.WATERMARK, Bench.TIERED})
  @DisplayName("C16: lost replies are no conflicts, however many there are: the claim is made")
  void lost_replies_are_not_taken_for_another_writer_that_claims(String table) {
    CommitEngine a = bench.runTo(bench.engine("a"), Phase.ClaimingWatermark.class);
    for (int i = 0; i < 10 * Bench.MAX_ATTEMPTS; i++) {
      bench.runWhile(a, effect -> !Bench.isCommitTo(table, effect));
      Bench.loseReply(a, Bench.commitOf(a, table));
    }

    assertThat(bench.run(a).isIdle()).isTrue();
    assertThat(bench.state(table).claim().writerId()).isEqualTo("a");
  }

  @ParameterizedTest
  @ValueSource(strings = {Bench.WATERMARK, Bench.TIERED})
  @DisplayName("A claim that is refused each time fails in the end, with the table's name")
  void a_claim_that_is_always_refused_has_a_limit(String table) {
    CommitEngine a = bench.runTo(bench.engine("a"), Phase.ClaimingWatermark.class);
    for (int i = 0; i < 10 * Bench.MAX_ATTEMPTS && a.stopped().isEmpty(); i++) {
      bench.runWhile(a, effect -> !Bench.isCommitTo(table, effect));
      if (a.stopped().isEmpty()) {
        Bench.refuse(a, Bench.commitOf(a, table), bench.lake.load(table));
      }
    }

    assertThat(a.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FAILED);
    assertThat(a.stopped().get().message()).contains("could not claim table " + table + " in ");
  }

  @Test
  @DisplayName("C5, C15: a writer whose claim was overtaken before it read back is fenced")
  void a_writer_that_was_overtaken_while_opening_is_fenced() {
    bench.open("first");
    CommitEngine a = bench.runTo(bench.engine("a"), Phase.ReadingBack.class);
    CommitEngine b = bench.open("b");

    assertThat(bench.run(a).stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(bench.commit(startedOn(b), Bench.end(1), Bench.row(1, 0)).isIdle()).isTrue();
  }

  private CommitEngine startedOn(CommitEngine engine) {
    engine.start(new StreamItem.Start(Position.ORIGIN, 0, Bench.STREAM), Bench.kafka(1));
    return bench.run(engine);
  }

  @Test
  @DisplayName("C5: two writers that each hold half of the tables never both go on")
  void two_writers_that_claim_crosswise_do_not_both_go_on() {
    bench.open("first");
    CommitEngine a = bench.runTo(bench.engine("a"), Phase.ClaimingTables.class);
    Effect.Commit aTiered = Bench.commitOf(a, Bench.TIERED);
    a.complete(aTiered, bench.perform(a, aTiered));
    CommitEngine b = bench.runTo(bench.engine("b"), Phase.ClaimingTables.class);
    Effect.Commit bDefault = Bench.commitOf(b, Bench.DEFAULT);
    b.complete(bDefault, bench.perform(b, bDefault));

    bench.run(a);
    bench.run(b);

    assertThat(a.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(b.isIdle()).isTrue();
    assertThat(bench.log.read().halts()).isEmpty();
  }

  @Test
  @DisplayName("C5: what landed before the last claim is seen")
  void a_range_that_slipped_in_before_a_claim_is_seen() {
    CommitEngine a = bench.started("a");
    bench.runTo(
        bench.begin(a, Bench.end(1), Bench.row(1, 0), Bench.tieredRow(1, 1)),
        Phase.CommittingTables.class);
    CommitEngine b = bench.runTo(bench.engine("b"), Phase.ClaimingTables.class);
    bench.lake.commit(Bench.commitOf(a, Bench.DEFAULT).commit());

    bench.run(b);

    assertThat(b.writer().orElseThrow().forcedCut()).contains(Bench.end(1));
  }

  @Test
  @DisplayName("An outcome that does not answer the effect is a caller's mistake")
  void an_outcome_of_another_kind_is_refused() {
    CommitEngine engine = bench.engine("a");

    assertThatThrownBy(() -> engine.complete(new Effect.LookUpIdentity(), new Outcome.Done()))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> engine.complete(new Effect.ReadEvents(), new Outcome.Done()))
        .isInstanceOf(IllegalStateException.class);
  }
}
