package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.fencing.CapturedLines;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A started task whose catalog is read and does not commit, or does not say so, and one whose
 * machine's clock is set. Time passes as the test says.
 */
class CommitFaultsTest {
  private static final TopicPartition FIRST = SinkBench.partition(0);
  private static final String BUSY = "the catalog answered 503 Service Unavailable";
  private static final String SLOW = "committing to table x took longer than 60000 ms";
  private static final long INITIAL_MS = 1_000;
  private static final long MAX_MS = 4_000;
  private static final long TIMEOUT_MS = 12_000;
  private static final int MAX_ATTEMPTS = 4;
  private static final long INTERVAL_MS = 500;
  private static final long HOUR_MS = 3_600_000;

  /** What one turn of a writer looks at the time at the least. */
  private static final int LOOKS = 4;

  private final TestTime time = new TestTime();
  private final Map<String, List<Long>> tries = new ConcurrentHashMap<>();
  private final SinkBench bench =
      new SinkBench(1)
          .with(time.clocks())
          .with("tula.commit.interval.ms", Long.toString(INTERVAL_MS))
          .with("tula.commit.max.attempts", Integer.toString(MAX_ATTEMPTS))
          .with("tula.retry.backoff.initial.ms", Long.toString(INITIAL_MS))
          .with("tula.retry.backoff.max.ms", Long.toString(MAX_MS))
          .with("tula.retry.timeout.ms", Long.toString(TIMEOUT_MS));

  /** How commits fail. */
  enum Fault {
    /** The catalog takes the request, and its answer tells nothing. */
    UNKNOWN("no reply has told whether a commit to table transactions_") {
      @Override
      CommitReply reply(SinkBench bench, TableCommit commit) {
        return new CommitReply.Unknown(BUSY);
      }
    },
    /** Somebody else commits all the time. */
    REFUSED("could not commit to table transactions_") {
      @Override
      CommitReply reply(SinkBench bench, TableCommit commit) {
        return new CommitReply.Refused(bench.world(0).load(commit.table()));
      }
    },
    /** The request can't be sent. */
    NOT_SENT("It was tried again for " + TIMEOUT_MS + " ms.") {
      @Override
      CommitReply reply(SinkBench bench, TableCommit commit) {
        throw LakeException.passing("the pool of connections is closed", null);
      }
    },
    /** The catalog may not be written to, which no time cures. */
    FORBIDDEN("refused these credentials") {
      @Override
      CommitReply reply(SinkBench bench, TableCommit commit) {
        throw LakeException.lasting("the catalog refused these credentials", null);
      }
    };

    private final String message;

    Fault(String message) {
      this.message = message;
    }

    abstract CommitReply reply(SinkBench bench, TableCommit commit);
  }

