package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.sim.SimTable;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Halts: recorded, in force, cleared (C25, C26). */
class StoppingTest {
  private static final Finding FINDING = new Finding(HaltReason.GAP, "records are missing");

  private final Bench bench = new Bench();

  private CommitEngine halted(String writer) {
    CommitEngine engine = bench.started(writer);
    engine.halt(FINDING);
    return bench.run(engine);
  }

  private void clearInTopic(String id) {
    bench.log.publish(
        List.of(
            new ClearEvent(
                EventIdentity.of(Bench.STREAM), id, Optional.empty(), "somebody", Instant.EPOCH)));
  }

  private void clearInTable(String id) {
    SimTable whole = bench.table(Bench.WATERMARK);
    bench.lake.commit(
        new TableCommit(
            Bench.WATERMARK,
            whole.uuid(),
            whole.property(),
            whole.property().orElseThrow().after(CommitKind.CLEAR),
            new TableCommit.Change.NoRows(),
            Map.of(TableView.CLEAR_PROPERTY + id, "somebody")));
  }

  @Test
  @DisplayName("C25: a halt is recorded in the watermark table and as an event with the same id")
  void a_halt_is_recorded_in_table_and_topic() {
    CommitEngine a = halted("a");

    assertThat(a.stopped()).contains(new Stop(Stop.Code.HALTED, FINDING.message()));
    assertThat(bench.table(Bench.WATERMARK).halts()).isEqualTo(Map.of("a", FINDING.message()));
    assertThat(bench.state(Bench.WATERMARK).commit()).isEqualTo(CommitKind.HALT);
    LakeEvent last = bench.log.events().get(bench.log.events().size() - 1);
    assertThat(last).isInstanceOf(HaltEvent.class);
    HaltEvent event = (HaltEvent) last;
    assertThat(event.id()).isEqualTo("a");
    assertThat(event.reason()).isEqualTo("gap");
    assertThat(event.message()).isEqualTo(FINDING.message());
    assertThat(event.epoch()).isEqualTo(1);
    assertThat(event.claim()).isEqualTo(1);
  }

