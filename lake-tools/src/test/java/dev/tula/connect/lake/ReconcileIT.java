package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.HaltReason;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.Test;

/** The commit log against lakes that the sink's engine wrote, and that others changed. */
class ReconcileIT extends PipelineCases {
  private static final Predicate<Effect> PUBLISHING = effect -> effect instanceof Effect.Publish;
  private static final Predicate<Effect> COMMITTING_WATERMARK =
      effect ->
          effect instanceof Effect.Commit commit
              && commit.commit().next().commit() == CommitKind.WATERMARK;

  private final List<LakeEvent> published = new ArrayList<>();

  @Override
  TestWriter threeRanges() {
    return pipeline
        .open(0)
        .publishing(
            events -> {
              published.addAll(events);
              return events;
            })
        .start()
        .commitTo(4)
        .commitTo(7)
        .commitTo(10);
  }

  private CliRun passes() {
    CliRun run = pipeline.run("reconcile", "--output", "json").exits(ExitCode.OK);
    assertThat(run.json().path("verdict").asText()).isEqualTo("PASS");
    assertThat(run.json().path("differences")).isEmpty();
    return run;
  }

  private List<String> fails() {
    CliRun run = pipeline.run("reconcile", "--output", "json").exits(ExitCode.FAIL);
    assertThat(run.json().path("verdict").asText()).isEqualTo("FAIL");
    List<String> differences = new ArrayList<>();
    run.json().path("differences").forEach(what -> differences.add(what.asText()));
    return differences;
  }

  @Test
  void a_lake_that_holds_what_was_committed_passes() {
    threeRanges();

    CliRun run = passes();

    assertThat(run.json().path("rows").asLong()).isEqualTo(35);
    JsonNode transactions = run.table("transactions");
    assertThat(transactions.path("ranges").asInt()).isEqualTo(3);
    for (String place : List.of("logged", "stated", "found")) {
      assertThat(transactions.path(place).path("rows").asLong()).as(place).isEqualTo(30);
      assertThat(transactions.path(place).path("amount_sum").asText())
          .as(place)
          .isEqualTo(TestRows.amountsTo(10).toString());
    }
    JsonNode accounts = run.table("account_changes");
    assertThat(accounts.path("found").path("rows").asLong()).isEqualTo(5);
    assertThat(accounts.path("found").has("amount_sum")).isFalse();
  }

  @Test
  void the_answer_for_people_ends_with_the_verdict() {
    threeRanges();

    CliRun run = pipeline.run("reconcile").exits(ExitCode.OK);

    assertThat(run.out())
        .contains("partition 0, watermark 10:2147483647")
        .containsPattern("transactions +3 +30 +30 +165,030 +165,030 +ok")
        .endsWith("PASS: 6 tables with 35 rows agree with the commit log" + System.lineSeparator());
    assertThat(run.err()).isEmpty();
  }

  @Test
  void several_partitions_are_each_held_against_their_own_log() {
    try (TestPipeline two = TestPipeline.in(folder.resolve("two"), 2, Map.of())) {
      two.open(0).start().commitTo(4).commitTo(9);
      two.open(1).start().commitTo(5);

      CliRun run = two.run("reconcile", "--output", "csv").exits(ExitCode.OK);
      assertThat(run.out().lines()).hasSize(1 + 2 * 6);
      assertThat(run.out())
          .contains("\n0,transactions,transactions_p0,2,0,12,12,12,60012,60012,60012,true,");
      assertThat(run.out())
          .contains("\n1,transactions,transactions_p1,1,0,9,9,9,27009,27009,27009,true,");

      new ForeignEngine(two.table("transactions_p1"))
          .overwrite(rows -> rows.subList(1, rows.size()));
      two.run("reconcile", "--partition", "0").exits(ExitCode.OK);
      two.run("reconcile", "--partition", "1").exits(ExitCode.FAIL);
    }
  }

