package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.sink.engine.TableState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a task does as Connect calls it, over lakes in memory: C1, C10, C13, C24 and C26. */
class SinkTaskTest {
  private static final Duration AT_ONCE = Duration.ofSeconds(60);
  private static final long SOON_MS = 1_000;
  private static final TopicPartition FIRST = SinkBench.partition(0);
  private static final TopicPartition SECOND = SinkBench.partition(1);

  /** An interval, in ms, that no test waits for. */
  private static final String SELDOM = "3600000";

  private final AtomicLong skippedMs = new AtomicLong();
  private SinkBench bench = new SinkBench(1);
  private IcebergExactlyOnceSinkTask successor;

  @AfterEach
  void close() {
    bench.close();
    if (successor != null) {
      successor.stop();
    }
  }

  /** A task before has committed batches 1 to 5, and ended. */
  private void committedBefore() {
    bench.world(0).begin(5);
    bench.start().open(0);
    bench.pollUntilWatermark(0, 5);
    bench.pollUntil("its offset", () -> bench.offset(0) == bench.world(0).storedOffset());
    bench.close();
  }

  private void startAndResume() {
    bench.start().open(0);
    pollUntilResumed();
  }

  private void pollUntilResumed() {
    bench.pollUntil("resuming", () -> bench.context().paused().isEmpty());
  }

  @Test
  @DisplayName("C1: open and put return at once, whatever catalog and brokers do")
  void open_returns_while_the_catalog_hangs() {
    bench.world(0).begin(5);
    bench.world(0).holdCalls();
    bench.start();

    assertTimeoutPreemptively(AT_ONCE, () -> bench.open(0));
    assertTimeoutPreemptively(AT_ONCE, bench::poll);

    assertThat(bench.context().paused()).containsExactly(FIRST);
    assertThat(bench.world(0).watermark()).isEmpty();
    bench.world(0).release();
    bench.pollUntilWatermark(0, 5);
  }

  @Test
  @DisplayName("I2, C10: what Connect assigns and does not open is opened, and read from W on")
  void a_partition_that_connect_did_not_open_is_opened_by_the_task() {
    committedBefore();
    bench.world(0).page(6, 9);
    bench.start();
    bench.assignWithoutOpening(0);
    bench.world(0).holdCalls();

    bench.poll();
    assertThat(bench.context().paused()).as("Connect may be about to open it").isEmpty();
    bench.poll();

    assertThat(bench.context().paused()).containsExactly(FIRST);
    bench.world(0).release();
    bench.pollUntilWatermark(0, 9);
    bench.pollUntil("its offset", () -> bench.offset(0) == bench.world(0).storedOffset());
  }

  @Test
  @DisplayName("C10: a partition that is opened again begins anew, with one writer, from W")
  void a_partition_that_is_opened_twice_has_one_writer() {
    committedBefore();
    bench.world(0).page(6, 9);
    bench.start();
    bench.assignWithoutOpening(0);
    bench.poll();
    bench.poll();
    pollUntilResumed();

    bench.open(0);
    // Where the group's offset stands, past rows that never were committed.
    bench.context().offset(FIRST, bench.world(0).items().size());

    bench.pollUntilWatermark(0, 9);
    bench.pollUntil("its offset", () -> bench.offset(0) == bench.world(0).storedOffset());
    bench.pollUntil("one writer", () -> bench.openPorts() == 1);
    bench.close();
    bench.awaitClosedPorts();
  }

  @Test
  @DisplayName("C2: a partition that the pipeline does not have fails the task and says why")
  void a_partition_beyond_those_of_the_pipeline_fails_and_says_what_to_do() {
    bench.start();

    assertThatThrownBy(() -> bench.open(1))
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll(SECOND.toString(), "tula.partition.count is 1", "new generation");

    assertThat(bench.openPorts()).isZero();
  }