  @Test
  @DisplayName("C25: W and the tables stay as they are")
  void a_halt_moves_nothing() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0));
    TableState data = bench.state(Bench.DEFAULT);
    TableState watermark = bench.state(Bench.WATERMARK);

    a.halt(FINDING);
    bench.run(a);

    assertThat(bench.state(Bench.DEFAULT)).isEqualTo(data);
    assertThat(bench.state(Bench.WATERMARK)).isEqualTo(watermark.after(CommitKind.HALT));
  }

  @Test
  @DisplayName("C25, C15: a writer that was overtaken records no halt: it is fenced")
  void an_overtaken_writer_records_no_halt() {
    CommitEngine zombie = bench.started("zombie");
    CommitEngine newer = bench.open("newer");

    zombie.halt(FINDING);
    bench.run(zombie);

    assertThat(zombie.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(bench.log.read().halts()).isEmpty();
    assertThat(bench.table(Bench.WATERMARK).halts()).isEmpty();
    assertThat(bench.commit(newer, Bench.end(1), Bench.row(1, 0)).isIdle()).isTrue();
  }

  @Test
  @DisplayName(
      "C25, C15: also one that read a newer checkpoint between its two looks is only fenced")
  void a_newer_checkpoint_read_while_opening_does_not_halt_the_newer_writer() {
    CommitEngine first = bench.started("first");
    CommitEngine slow = bench.runTo(bench.engine("slow"), Phase.ReadingBack.class);
    bench.runWhile(slow, effect -> !(effect instanceof Effect.ReadEvents));
    CommitEngine newer = bench.open("newer");
    bench.commit(newer, Bench.end(1), Bench.row(1, 0));

    bench.run(slow);

    assertThat(first.isIdle()).isTrue();
    assertThat(slow.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(bench.log.read().halts()).isEmpty();
  }

  @Test
  @DisplayName("C25: a halt waits for the commit in flight, and the next range is not begun")
  void a_halt_waits_for_the_commit_in_flight() {
    CommitEngine a = bench.started("a");
    bench.begin(a, Bench.end(1), Bench.row(1, 0));
    bench.runTo(a, Phase.CommittingTables.class);

    a.halt(FINDING);
    assertThat(a.phase()).isInstanceOf(Phase.CommittingTables.class);
    bench.run(a);

    assertThat(a.stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.watermark()).contains(Bench.end(1));
  }

  @Test
  @DisplayName("C25: the first finding counts")
  void the_first_finding_counts() {
    CommitEngine a = bench.started("a");
    a.halt(FINDING);
    a.halt(new Finding(HaltReason.ROW_DIFFERS, "another"));
    bench.run(a);

    assertThat(a.stopped().orElseThrow().message()).isEqualTo(FINDING.message());
  }

  @Test
  @DisplayName("C25: with the watermark table gone, the topic decides")
  void without_the_watermark_table_the_topic_decides() {
    CommitEngine a = bench.started("a");
    SimTable whole = bench.table(Bench.WATERMARK);
    bench.lake.drop(Bench.WATERMARK);
    a.halt(FINDING);
    bench.run(a);

    assertThat(a.stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.log.read().halts()).containsOnlyKeys("a");

    bench.lake.set(Bench.WATERMARK, whole);
    assertThat(bench.open("b").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED_BEFORE);
  }

  @Test
  @DisplayName("C25: a watermark table that is another one, or was changed, takes no halt record")
  void a_replaced_watermark_table_takes_no_record() {
    CommitEngine a = bench.started("a");
    SimTable whole = bench.table(Bench.WATERMARK);
    SimTable another =
        new SimTable("another", whole.property(), whole.main(), whole.nextId(), Map.of(), Set.of());
    bench.lake.set(Bench.WATERMARK, another);
    a.halt(FINDING);
    bench.run(a);

    assertThat(bench.table(Bench.WATERMARK)).isEqualTo(another);
    assertThat(bench.log.read().halts()).containsOnlyKeys("a");
  }

  @Test
  @DisplayName("C25: a halt whose record fails for good is made in the topic")
  void a_halt_that_the_table_does_not_take_is_made_in_the_topic() {
    CommitEngine a = bench.started("a");
    a.halt(FINDING);
    a.fail(new Stop(Stop.Code.FAILED, "no permission"));
    assertThat(a.finding()).contains(FINDING);
    bench.run(a);

    assertThat(a.stopped()).contains(new Stop(Stop.Code.HALTED, FINDING.message()));
    assertThat(bench.log.read().halts()).containsOnlyKeys("a");
    assertThat(bench.table(Bench.WATERMARK).halts()).isEmpty();
  }

  @Test
  @DisplayName("C25: a finding that nothing takes ends the writer with 86 all the same")
  void a_finding_without_a_record_is_told() {
    CommitEngine a = bench.started("a");
    a.halt(FINDING);
    a.fail(new Stop(Stop.Code.FAILED, "no permission"));
    a.fail(new Stop(Stop.Code.FAILED, "no permission to look either"));
    a.fail(new Stop(Stop.Code.FAILED, "no broker"));

    assertUnrecorded(a, "no broker");
  }

  @Test
  @DisplayName("C25: a halt whose record fails, and whose table can't be read, is in the topic")
  void a_halt_of_a_table_that_can_not_be_read_is_made_in_the_topic() {
    CommitEngine a = bench.started("a");
    a.halt(FINDING);
    a.fail(new Stop(Stop.Code.FAILED, "no permission"));
    assertThat(a.effects()).containsExactly(new Effect.LoadTable(Bench.WATERMARK));
    a.fail(new Stop(Stop.Code.FAILED, "no permission to look either"));
    bench.run(a);

    assertThat(a.stopped()).contains(new Stop(Stop.Code.HALTED, FINDING.message()));
    assertThat(bench.log.read().halts()).containsOnlyKeys("a");
  }

  @Test
  @DisplayName("C25, C15: a writer that was overtaken makes no halt in the topic either")
  void an_overtaken_writer_whose_record_fails_is_fenced() {
    CommitEngine zombie = bench.started("zombie");
    CommitEngine newer = bench.open("newer");
    zombie.halt(FINDING);
    zombie.fail(new Stop(Stop.Code.FAILED, "no permission"));
    bench.run(zombie);

    assertThat(zombie.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
    assertThat(bench.log.read().halts()).isEmpty();
    assertThat(bench.commit(newer, Bench.end(1), Bench.row(1, 0)).isIdle()).isTrue();
  }

  private static void assertUnrecorded(CommitEngine engine, String why) {
    Stop stop = engine.stopped().orElseThrow();
    assertThat(stop.code()).isEqualTo(Stop.Code.HALTED);
    assertThat(stop.message())
        .startsWith(FINDING.message())
        .contains("could not be recorded")
        .endsWith(why);
    assertThat(engine.finding()).isEmpty();
  }

  @Test
  @DisplayName("C25: a finding that waits for a commit outlives that commit's failure")
  void a_pending_finding_outlives_a_failure() {
    CommitEngine a = bench.started("a");
    bench.begin(a, Bench.end(1), Bench.row(1, 0));
    bench.runTo(a, Phase.CommittingTables.class);
    a.halt(FINDING);
    assertThat(a.finding()).contains(FINDING);
    a.fail(new Stop(Stop.Code.FAILED, "no permission"));

    assertUnrecorded(a, "no permission");
  }

  @Test
  @DisplayName("C15: a writer that was overtaken ends fenced, whatever it found")
  void an_overtaken_writer_with_a_finding_is_fenced() {
    CommitEngine a = bench.started("a");
    bench.begin(a, Bench.end(1), Bench.row(1, 0));
    a.halt(FINDING);
    a.stop(new Stop(Stop.Code.FENCED, "the lease is lost"));

    assertThat(a.stopped()).contains(new Stop(Stop.Code.FENCED, "the lease is lost"));
  }

  @Test
  @DisplayName("C25: a record whose reply is lost is found, and made once")
  void a_halt_record_without_a_reply_is_found() {
    CommitEngine a = bench.started("a");
    a.halt(FINDING);
    Effect.Commit record = Bench.commitOf(a, Bench.WATERMARK);
    bench.lake.commit(record.commit());
    int snapshots = bench.table(Bench.WATERMARK).main().size();
    Bench.loseReply(a, record);

    bench.run(a);

    assertThat(a.stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED);
    assertThat(bench.table(Bench.WATERMARK).main()).hasSize(snapshots);
  }

  @Test
  @DisplayName("C25: a record that was never sent is made again, also over our own maintenance")
  void a_halt_record_that_never_landed_is_made_again() {
    CommitEngine a = bench.started("a");
    a.halt(FINDING);
    Bench.loseReply(a, Bench.commitOf(a, Bench.WATERMARK));
    clearInTable("something older");

    bench.run(a);

    assertThat(bench.table(Bench.WATERMARK).halts()).containsOnlyKeys("a");
  }

  @Test
  @DisplayName("C26: a restart stops at once with the same message, and writes nothing")
  void a_restart_stops_at_once_and_writes_nothing() {
    halted("a");
    var before = bench.lake.contents();
    int events = bench.log.events().size();

    Stop stop = bench.open("b").stopped().orElseThrow();

    assertThat(stop.code()).isEqualTo(Stop.Code.HALTED_BEFORE);
    assertThat(stop.codedMessage()).startsWith("TULA-86 ").contains(FINDING.message());
    assertThat(stop.message()).contains("tula-lake clear-durability-halt --confirm");
    assertThat(bench.lake.contents()).isEqualTo(before);
    assertThat(bench.log.events()).hasSize(events);
  }

  @Test
  @DisplayName("C25: either place alone keeps a halt in force")
  void either_place_keeps_a_halt_in_force() {
    halted("a");
    bench.log.events().removeIf(HaltEvent.class::isInstance);
    assertThat(bench.open("b").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED_BEFORE);

    Bench other = new Bench();
    SimTable clean = halted(other);
    other.lake.set(Bench.WATERMARK, clean);
    assertThat(other.open("b").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED_BEFORE);
  }

  private static SimTable halted(Bench other) {
    CommitEngine a = other.started("a");
    SimTable clean = other.table(Bench.WATERMARK);
    a.halt(FINDING);
    other.run(a);
    return clean;
  }

  @Test
  @DisplayName("C25: a clear in either place lifts it, and the writer goes on where it stood")
  void a_clear_in_either_place_lifts_a_halt() {
    halted("a");
    clearInTopic("a");
    CommitEngine b = bench.open("b");
    assertThat(b.isIdle()).isTrue();
    b.halt(FINDING);
    bench.run(b);

    clearInTable("b");
    CommitEngine c = bench.open("c");

    assertThat(bench.commit(c, Bench.end(1), Bench.row(1, 0)).isIdle()).isTrue();
  }

  @Test
  @DisplayName("C25: a clear of one halt leaves another in force")
  void a_clear_names_one_halt() {
    halted("a");
    clearInTopic("another");

    assertThat(bench.open("b").stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED_BEFORE);
  }

  @Test
  @DisplayName("C5, C25: a halt that is recorded while another writer opens stops that writer too")
  void a_halt_recorded_while_another_writer_opens_stops_it() {
    CommitEngine a = bench.started("a");
    CommitEngine b = bench.runTo(bench.engine("b"), Phase.ClaimingWatermark.class);
    a.halt(FINDING);
    bench.run(a);

    assertThat(bench.run(b).stopped().orElseThrow().code()).isEqualTo(Stop.Code.HALTED_BEFORE);
  }

  @Test
  @DisplayName("A stop from outside ends the writer and records nothing")
  void a_stop_from_outside_records_nothing() {
    CommitEngine a = bench.started("a");
    int events = bench.log.events().size();
    a.stop(new Stop(Stop.Code.FAILED, "no permission"));
    a.stop(new Stop(Stop.Code.FENCED, "later"));
    a.halt(FINDING);

    assertThat(a.stopped()).contains(new Stop(Stop.Code.FAILED, "no permission"));
    assertThat(a.effects()).isEmpty();
    assertThat(bench.log.events()).hasSize(events);
    assertThat(bench.watermark()).contains(Position.ORIGIN);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("C25: each kind of disagreement names its cure")
  void each_reason_names_its_cure(HaltReason reason) {
    Finding finding = new Finding(reason, "what was found");

    assertThat(finding.message()).startsWith("what was found. ").endsWith(reason.cure());
    assertThat(reason.cure()).hasSizeGreaterThan(20);
    assertThat(reason.word()).matches("[a-z_]+");
  }
}