  @Test
  void expired_snapshots_change_nothing() {
    threeRanges();
    for (String name : List.of("transactions", "account_changes", "watermark")) {
      Table table = pipeline.table(name);
      table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
      assertThat(table.snapshots()).hasSize(1);
    }

    passes();
  }

  /** C7: a compaction keeps all three witnesses. */
  @Test
  void a_compacted_table_passes_after_its_history_is_gone() {
    threeRanges();
    foreign("transactions").compact(row -> row);
    pipeline
        .table("transactions")
        .expireSnapshots()
        .expireOlderThan(Long.MAX_VALUE)
        .retainLast(1)
        .commit();

    assertThat(passes().table("transactions").path("found").path("rows").asLong()).isEqualTo(30);
  }

  @Test
  void a_deleted_row_fails_and_its_range_is_named() {
    threeRanges();
    foreign("transactions")
        .overwrite(
            rows ->
                rows.stream()
                    .filter(row -> !(at(row, 6) && row.getField("array_index").equals(1)))
                    .toList());

    assertThat(fails())
        .anyMatch(
            what -> what.contains("table transactions: it has 29 rows where its state says 30"))
        .contains(
            "partition 0: table transactions: the table has 29 rows with amounts of 159029, and the"
                + " commit log adds up to 30 rows with amounts of 165030",
            "partition 0: table transactions: in the range (4:2147483647, 7:2147483647] the table"
                + " has 8 rows with amounts of 48008, and the commit log says 9 rows with amounts"
                + " of 54009");
  }

  private static boolean at(Record row, long batch) {
    return row.getField("global_batch_seq").equals(batch);
  }

  /** A tool that rewrites files can change values and leave every count as it was. */
  @Test
  void an_altered_amount_fails_though_every_count_is_right() {
    threeRanges();
    foreign("transactions")
        .compact(
            row -> {
              if (at(row, 9)) {
                row.setField("amount", BigDecimal.ONE);
              }
              return row;
            });

    assertThat(fails())
        .containsExactly(
            "partition 0: table transactions: the table has 30 rows with amounts of 138030, and the"
                + " commit log adds up to 30 rows with amounts of 165030",
            "partition 0: table transactions: in the range (7:2147483647, 10:2147483647] the table"
                + " has 9 rows with amounts of 54009, and the commit log says 9 rows with amounts"
                + " of 81009");
  }

  @Test
  void a_row_moved_to_another_range_fails_though_the_totals_are_right() {
    threeRanges();
    foreign("account_changes")
        .compact(
            row -> {
              if (at(row, 2)) {
                row.setField("global_batch_seq", 6L);
              }
              return row;
            });

    assertThat(fails())
        .containsExactly(
            "partition 0: table account_changes: in the range (0:2147483647, 4:2147483647] the"
                + " table has 1 rows, and the commit log says 2 rows",
            "partition 0: table account_changes: in the range (4:2147483647, 7:2147483647] the"
                + " table has 2 rows, and the commit log says 1 rows");
  }

  @Test
  void a_row_beyond_every_range_fails() {
    threeRanges();
    foreign("transactions")
        .compact(
            row -> {
              if (at(row, 10)) {
                row.setField("global_batch_seq", 99L);
              }
              return row;
            });

    assertThat(fails())
        .anyMatch(what -> what.endsWith("3 of its rows lie in no range of the commit log"));
  }

  @Test
  void a_file_taken_out_of_the_table_fails() {
    threeRanges();
    ForeignEngine foreign = foreign("transactions");
    foreign.dropFile(foreign.files().get(1));

    assertThat(fails())
        .anyMatch(
            what -> what.contains("table transactions: it has 21 rows where its state says 30"))
        .anyMatch(
            what ->
                what.contains("the table has 0 rows with amounts of 0, and the commit log says 9"));
  }

  @Test
  void a_file_that_is_gone_from_storage_fails_by_its_name() throws Exception {
    threeRanges();
    DataFile file = foreign("transactions").files().get(0);
    Files.delete(Path.of(URI.create(file.location())));

    assertThat(fails())
        .singleElement()
        .asString()
        .contains(
            "table transactions: its snapshot",
            "lists a file that can't be read",
            Path.of(URI.create(file.location())).toString());
  }

