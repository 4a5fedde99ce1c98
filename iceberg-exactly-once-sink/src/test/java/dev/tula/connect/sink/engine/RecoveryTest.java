package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.sim.SimFile;
import dev.tula.connect.sink.engine.sim.SimLake;
import dev.tula.connect.sink.engine.sim.SimTable;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Recovery from the lake: W, D and everything that is neither (C6 to C11, C21). */
class RecoveryTest {
  private final Bench bench = new Bench();

  /** A lake at W = 2 whose tables have both rows. */
  private CommitEngine twoRanges() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0), Bench.tieredRow(1, 1));
    return bench.commit(a, Bench.end(2), Bench.row(2, 0));
  }

  /** The writer commits its range to one table only, and is never heard of again. */
  private void halfCommit(CommitEngine a, String table) {
    bench.runTo(a, Phase.CommittingTables.class);
    bench.lake.commit(Bench.commitOf(a, table).commit());
  }

  private Stop haltOf(String writer) {
    Stop stop = bench.open(writer).stopped().orElseThrow();
    assertThat(stop.code()).isEqualTo(Stop.Code.HALTED);
    assertThat(stop.codedMessage()).startsWith("TULA-86 ");
    return stop;
  }

  @Test
  @DisplayName("C6: a lake that is exactly at W is resumed there")
  void a_lake_at_its_watermark_is_resumed_there() {
    twoRanges();

    Writer writer = bench.open("b").writer().orElseThrow();

    assertThat(writer.position()).contains(Bench.end(2));
    assertThat(writer.forcedCut()).isEmpty();
    assertThat(writer.rangeStart(Bench.DEFAULT)).isEqualTo(Bench.end(2));
    assertThat(writer.rangeStart(Bench.TIERED)).isEqualTo(Bench.end(1));
  }

  @Test
  @DisplayName("C6, C9: a table one range ahead of W forces the cut at its end")
  void a_table_ahead_forces_the_cut() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1)), Bench.TIERED);

    Writer writer = bench.open("b").writer().orElseThrow();

    assertThat(writer.position()).contains(Bench.end(2));
    assertThat(writer.forcedCut()).contains(Bench.end(3));
    assertThat(writer.rangeStart(Bench.TIERED)).isEqualTo(Bench.end(1));
    assertThat(writer.rangeStart(Bench.DEFAULT)).isEqualTo(Bench.end(2));
  }

  @Test
  @DisplayName(
      "C9: the first range is cut at D; who has it skips it, and its event is published again")
  void a_table_that_has_the_range_skips_it_and_the_others_append() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1)), Bench.TIERED);
    CommitEngine b = bench.open("b");

    bench.commit(b, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1));

    assertThat(b.isIdle()).isTrue();
    assertThat(bench.watermark()).contains(Bench.end(3));
    assertThat(bench.positions(Bench.TIERED))
        .containsExactly(new Position(1, 1), new Position(3, 1));
    assertThat(bench.positions(Bench.DEFAULT)).hasSize(3).endsWith(new Position(3, 0));
    assertThat(tableEvents(Bench.end(3))).containsExactlyInAnyOrder(Bench.DEFAULT, Bench.TIERED);
    assertThat(b.writer().orElseThrow().forcedCut()).isEmpty();
  }

  private List<String> tableEvents(Position to) {
    List<String> tables = new ArrayList<>();
    for (LakeEvent event : bench.log.events()) {
      if (event instanceof TableEvent table && table.to().equals(to)) {
        tables.add(table.table());
      }
    }
    return tables;
  }

  @Test
  @DisplayName(
      "C9, C27, I6: another digest of a range that is there is 86 before any row is written")
  void another_digest_of_a_range_that_is_there_halts_before_any_row_is_written() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1)), Bench.TIERED);
    CommitEngine b = bench.open("b");
    SimTable before = bench.table(Bench.DEFAULT);

    bench.commit(
        b, Bench.end(3), Bench.row(3, 0), Bench.transaction(3, 1, "position_settlement", 11));

    assertThat(b.stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(b.stopped().get().message()).contains("digest").contains(Bench.TIERED);
    assertThat(bench.table(Bench.DEFAULT)).isEqualTo(before);
  }

  @Test
  @DisplayName("C27: the halt names what may have changed, and setting it back cures it")
  void a_changed_transform_is_named_as_the_cause_and_setting_it_back_is_the_cure() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.tieredRow(3, 1)), Bench.TIERED);
    CanonicalRow transformed = Bench.transaction(3, 1, "position_settlement", 11);

    CommitEngine b = bench.commit(bench.open("b"), Bench.end(3), transformed);

    assertThat(b.stopped().orElseThrow().message())
        .contains("Set back what changed", "transform", "record mode");
    bench.log.publish(
        List.of(
            new ClearEvent(
                EventIdentity.of(Bench.STREAM), "b", Optional.empty(), "somebody", Instant.EPOCH)));
    assertThat(bench.commit(bench.open("c"), Bench.end(3), Bench.tieredRow(3, 1)).isIdle())
        .isTrue();
    assertThat(bench.watermark()).contains(Bench.end(3));
  }

  @Test
  @DisplayName("C9, I6: rows that are in a table ahead and no longer in the stream are 86")
  void a_table_ahead_without_rows_in_the_stream_halts() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1)), Bench.TIERED);
    CommitEngine b = bench.open("b");
    SimTable before = bench.table(Bench.DEFAULT);

    bench.commit(b, Bench.end(3), Bench.row(3, 0));

    assertThat(b.stopped().orElseThrow().message()).contains("no rows in the stream");
    assertThat(bench.table(Bench.DEFAULT)).isEqualTo(before);
  }

  @Test
  @DisplayName("C9: a cut elsewhere than D is a caller's mistake")
  void a_cut_elsewhere_than_the_forced_one_is_refused() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1)), Bench.TIERED);
    CommitEngine b = bench.open("b");

    assertThatThrownBy(() -> bench.begin(b, Bench.end(4), Bench.row(3, 0), Bench.tieredRow(3, 1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("C6: a table that was rolled back behind W is 86, and so is one restored whole")
  void a_table_set_back_behind_its_watermark_halts() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0));
    SimTable old = bench.table(Bench.DEFAULT);
    bench.commit(a, Bench.end(2), Bench.row(2, 0));
    bench.lake.set(Bench.DEFAULT, old);

    assertThat(haltOf("b").message()).contains(Bench.DEFAULT).contains("1:2147483647");
  }

  @Test
  @DisplayName("C6: a table with another chain than W recorded is 86")
  void a_table_with_another_chain_halts() {
    twoRanges();
    SimTable whole = bench.table(Bench.TIERED);
    TableState state = whole.property().orElseThrow();
    TableState other =
        new TableState(
            state.format(),
            state.identity(),
            state.claim(),
            state.commit(),
            state.range(),
            state.totalRows(),
            state.totalAmountSum(),
            state.chain().next("00"),
            state.closedThroughMicros(),
            state.watermark());
    bench.lake.set(Bench.TIERED, forged(whole, other));

    haltOf("b");
  }

  /** A table whose state somebody wrote by hand, in both places. */
  private static SimTable forged(SimTable whole, TableState state) {
    return new SimTable(
        whole.uuid(),
        Optional.of(state),
        List.of(new SimTable.Snapshot(99, Optional.of(state), whole.files())),
        100,
        whole.halts(),
        whole.clearedHalts());
  }

  @Test
  @DisplayName("C6: a table ahead whose range does not begin where it stood at W is 86")
  void a_table_ahead_from_elsewhere_halts() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.row(3, 0)), Bench.DEFAULT);
    SimTable whole = bench.table(Bench.DEFAULT);
    TableState state = whole.property().orElseThrow();
    RangeState range = state.range().orElseThrow();
    RangeState elsewhere =
        new RangeState(
            new Range(Bench.end(1), Bench.end(3)), range.digest(), range.rows(), range.amountSum());
    bench.lake.set(Bench.DEFAULT, forged(whole, withRange(state, elsewhere)));

    haltOf("b");
  }

  private static TableState withRange(TableState state, RangeState range) {
    return new TableState(
        state.format(),
        state.identity(),
        state.claim(),
        state.commit(),
        Optional.of(range),
        state.totalRows(),
        state.totalAmountSum(),
        state.chain(),
        state.closedThroughMicros(),
        state.watermark());
  }

  @Test
  @DisplayName("C6: the same name with another UUID is 86, though it be empty")
  void another_table_under_the_same_name_halts() {
    twoRanges();
    bench.lake.set(Bench.TIERED, SimTable.created("another"));

    assertThat(haltOf("b").message()).contains("UUID another");
  }

  @Test
  @DisplayName("C6, C7: CREATE OR REPLACE, which keeps UUID and properties, is 86")
  void a_replaced_table_with_the_same_uuid_and_properties_halts() {
    twoRanges();
    bench.lake.set(Bench.DEFAULT, bench.table(Bench.DEFAULT).withMain(List.of()));

    assertThat(haltOf("b").message()).contains("0 rows where its state says 2");
  }

  @Test
  @DisplayName("C7: a rollback takes the ancestor back and leaves the property: 86")
  void a_rollback_halts() {
    twoRanges();
    SimTable whole = bench.table(Bench.DEFAULT);
    bench.lake.set(Bench.DEFAULT, whole.withMain(whole.main().subList(0, whole.main().size() - 1)));

    assertThat(haltOf("b").message()).contains("rolled back");
  }

  @Test
  @DisplayName("C7: a foreign delete and a foreign insert are 86")
  void foreign_rows_and_foreign_deletes_halt() {
    twoRanges();
    SimTable whole = bench.table(Bench.TIERED);
    bench.lake.set(Bench.TIERED, whole.afterForeign(List.of()));
    assertThat(haltOf("b").message()).contains("0 rows where its state says 1");

    Bench other = new Bench();
    other.commit(other.started("a"), Bench.end(1), Bench.row(1, 0));
    SimTable default1 = other.table(Bench.DEFAULT);
    List<SimFile> more = new ArrayList<>(default1.files());
    more.add(new SimFile("theirs", List.of(Bench.row(1, 0))));
    other.lake.set(Bench.DEFAULT, default1.afterForeign(more));
    assertThat(other.open("b").stopped().orElseThrow().message())
        .contains("2 rows where its state says 1");
  }

  @Test
  @DisplayName("C7: compaction and the expiry of every snapshot of ours are no halt")
  void compaction_and_expiry_are_no_halt() {
    twoRanges();
    for (String name : List.of(Bench.DEFAULT, Bench.TIERED, Bench.WATERMARK)) {
      SimTable whole = bench.table(name);
      SimTable compacted =
          whole.afterForeign(List.of(new SimFile("compacted", whole.rows().toList())));
      bench.lake.set(
          name,
          compacted.withMain(
              compacted.main().subList(compacted.main().size() - 1, compacted.main().size())));
      assertThat(bench.table(name).view().newestOurs()).isEmpty();
    }

    CommitEngine b = bench.open("b");

    assertThat(bench.commit(b, Bench.end(3), Bench.row(3, 0)).isIdle()).isTrue();
    assertThat(bench.positions(Bench.DEFAULT)).hasSize(3);
  }

  @Test
  @DisplayName("C7: a table that lost its state property is 86")
  void a_table_without_its_property_halts() {
    twoRanges();
    bench.lake.set(Bench.TIERED, bench.table(Bench.TIERED).withoutProperty());

    haltOf("b");
  }

  @Test
  @DisplayName("I6: a data table's state in the watermark table is 86, and the other way round")
  void a_state_of_another_kind_of_table_halts() {
    twoRanges();
    bench.lake.set(Bench.DEFAULT, forged(bench.table(Bench.DEFAULT), bench.state(Bench.WATERMARK)));

    assertThat(bench.open("b").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
  }

  @Test
  @DisplayName("C8: a lake behind the newest checkpoint is 86; nothing is acked")
  void a_lake_that_was_set_back_halts_and_publishes_nothing() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0));
    SimLake.Contents backup = bench.lake.contents();
    bench.commit(a, Bench.end(2), Bench.row(2, 0));
    bench.lake.set(backup);
    long checkpoints = checkpoints();

    assertThat(haltOf("b").message()).contains("2:2147483647").contains("1:2147483647");
    assertThat(checkpoints()).isEqualTo(checkpoints);
  }

  private long checkpoints() {
    return bench.log.events().stream().filter(CheckpointEvent.class::isInstance).count();
  }

  @Test
  @DisplayName("C8: a lake whose watermark is gone altogether is 86 too")
  void a_lake_set_back_to_before_its_first_watermark_halts() {
    CommitEngine a = bench.open("a");
    SimLake.Contents backup = bench.lake.contents();
    a.start(new StreamItem.Start(Position.ORIGIN, 0, Bench.STREAM), Bench.kafka(1));
    bench.run(a);
    bench.lake.set(backup);

    assertThat(haltOf("b").message()).contains("not set");
  }

  @Test
  @DisplayName("C8: an accepted rewind goes on from the old W, and another set-back is found again")
  void an_accepted_rewind_goes_on_from_the_old_watermark() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0));
    SimLake.Contents backup = bench.lake.contents();
    bench.commit(a, Bench.end(2), Bench.row(2, 0));
    bench.lake.set(backup);
    haltOf("b");
    bench.log.publish(
        List.of(
            new ClearEvent(
                EventIdentity.of(Bench.STREAM),
                "b",
                Optional.of(Bench.end(1)),
                "somebody",
                Instant.EPOCH)));

    CommitEngine c = bench.open("c");
    assertThat(c.writer().orElseThrow().position()).contains(Bench.end(1));
    bench.commit(c, Bench.end(2), Bench.row(2, 0));
    bench.lake.set(backup);

    haltOf("d");
  }

  @Test
  @DisplayName("C8: a checkpoint of another cluster, generation or N is not ours (C20)")
  void a_foreign_checkpoint_is_passed_over() {
    twoRanges();
    bench.log.publish(
        List.of(
            new CheckpointEvent(
                new EventIdentity("pipeline", "another cluster", 1, 0, 1),
                9,
                9,
                "x",
                Position.ORIGIN,
                Bench.end(99),
                0,
                Bench.TOPIC,
                0,
                1,
                Instant.EPOCH)));

    CommitEngine b = bench.open("b");

    assertThat(b.isIdle()).isTrue();
    assertThat(b.writer().orElseThrow().claim().epoch()).isEqualTo(2);
  }

  @Test
  @DisplayName("C9: two values of D are 86")
  void tables_that_are_ahead_at_different_ends_halt() {
    CommitEngine a = twoRanges();
    halfCommit(bench.begin(a, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1)), Bench.TIERED);
    SimTable default2 = bench.table(Bench.DEFAULT);
    TableState state = default2.property().orElseThrow();
    String digest = "ab".repeat(32);
    RangeState range =
        new RangeState(
            new Range(Bench.end(2), Bench.end(4)),
            Optional.of(digest),
            1,
            Optional.of(BigInteger.TEN));
    List<SimFile> files = new ArrayList<>(default2.files());
    files.add(new SimFile("another", List.of(Bench.row(4, 0))));
    TableState ahead = state.afterRange(range, 4100);
    bench.lake.set(
        Bench.DEFAULT,
        new SimTable(
            default2.uuid(),
            Optional.of(ahead),
            List.of(new SimTable.Snapshot(9, Optional.of(ahead), files)),
            10,
            default2.halts(),
            default2.clearedHalts()));

    assertThat(haltOf("b").message()).contains("3:2147483647").contains("4:2147483647");
  }

  @Test
  @DisplayName("C11: recovery publishes the checkpoint of W again, under its own claim (C20)")
  void recovery_publishes_the_checkpoint_again() {
    twoRanges();
    long before = checkpoints();

    bench.open("b");

    assertThat(checkpoints()).isEqualTo(before + 1);
    CheckpointEvent newest =
        (CheckpointEvent) bench.log.events().get(bench.log.events().size() - 1);
    assertThat(newest.to()).isEqualTo(Bench.end(2));
    assertThat(newest.from()).isEqualTo(Bench.end(1));
    assertThat(newest.writerId()).isEqualTo("b");
    assertThat(newest.claim()).isEqualTo(2);
    assertThat(newest.kafkaOffset()).isEqualTo(4);
  }

  @Test
  @DisplayName("C10: without a watermark nothing is published, and START is waited for")
  void a_fresh_generation_publishes_nothing_and_waits_for_start() {
    CommitEngine a = bench.open("a");

    assertThat(a.isIdle()).isTrue();
    assertThat(a.writer().orElseThrow().position()).isEmpty();
    assertThat(bench.log.events()).isEmpty();
  }

  @Test
  @DisplayName("I6: a table with a range and no watermark is 86")
  void a_range_without_a_watermark_halts() {
    bench.open("a");
    SimLake.Contents fresh = bench.lake.contents();
    Bench other = new Bench();
    other.commit(other.started("a"), Bench.end(1), Bench.row(1, 0));
    SimTable written = other.table(Bench.DEFAULT);
    bench.lake.set(new SimLake.Contents(fresh.identity(), fresh.tables()));
    bench.lake.set(Bench.DEFAULT, written);

    assertThat(haltOf("b").message()).contains("there is no watermark");
  }

  @Test
  @DisplayName("C21: rows decoded and rows in the tables that differ are 86")
  void rows_that_are_not_accounted_for_halt() {
    twoRanges();
    SimTable whole = bench.table(Bench.WATERMARK);
    TableState state = whole.property().orElseThrow();
    WatermarkState w = state.watermark().orElseThrow();
    TableState off =
        state.afterWatermark(
            state.range().orElseThrow(),
            state.closedThroughMicros().orElseThrow(),
            new WatermarkState(
                w.tables(),
                w.rowsDecoded() + 1,
                w.startFrom(),
                w.startFloorTimeMicros(),
                w.kafka()));
    bench.lake.set(Bench.WATERMARK, forged(whole, off));

    assertThat(haltOf("b").message()).contains("4 records").contains("3 rows");
  }
}