  /** A task with two partitions, of which a later one has claimed the first. */
  private void firstIsFenced() {
    bench.world(0).begin(5);
    bench.world(1).begin(5);
    bench.start().open(0, 1);
    bench.pollUntilWatermark(0, 5);
    bench.pollUntilWatermark(1, 5);
    IcebergExactlyOnceSinkTask fenced = bench.task();
    SinkBench.Context its = bench.context();
    bench.start().open(0);
    bench.world(0).page(6, 9);
    bench.pollUntilWatermark(0, 9);
    successor = bench.task();
    bench.goBackTo(fenced, its);
    bench.world(0).page(10, 12);
    bench.pollUntil("its end", () -> bench.context().paused().contains(FIRST));
    // The pause may have been quicker than the task's look at why.
    bench.poll();
  }

  @Test
  @DisplayName(
      "C15: a fenced partition that Connect takes away fails nothing, and the others go on")
  void a_fenced_partition_that_is_taken_away_fails_nothing() {
    bench = new SinkBench(2).with(clocksThatSkip());
    firstIsFenced();
    bench.world(1).page(6, 9);
    bench.pollUntilWatermark(1, 9);
    skippedMs.addAndGet(IcebergExactlyOnceSinkTask.FENCED_GRACE_MS / 2);
    bench.poll();

    bench.revoke(0);

    skippedMs.addAndGet(IcebergExactlyOnceSinkTask.FENCED_GRACE_MS);
    bench.world(1).page(10, 12);
    bench.pollUntilWatermark(1, 12);
  }

  @Test
  @DisplayName(
      "C15: a fenced partition that stays assigned fails the task: another connector has it")
  void a_fenced_partition_that_stays_assigned_fails_the_task() {
    bench = new SinkBench(2).with(clocksThatSkip());
    firstIsFenced();

    skippedMs.addAndGet(IcebergExactlyOnceSinkTask.FENCED_GRACE_MS);

    assertThatThrownBy(bench::poll)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("TULA-FENCED");
  }

  @Test
  @DisplayName("C15: where leases are kept, a fenced partition waits for its lease and goes on")
  void a_fenced_partition_with_leases_is_opened_anew(@TempDir Path folder) {
    bench =
        new SinkBench(2)
            .with(clocksThatSkip())
            .with("tula.fencing.enabled", "true")
            .with("tula.fencing.url", folder.toUri().toString());
    firstIsFenced();
    successor.stop();
    successor = null;

    skippedMs.addAndGet(IcebergExactlyOnceSinkTask.LEASE_RETRY_MS);

    bench.pollUntilWatermark(0, 12);
    bench.world(1).page(6, 9);
    bench.pollUntilWatermark(1, 9);
  }

  private Clocks clocksThatSkip() {
    return new Clocks(Clocks.SYSTEM.dates(), () -> ElapsedTime.SYSTEM.ms() + skippedMs.get());
  }

  @Test
  @DisplayName("C1: put applies what opening found: it seeks and resumes")
  void put_applies_the_outcome_of_opening() {
    committedBefore();
    bench.start().open(0);
    assertThat(bench.context().paused()).containsExactly(FIRST);

    pollUntilResumed();

    assertThat(bench.context().position(FIRST)).isEqualTo(bench.world(0).storedOffset());
  }

  @Test
  @DisplayName("C4: each start has a writer id of its own")
  void each_start_has_a_writer_id_of_its_own() {
    committedBefore();
    String before = writerId();

    startAndResume();

    assertThat(writerId()).isNotEqualTo(before);
  }

  private String writerId() {
    return bench.world(0).watermark().orElseThrow().claim().writerId();
  }