  @Test
  void a_file_that_was_overwritten_with_something_else_fails() throws Exception {
    threeRanges();
    DataFile file = foreign("account_changes").files().get(0);
    Files.writeString(Path.of(URI.create(file.location())), "no parquet at all".repeat(100));

    assertThat(fails())
        .singleElement()
        .asString()
        .contains("table account_changes: its snapshot", "lists a file that can't be read");
  }

  /**
   * C19: a crash between a table's commit and its event. The range is above W and in no log yet.
   */
  @Test
  void a_range_that_is_not_published_yet_is_counted_by_the_tables_state() {
    threeRanges().crashingBefore(PUBLISHING).commitTo(12);

    CliRun run = passes();

    assertThat(run.table("transactions").path("unpublished_range").asBoolean()).isTrue();
    assertThat(run.table("transactions").path("found").path("rows").asLong()).isEqualTo(36);
  }

  @Test
  void a_range_above_the_watermark_that_is_published_passes() {
    threeRanges().crashingBefore(COMMITTING_WATERMARK).commitTo(12);

    CliRun run = passes();

    assertThat(run.table("transactions").path("unpublished_range").asBoolean()).isFalse();
    assertThat(run.table("transactions").path("logged").path("rows").asLong()).isEqualTo(36);
  }

  /** C9: recovery publishes the event of a range again that it finds above W. */
  @Test
  void events_published_again_by_a_newer_writer_pass() {
    threeRanges().crashingBefore(COMMITTING_WATERMARK).commitTo(12);
    pipeline.open(0).commitTo(12).commitTo(13);

    assertThat(passes().table("transactions").path("ranges").asInt()).isEqualTo(5);
  }

  /** A writer that was overtaken may still publish what it had committed. */
  @Test
  void an_old_event_that_comes_late_passes() {
    threeRanges();
    pipeline.publish(event("transactions", 4));

    passes();
  }