  @BeforeEach
  void begin() {
    bench.world(0).begin(5);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private void answer(Function<TableCommit, CommitReply> reply) {
    bench.world(0).answerCommits((commit, carryOut) -> reply.apply(noted(commit)));
  }

  private TableCommit noted(TableCommit commit) {
    tries.computeIfAbsent(commit.table(), unused -> new CopyOnWriteArrayList<>()).add(time.ms());
    return commit;
  }

  /** Some time passes, and the writer has at least one turn in which to see that. */
  private void pass(long ms) {
    time.pass(ms);
    bench.poll();
    time.awaitLooks(LOOKS, () -> phase().startsWith("Stopped"));
    bench.poll();
  }

  private void passUntil(BooleanSupplier condition) {
    bench.pollUntil(
        "it, as time passes",
        () -> {
          pass(INTERVAL_MS);
          return condition.getAsBoolean();
        });
  }

  /** The failure that the task ends with, after what holds until then. */
  private ConnectException failureAfter(Runnable holding) {
    return catchThrowableOfType(
        ConnectException.class,
        () ->
            passUntil(
                () -> {
                  holding.run();
                  return false;
                }));
  }

  /** A task that has committed batches 1 to 5, and is given 6 to 9. */
  private void goOnTo9(Function<TableCommit, CommitReply> reply) {
    bench.start().open(0);
    passUntil(this::isAllKnownToTheTask);
    answer(reply);
    bench.world(0).page(6, 9);
  }

  /** The lake is ahead of the task, and of its metrics, until the reply has come. */
  private boolean isAllKnownToTheTask() {
    return bench.offset(0) == bench.world(0).items().size();
  }

  private static String phase() {
    return (String) SinkBench.metric(0, "Phase");
  }

  private static long count(String name) {
    return (Long) SinkBench.metric(0, name);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FORBIDDEN")
  @DisplayName("I3, C24: commits that fail leave the offset, are tried so often, and fail the task")
  void a_commit_that_fails_leaves_the_offset_is_tried_so_often_and_fails_the_task(Fault fault) {
    goOnTo9(commit -> fault.reply(bench, commit));
    long before = bench.world(0).storedOffset();

    ConnectException failure = failureAfter(() -> assertThat(bench.offset(0)).isEqualTo(before));

    assertThat(failure).hasMessageContaining(fault.message);
    assertThat((String) SinkBench.metric(0, "LastError")).contains(fault.message);
    assertThat(bench.offset(0)).isEqualTo(before).isEqualTo(bench.world(0).storedOffset());
    int tables = tries.size();
    assertThat(tries.keySet()).doesNotContain(TableNames.WATERMARK);
    assertThat(tries.values())
        .allSatisfy(times -> assertThat(times).hasSizeBetween(1, MAX_ATTEMPTS * tables + 1));
    assertThat(tries.values()).anySatisfy(times -> assertThat(times).hasSizeGreaterThan(1));
  }

  @Test
  @DisplayName("C16: commits that time out for ever are seen, are bounded in time, and fail")
  void a_commit_that_times_out_for_ever_is_seen_and_fails_the_task() {
    goOnTo9(commit -> new CommitReply.Unknown(SLOW));
    // A reply is counted before it is told of.
    passUntil(() -> SinkBench.metric(0, "LastError").equals(SLOW));
    long known = count("CommitsUnknownTotal");
    assertThat(known).isPositive();
    bench.pollUntil("as many errors", () -> count("ErrorsTotal") >= known);
    assertThat(SinkBench.metric(0, "Running")).isEqualTo(1);

    ConnectException failure = failureAfter(() -> {});

    long first = tries.values().stream().mapToLong(times -> times.get(0)).min().orElseThrow();
    assertThat(time.ms()).as("not before its time").isGreaterThanOrEqualTo(first + TIMEOUT_MS);
    assertThat(failure)
        .hasMessageContainingAll(FIRST.toString(), "to table transactions_", SLOW)
        .hasMessageMatching("(?s).*for [0-9]{5} ms no reply.*");
    assertThat(count("CommitsUnknownTotal")).isGreaterThan(known);
    assertThat(SinkBench.metric(0, "Running")).isEqualTo(0);
  }

  @Test
  void a_catalog_that_does_not_commit_is_asked_again_only_after_waits_that_grow() {
    goOnTo9(commit -> new CommitReply.Unknown(BUSY));

    failureAfter(() -> {});

    tries
        .values()
        .forEach(
            times -> {
              long full = INITIAL_MS;
              for (int i = 1; i < times.size(); i++) {
                assertThat(times.get(i) - times.get(i - 1)).isGreaterThanOrEqualTo(full / 2);
                full = Math.min(MAX_MS, 2 * full);
              }
            });
  }

  @Test
  @DisplayName("C16: a commit that landed without a reply is found without any wait")
  void a_commit_that_landed_without_a_reply_is_found_without_a_wait() {
    bench.start().open(0);
    passUntil(() -> bench.world(0).storedOffset() == bench.world(0).items().size());
    loseReplies();
    pass(INTERVAL_MS);
    bench.world(0).page(6, 9);

    bench.pollUntil("9, known to the task", this::isAllKnownToTheTask);

    assertThat(tries.values()).allSatisfy(times -> assertThat(times).hasSize(1));
    assertThat(count("CommitsUnknownTotal")).isEqualTo(tries.size());
  }

  /** From now on every commit lands, and none is answered. */
  private void loseReplies() {
    bench
        .world(0)
        .answerCommits(
            (commit, carryOut) -> {
              noted(commit);
              return lost(carryOut.get());
            });
  }

  /** Whatever the catalog said, nobody hears it. */
  private static CommitReply lost(CommitReply said) {
    assertThat(said).isNotNull();
    return new CommitReply.Unknown(SLOW);
  }

  @Test
  @DisplayName("C16: where each commit lands and none is answered, nothing is ever given up")
  void commits_that_land_unanswered_never_add_up_to_an_outage() {
    bench.start().open(0);
    passUntil(() -> bench.world(0).storedOffset() == bench.world(0).items().size());
    loseReplies();
    long begun = time.ms();

    for (int batch = 6; time.ms() - begun < 3 * TIMEOUT_MS; batch++) {
      bench.world(0).page(batch, batch);
      int items = bench.world(0).items().size();
      passUntil(() -> bench.world(0).storedOffset() == items);
      pass(TIMEOUT_MS / 2);
    }

    assertThat(count("CommitsUnknownTotal")).isGreaterThan(MAX_ATTEMPTS);
    assertThat(SinkBench.metric(0, "Running")).isEqualTo(1);
  }

  @Test
  @DisplayName("An outage counts in time, not in attempts, and what it held up is committed")
  void a_catalog_that_commits_again_in_time_ends_the_outage() {
    bench.with("tula.commit.max.attempts", "1");
    goOnTo9(commit -> new CommitReply.Unknown(BUSY));
    passUntil(() -> tries.values().stream().anyMatch(times -> times.size() > 2));
    bench.world(0).answerCommits((commit, carryOut) -> carryOut.get());

    passUntil(() -> bench.world(0).storedOffset() == bench.world(0).items().size());

    assertThat(bench.world(0).watermarkState().orElseThrow().totalRows()).isEqualTo(9 * 4);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("C4: an opening whose claims are not answered speaks of the catalog, of no writer")
  void an_opening_whose_claims_are_not_answered_waits_and_blames_no_other_writer(boolean fresh) {
    if (!fresh) {
      bench.start().open(0);
      passUntil(() -> bench.world(0).storedOffset() == bench.world(0).items().size());
      bench.close();
    }
    answer(commit -> new CommitReply.Unknown(BUSY));
    bench.start().open(0);
    long begun = time.ms();

    ConnectException failure = failureAfter(() -> {});

    assertThat(time.ms()).isGreaterThanOrEqualTo(begun + TIMEOUT_MS);
    assertThat(failure)
        .hasMessageContainingAll("to table " + TableNames.WATERMARK, BUSY)
        .hasMessageNotContaining("other writers")
        .hasMessageNotContaining("second connector");
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  @DisplayName(
      "C25: a halt that the table can't take is made in the topic, however long that takes")
  void a_halt_is_recorded_in_the_topic_where_the_table_takes_no_commit(Fault fault) {
    bench.with("tula.commit.max.attempts", "16");
    findAGap(commit -> fault.reply(bench, commit));
    long begun = time.ms();

    ConnectException failure = failureAfter(() -> {});

    assertThat(failure)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContaining("records are missing")
        .hasMessageNotContaining("could not be recorded");
    if (fault == Fault.UNKNOWN || fault == Fault.NOT_SENT) {
      assertThat(time.ms() - begun).isGreaterThan(TIMEOUT_MS);
    }
    assertThat(bench.world(0).read().halts()).hasSize(1);
  }

  /** A task that has committed batches 1 to 5, and is given 7 to 9. */
  private void findAGap(Function<TableCommit, CommitReply> reply) {
    bench.start().open(0);
    passUntil(this::isAllKnownToTheTask);
    answer(reply);
    bench.world(0).page(7, 9);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("C25: a halt whose record nobody can look for is made in the topic")
  void a_halt_is_recorded_in_the_topic_where_the_table_can_not_be_read(boolean passes) {
    findAGap(
        commit -> {
          bench.world(0).failLoads(unreadable(passes));
          return new CommitReply.Unknown(BUSY);
        });

    ConnectException failure = failureAfter(() -> {});

    assertThat(failure)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContaining("records are missing");
    assertThat(bench.world(0).read().halts()).hasSize(1);
  }

  private static LakeException unreadable(boolean passes) {
    return passes
        ? LakeException.passing("loading the table failed", null)
        : LakeException.lasting("loading the table is forbidden", null);
  }

  @Test
  @DisplayName("C25: a finding that neither place takes is told all the same, with what kept it")
  void a_finding_that_can_not_be_recorded_ends_the_task_with_it() {
    bench.start().open(0);
    passUntil(this::isAllKnownToTheTask);
    answer(commit -> Fault.FORBIDDEN.reply(bench, commit));
    bench.world(0).failPublishing(LakeException.lasting("the topic may not be written to", null));
    bench.world(0).page(7, 9);

    ConnectException failure = failureAfter(() -> {});

    assertThat(failure)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContainingAll(
            "records are missing", "could not be recorded", "the topic may not be written to");
    assertThat(SinkBench.metric(0, "Halted")).isEqualTo(1);
    assertThat(bench.world(0).read().halts()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"UNKNOWN", "NOT_SENT"})
  @DisplayName("C25: a finding that waits for a commit outlives that commit's failure")
  void a_finding_that_waits_for_a_commit_is_told_when_that_fails(Fault fault) {
    goOnTo9(commit -> fault.reply(bench, commit));
    passUntil(() -> !tries.isEmpty());
    bench.world(0).page(11, 12);

    ConnectException failure = failureAfter(() -> {});

    assertThat(failure)
        .hasMessageStartingWith("TULA-86")
        .hasMessageContainingAll("records are missing", "could not be recorded", fault.message);
  }

  @Test
  @DisplayName("C25: a finding is in the log before it is anywhere else")
  void a_finding_is_logged_before_it_is_recorded() {
    try (CapturedLines captured = new CapturedLines(PartitionWriter.class)) {
      bench.start().open(0);
      passUntil(this::isAllKnownToTheTask);
      bench.world(0).holdCommits();
      bench.world(0).page(7, 9);

      bench.pollUntil(
          "the finding in the log",
          () ->
              captured.lines().stream()
                  .anyMatch(line -> line.contains(FIRST + ": lake and stream disagree")));

      assertThat(captured.lines())
          .filteredOn(line -> line.contains("records are missing"))
          .hasSize(1);
      assertThat(bench.world(0).read().halts()).isEmpty();
    }
  }

  @Test
  @DisplayName("C22: tables that go together wait together, and go together again")
  void commits_of_one_transaction_wait_for_each_other() {
    bench.world(0).commitTogether();
    goOnTo9(commit -> new CommitReply.Unknown(BUSY));
    List<List<String>> transactions = bench.world(0).transactions();
    int before = transactions.size();
    int loads = bench.world(0).loads();
    passUntil(() -> transactions.size() == before + 1);
    List<String> tables = transactions.get(before);
    assertThat(tables).hasSizeGreaterThan(1);
    bench.pollUntil("looking", () -> bench.world(0).loads() == loads + tables.size());

    passUntil(() -> transactions.size() == before + 2);

    assertThat(transactions.get(before + 1)).isEqualTo(tables);
  }

  @Test
  void commits_that_were_reported_otherwise_than_they_ended_are_counted() {
    bench.world(0).misreport(3, 7);
    bench.start().open(0);

    passUntil(() -> count("WithheldDeletesTotal") > 0);

    assertThat(count("WithheldDeletesTotal")).isEqualTo(7);
    assertThat(count("CommitFalseFailuresTotal")).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(longs = {-HOUR_MS, HOUR_MS})
  @DisplayName("A clock that is set neither stops intervals nor hastens them")
  void a_clock_that_is_set_moves_no_interval(long byMs) {
    bench.start().open(0);
    passUntil(() -> bench.world(0).storedOffset() == bench.world(0).items().size());
    pass(INTERVAL_MS);
    bench.world(0).page(6, 6);
    bench.pollUntilWatermark(0, 6);
    int items = bench.world(0).items().size();
    time.setClock(byMs);
    bench.world(0).page(7, 9);
    bench.pollUntil("decoding", () -> count("DecodedGlobalBatchSeq") == 9);
    time.awaitLooks(2 * LOOKS, () -> false);
    bench.poll();
    assertThat(count("OpenRows")).as("no time has passed, and nothing is cut").isEqualTo(3 * 4);
    assertThat(bench.world(0).storedOffset()).isEqualTo(items);

    pass(INTERVAL_MS);

    bench.pollUntilWatermark(0, 9);
  }

  @ParameterizedTest
  @ValueSource(longs = {-HOUR_MS, HOUR_MS})
  @DisplayName("A clock that is set neither ends an outage's time nor makes it longer")
  void a_clock_that_is_set_moves_no_retry_and_no_limit(long byMs) {
    goOnTo9(commit -> Fault.NOT_SENT.reply(bench, commit));
    passUntil(() -> !tries.isEmpty());
    time.setClock(byMs);

    passUntil(() -> tries.values().stream().anyMatch(times -> times.size() > 1));
    assertThat(SinkBench.metric(0, "Running")).isEqualTo(1);
    bench.world(0).answerCommits((commit, carryOut) -> carryOut.get());

    passUntil(() -> bench.world(0).storedOffset() == bench.world(0).items().size());
  }
}