  @Test
  @DisplayName("C10: reading begins at the offset stored with W, wherever the consumer stood")
  void reading_begins_at_the_offset_stored_with_the_watermark() {
    committedBefore();
    bench.start().open(0);
    bench.context().offset(FIRST, 3);

    pollUntilResumed();

    assertThat(bench.world(0).storedOffset()).isEqualTo(bench.world(0).items().size());
    assertThat(bench.context().position(FIRST)).isEqualTo(bench.world(0).storedOffset());
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"no-such-group", "connect-another-sink"})
  @DisplayName("C10: a group's offsets are no evidence, W decides where reading begins")
  void a_wrong_or_missing_group_id_changes_nothing(String groupId) {
    committedBefore();
    bench.world(0).page(6, 9);
    if (groupId != null) {
      bench.with("consumer.override.group.id", groupId);
    }
    bench.start().open(0);
    // Where that group stands: past rows that never were committed.
    long end = bench.world(0).items().size();
    bench.context().offset(FIRST, end);

    bench.pollUntilWatermark(0, 9);

    bench.pollUntil("the offset of W", () -> bench.offset(0) == end);
  }

  @Test
  @DisplayName("C10: where the stored offset does not lead on, the partition is read from its head")
  void a_topic_that_was_created_anew_is_read_from_its_beginning() {
    committedBefore();
    bench.world(0).items().clear();
    bench.world(0).page(6, 9);
    bench.world(0).page(10, 12);
    assertThat(bench.world(0).storedOffset()).isLessThan(bench.world(0).items().size());

    bench.start().open(0);

    bench.pollUntilWatermark(0, 12);
  }

  @Test
  @DisplayName("C13: replays from before the restart are held against the lake, and dropped")
  void a_replay_that_agrees_with_the_lake_is_dropped() {
    committedBefore();
    bench.world(0).items().add(new StreamItem.Row(new Position(3, 0), TestLedger.row(3, 1)));
    bench.world(0).page(6, 9);

    bench.start().open(0);

    bench.pollUntilWatermark(0, 9);
  }

  @Test
  @DisplayName("C13, I6: a replay that differs from the lake halts")
  void a_replay_that_differs_from_the_lake_halts() {
    committedBefore();
    bench.world(0).items().add(new StreamItem.Row(new Position(3, 0), TestLedger.row(3, 1, 42)));
    bench.world(0).page(6, 9);
    bench.start().open(0);

    assertThatThrownBy(() -> bench.pollUntilWatermark(0, 9))
        .isInstanceOf(ConnectException.class)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContaining("comes again from the topic");
  }

  @Test
  @DisplayName("C13: a writer that runs ahead pauses its partition, and goes on later")
  void a_full_queue_pauses_the_partition() {
    bench.with("tula.commit.max.rows", "100").with("tula.queue.max.bytes", "65536");
    bench.world(0).begin(1_000);
    startAndResume();
    bench.world(0).holdCommits();

    bench.pollUntil("pausing", () -> bench.context().paused().contains(FIRST));

    assertThat(bench.context().position(FIRST)).isLessThan(bench.world(0).items().size());
    bench.world(0).release();
    bench.pollUntilWatermark(0, 1_000);
  }

  @Test
  @DisplayName("C19, I3: the offset goes with W, and not with what was read")
  void the_offset_follows_the_watermark_and_not_what_was_read() {
    committedBefore();
    long before = bench.world(0).storedOffset();
    startAndResume();
    bench.world(0).holdCommits();
    bench.world(0).page(6, 9);
    long end = bench.world(0).items().size();

    bench.pollUntil("the end of the topic", () -> bench.context().position(FIRST) == end);
    bench.pollUntil("decoding it", () -> SinkBench.metric(0, "DecodedGlobalBatchSeq").equals(9L));

    assertThat(bench.offset(0)).isEqualTo(before);
    bench.world(0).release();
    bench.pollUntil("the offset of W", () -> bench.offset(0) == end);
    assertThat(bench.world(0).watermark().flatMap(TableState::to)).contains(Position.batchEnd(9));
  }

  @Test
  @DisplayName("C24: the first poll is short, as partitions open paused")
  void start_asks_to_be_called_again_soon() {
    bench.start();

    assertThat(bench.context().takeTimeoutMs()).isBetween(1L, SOON_MS);
  }

  @Test
  @DisplayName("C24: an idle task is called again soon, each time")
  void put_asks_to_be_called_again_soon() {
    bench.start().open(0);
    for (int i = 0; i < 3; i++) {
      bench.context().takeTimeoutMs();
      bench.poll();

      assertThat(bench.context().takeTimeoutMs()).isBetween(1L, SOON_MS);
    }
  }

  @Test
  @DisplayName("C24: a writer's end is thrown from put, and preCommit goes on with W's offset")
  void the_end_is_thrown_from_put_and_never_from_pre_commit() {
    committedBefore();
    bench.world(0).page(7, 9);
    bench.start().open(0);

    assertThatThrownBy(() -> bench.pollUntilWatermark(0, 9))
        .isInstanceOf(ConnectException.class)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContaining("records are missing");

    assertThat(bench.offset(0)).isEqualTo(bench.world(0).storedOffset());
    assertThat(bench.world(0).read().halts()).hasSize(1);
    assertThatThrownBy(bench::poll).isInstanceOf(ConnectException.class);
  }

  private void twoPartitionsOfWhichTheFirstIsHalted(String checkIntervalMs) {
    bench = new SinkBench(2).with("tula.halt.check.interval.ms", checkIntervalMs);
    bench
        .world(0)
        .publish(
            List.of(
                new HaltEvent(
                    EventIdentity.of(bench.world(0).identity()),
                    "h",
                    "gap",
                    "records are missing.",
                    "w",
                    1,
                    1,
                    Instant.EPOCH)));
    bench.world(1).begin(9);
    bench.start().open(0, 1);
  }

  @Test
  @DisplayName("C26: a halt that was recorded before stops its partition and no other")
  void a_recorded_halt_stops_its_partition_alone() {
    twoPartitionsOfWhichTheFirstIsHalted(SELDOM);

    bench.pollUntil(
        "the end of the first",
        () -> String.valueOf(SinkBench.metric(0, "LastError")).contains("records are missing"));
    bench.world(1).page(10, 12);
    bench.pollUntilWatermark(1, 12);

    assertThat(bench.context().paused()).contains(FIRST).doesNotContain(SECOND);
    assertThat(SinkBench.metric(0, "Halted")).isEqualTo(1);
  }

  /** The task knows of it too: a writer closes its ports after it has told its end. */
  private void firstStandsStill() {
    bench.pollUntilWatermark(1, 9);
    bench.pollUntil(
        "the end of the first",
        () -> "Stopped: HALTED_BEFORE".equals(SinkBench.metric(0, "Phase")));
    bench.pollUntil("closing its ports", () -> bench.openPorts() == 1);
    bench.poll();
  }

  private void clearTheHalt() {
    bench
        .world(0)
        .publish(
            List.of(
                new ClearEvent(
                    EventIdentity.of(bench.world(0).identity()),
                    "h",
                    Optional.empty(),
                    "somebody",
                    Instant.EPOCH)));
  }

  @Test
  @DisplayName("C26: once its halt is cleared, a partition that stood still goes on by itself")
  void a_cleared_halt_lets_its_partition_go_on_without_a_restart() {
    twoPartitionsOfWhichTheFirstIsHalted("100");
    firstStandsStill();
    bench.world(0).begin(5);

    clearTheHalt();

    bench.pollUntilWatermark(0, 5);
    assertThat(SinkBench.metric(0, "Halted")).isEqualTo(0);
    bench.world(1).page(10, 12);
    bench.pollUntilWatermark(1, 12);
  }

  @Test
  @DisplayName("C26: looking for a halt that nobody cleared writes nothing, and is counted")
  void looking_at_a_halted_partition_again_writes_nothing() {
    twoPartitionsOfWhichTheFirstIsHalted("100");
    firstStandsStill();

    bench.pollUntil("three looks", () -> (long) SinkBench.metric(0, "HaltChecksTotal") >= 3);

    assertThat(bench.world(0).watermark()).isEmpty();
    assertThat(SinkBench.metric(0, "Halted")).isEqualTo(1);
    bench.world(1).page(10, 12);
    bench.pollUntilWatermark(1, 12);
    assertThat(bench.context().paused()).contains(FIRST).doesNotContain(SECOND);
  }

  @Test
  @DisplayName("C26: a partition that is taken away while it is looked at again is not claimed")
  void a_partition_that_is_taken_away_while_it_is_looked_at_again_is_not_claimed() {
    twoPartitionsOfWhichTheFirstIsHalted("100");
    firstStandsStill();
    bench.world(0).holdCalls();
    bench.pollUntil("a look", () -> bench.world(0).held() > 0);
    clearTheHalt();

    bench.revoke(0);
    bench.world(0).release();

    bench.pollUntil("the end of the look", () -> bench.openPorts() == 1);
    bench.world(1).page(10, 12);
    bench.pollUntilWatermark(1, 12);
    assertThat(bench.world(0).watermark()).isEmpty();
  }

  @Test
  @DisplayName("C26: before a task fails for a halt that it stood by, it looks whether it still is")
  void a_task_that_is_left_with_a_cleared_halt_goes_on() {
    twoPartitionsOfWhichTheFirstIsHalted(SELDOM);
    firstStandsStill();
    bench.world(0).begin(5);
    clearTheHalt();

    bench.revoke(1);

    bench.pollUntilWatermark(0, 5);
  }

  @Test
  @DisplayName("C26: a task that has no other partition fails for a halt recorded before")
  void a_recorded_halt_fails_a_task_without_another_partition() {
    twoPartitionsOfWhichTheFirstIsHalted(SELDOM);
    bench.pollUntilWatermark(1, 9);

    bench.revoke(1);

    assertThatThrownBy(() -> bench.pollUntil("its failure", () -> false))
        .isInstanceOf(ConnectException.class)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContaining("nobody has cleared it");
  }

  @Test
  @DisplayName("C26: a task that finds a halt itself fails, whatever else it runs")
  void a_halt_of_its_own_finding_fails_the_task() {
    bench = new SinkBench(2);
    bench.world(0).begin(5);
    bench.world(0).page(9, 12);
    bench.world(1).begin(9);
    bench.start().open(0, 1);

    assertThatThrownBy(() -> bench.pollUntil("its failure", () -> false))
        .isInstanceOf(ConnectException.class)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContaining("records are missing");
  }

  @Test
  @DisplayName("I3: what counts is where a record was read, whatever a transform calls its topic")
  void a_renamed_topic_changes_nothing() {
    bench.rename("renamed");
    bench.world(0).begin(5);
    bench.start().open(0);

    bench.pollUntilWatermark(0, 5);

    long end = bench.world(0).items().size();
    bench.pollUntil("the offset of W", () -> bench.offset(0) == end);
  }

  @Test
  @DisplayName("I7: a record that is none of the ledger's fails the task with its offset")
  void a_record_that_is_none_of_the_ledgers_fails_the_task_with_its_offset() {
    committedBefore();
    long end = bench.world(0).storedOffset();
    startAndResume();

    bench
        .task()
        .put(List.of(bench.delivered(0, end, new SchemaAndValue(Schema.STRING_SCHEMA, "hello"))));

    assertThatThrownBy(() -> bench.pollUntil("its failure", () -> false))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining(FIRST + ", offset " + end);
    assertThat(bench.offset(0)).as("it is not passed over").isEqualTo(end);
  }

  @Test
  @DisplayName("I1, I3: a partition that is taken away in the middle of a commit goes on elsewhere")
  void a_rebalance_in_the_middle_of_a_commit_loses_nothing() {
    committedBefore();
    startAndResume();
    bench.world(0).holdCommits();
    bench.world(0).page(6, 9);
    long end = bench.world(0).items().size();
    bench.pollUntil("the end of the topic", () -> bench.context().position(FIRST) == end);
    bench.pollUntil("a commit", () -> bench.world(0).held() > 0);

    bench.revoke(0);
    bench.world(0).release();
    bench.open(0);

    bench.pollUntilWatermark(0, 9);
    assertThat(bench.world(0).watermarkState().orElseThrow().totalRows()).isEqualTo(9 * 4);
  }

  @Test
  void a_partition_that_is_taken_away_leaves_nothing_open() {
    bench = new SinkBench(2);
    bench.world(0).begin(5);
    bench.world(1).begin(5);
    bench.start().open(0, 1);
    bench.pollUntilWatermark(0, 5);
    bench.pollUntilWatermark(1, 5);
    assertThat(bench.openPorts()).isEqualTo(2);

    bench.revoke(0);
    bench.pollUntil("closing the first's ports", () -> bench.openPorts() == 1);
  }
}