  private TableEvent event(String table, long to) {
    return published.stream()
        .filter(TableEvent.class::isInstance)
        .map(TableEvent.class::cast)
        .filter(event -> event.table().equals(table) && event.to().equals(Position.batchEnd(to)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void an_event_that_is_missing_from_the_log_fails() {
    pipeline
        .open(0)
        .start()
        .commitTo(4)
        .publishing(events -> List.of())
        .commitTo(7)
        .publishing(events -> events)
        .commitTo(10);

    assertThat(fails())
        .anyMatch(
            what ->
                what.contains(
                    "table transactions: the commit log has nothing between 4:2147483647 and"
                        + " 7:2147483647, where it goes on with 1 more ranges"))
        .anyMatch(
            what ->
                what.contains(
                    "committed the range (4:2147483647, 7:2147483647], which the commit log does"
                        + " not have"));
  }

  @Test
  void an_event_that_was_altered_fails() {
    threeRanges();
    TableEvent event = event("transactions", 7);
    pipeline.publish(
        new TableEvent(
            event.identity(),
            event.table(),
            event.uuid(),
            event.from(),
            event.to(),
            event.digest(),
            event.chain(),
            event.rows() + 1,
            event.amountSum().map(sum -> sum.add(BigInteger.ONE)),
            event.totalRows(),
            event.snapshotId(),
            event.epoch(),
            event.claim()));

    assertThat(fails())
        .anyMatch(what -> what.contains("two different events that end the range at 7:2147483647"));
  }

  @Test
  void a_digest_that_was_altered_before_compaction_breaks_the_chain() {
    pipeline
        .open(0)
        .start()
        .publishing(events -> events.stream().map(ReconcileIT::withOtherDigest).toList())
        .commitTo(4)
        .publishing(events -> events)
        .commitTo(7);

    assertThat(fails())
        .anyMatch(
            what ->
                what.contains(
                    "table transactions: the chain over the commit log's digests up to 4:2147483647"
                        + " is"))
        .anyMatch(what -> what.contains("in snapshot"))
        .anyMatch(
            what ->
                what.contains("table transactions: the chain over the commit log's digests is")
                    && what.contains("and the table's is"));
  }

  private static LakeEvent withOtherDigest(LakeEvent event) {
    return event instanceof TableEvent table
        ? new TableEvent(
            table.identity(),
            table.table(),
            table.uuid(),
            table.from(),
            table.to(),
            "ab".repeat(32),
            table.chain(),
            table.rows(),
            table.amountSum(),
            table.totalRows(),
            table.snapshotId(),
            table.epoch(),
            table.claim())
        : event;
  }

  @Test
  void a_record_in_the_commits_topic_that_is_no_event_fails() {
    threeRanges();
    TestRecords.send(pipeline.config.commitsTopic(), 0, "{\"v\":1,\"type\":\"other\"}");

    assertThat(fails())
        .singleElement()
        .asString()
        .contains("holds 1 records that are no events of ours");
  }

  @Test
  void a_dropped_table_fails() {
    threeRanges();
    pipeline.catalog.dropTable(pipeline.identifier("account_changes"), false);

    assertThat(fails()).containsExactly("partition 0: table account_changes is missing");
  }

  /** Without a watermark nothing says that anything is right. */
  @Test
  void a_pipeline_that_was_never_opened_fails() {
    assertThat(fails())
        .containsExactly(
            "partition 0: no watermark was published yet, so there is nothing to hold against it");
  }

  /** C8: ranges that were set back and committed anew, cut differently. */
  @Test
  void a_lake_that_was_set_back_and_accepted_passes() {
    TestWriter writer = pipeline.open(0).start().commitTo(4);
    Map<String, String> backup = pipeline.backup(pipeline.allTables());
    writer.commitTo(7).commitTo(10);
    pipeline.restore(backup);
    assertThat(pipeline.open(0).stopped()).isPresent();
    pipeline.run("clear-durability-halt", "--confirm", "--accept-rewind").exits(ExitCode.OK);
    pipeline.open(0).commitTo(6).commitTo(9).commitTo(12);

    CliRun run = passes();

    assertThat(run.table("transactions").path("ranges").asInt()).isEqualTo(4);
    assertThat(run.table("transactions").path("found").path("rows").asLong()).isEqualTo(36);
  }

  @Test
  void a_log_that_goes_back_without_an_accepted_rewind_fails() {
    threeRanges();
    TableEvent event = event("transactions", 10);
    pipeline.publish(
        new TableEvent(
            event.identity(),
            event.table(),
            event.uuid(),
            Position.batchEnd(7),
            Position.batchEnd(9),
            event.digest(),
            event.chain(),
            6,
            Optional.of(BigInteger.TEN),
            27,
            event.snapshotId(),
            event.epoch() + 1,
            event.claim() + 1));

    assertThat(fails())
        .anyMatch(
            what ->
                what.contains("the commit log goes back from 10:2147483647 to 7:2147483647")
                    && what.contains("nobody accepted"));
  }

  @Test
  void a_halt_in_force_is_noted_and_does_not_decide() {
    threeRanges().halt(HaltReason.GAP, "records 5 to 7 are missing");

    CliRun run = pipeline.run("reconcile").exits(ExitCode.OK);

    assertThat(run.err()).contains("is in force in partition 0: records 5 to 7 are missing.");
  }

  @Test
  void reading_while_the_sink_commits_passes() throws Exception {
    TestWriter writer = pipeline.open(0).start().commitTo(1);
    Thread committing =
        new Thread(
            () -> Stream.iterate(2L, to -> to <= 30, to -> to + 1).forEach(writer::commitTo));
    committing.start();
    try {
      for (int i = 0; i < 3; i++) {
        passes();
      }
    } finally {
      committing.join();
    }
    assertThat(writer.watermark()).isEqualTo(Position.batchEnd(30));
    assertThat(passes().table("transactions").path("found").path("rows").asLong()).isEqualTo(90);
  }
}
