package dev.tula.connect.lake;

import static dev.tula.connect.lake.InterferingCatalog.Interference.before;
import static dev.tula.connect.lake.InterferingCatalog.Interference.losingCommits;
import static dev.tula.connect.lake.InterferingCatalog.Interference.losingReplies;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.TableState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Files rewritten beside the sink's engine, and beside others. */
class CompactIT extends PipelineCases {
  /** Four ranges: batches 1 to 4, 5 to 7, 8 to 10, 11 to 12. */
  private TestWriter fourRanges() {
    return pipeline.open(0).start().commitTo(4).commitTo(7).commitTo(10).commitTo(12);
  }

  private static final String[] TO_TEN = {
    "--from", "0", "--to", "10:2147483647", "--execute", "--output", "json"
  };

  private CliRun compact() {
    return pipeline.run("compact", TO_TEN);
  }

  private List<Long> rowsByFile(String table) {
    return foreign(table).files().stream()
        .sorted(Comparator.comparing(DataFile::fileSequenceNumber))
        .map(DataFile::recordCount)
        .toList();
  }

  /** In the order that the files have them. */
  private List<String> positions(String name) {
    Table table = pipeline.table(name);
    List<String> positions = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      records.forEach(
          row ->
              positions.add(row.getField("global_batch_seq") + ":" + row.getField("array_index")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return positions;
  }

  @Test
  void without_execute_it_shows_what_it_would_do_and_changes_nothing() {
    fourRanges();
    List<Path> files = pipeline.files();

    CliRun run =
        pipeline.run("compact", "--from", "0", "--to", "10", "--output", "json").exits(ExitCode.OK);

    JsonNode transactions = run.table("transactions");
    assertThat(transactions.path("files").asInt()).isEqualTo(4);
    assertThat(transactions.path("rewritten_files").asInt()).isEqualTo(3);
    assertThat(transactions.path("written_files").asInt()).isEqualTo(1);
    assertThat(transactions.path("rewritten_rows").asInt()).isEqualTo(30);
    assertThat(transactions.has("before")).isFalse();
    assertThat(pipeline.files()).isEqualTo(files);
    assertThat(pipeline.run("compact", "--from", "0", "--to", "10").out())
        .contains("Would rewrite 6 files with 35 rows into 2.", "do it with --execute");
  }

  @Test
  @DisplayName("C7, C14, I8: files become fewer; rows, order, state and digests stay")
  void small_files_of_the_cold_range_become_one() {
    TestWriter writer = fourRanges();
    TableState before = state("transactions");

    CliRun run = compact().exits(ExitCode.OK);

    JsonNode transactions = run.table("transactions");
    assertThat(transactions.path("before").path("rows").asInt()).isEqualTo(30);
    assertThat(transactions.path("before").path("amount_sum").asText())
        .isEqualTo(TestRows.amountsTo(10).toString());
    assertThat(transactions.path("after")).isEqualTo(transactions.path("before"));
    assertThat(rowsByFile("transactions")).containsExactly(6L, 30L);
    assertThat(rowsByFile("account_changes")).containsExactly(1L, 5L);
    assertThat(positions("account_changes"))
        .containsExactlyInAnyOrder("2:3", "4:3", "6:3", "8:3", "10:3", "12:3")
        .containsSubsequence("2:3", "4:3", "6:3", "8:3", "10:3");
    Table table = pipeline.table("transactions");
    assertThat(table.currentSnapshot().operation()).isEqualTo("replace");
    assertThat(table.currentSnapshot().summary()).containsEntry("tula.commit", "compact");
    assertThat(state("transactions")).isEqualTo(before.after(CommitKind.COMPACT));
    assertWhole();
    writer.commitTo(14);
    assertThat(writer.stopped()).isEmpty();
    assertThat(pipeline.open(0).commitTo(15).watermark()).isEqualTo(Position.batchEnd(15));
    assertWhole();
  }

  @Test
  void a_second_run_finds_nothing_to_do() {
    fourRanges();
    compact().exits(ExitCode.OK);
    TableState after = state("transactions");

    CliRun run = compact().exits(ExitCode.OK);

    assertThat(run.table("transactions").path("rewritten_files").asInt()).isZero();
    assertThat(state("transactions")).isEqualTo(after);
  }

  @Test
  void what_was_replaced_goes_with_the_next_cleanup() {
    TestWriter writer = fourRanges();
    List<Path> old =
        foreign("transactions").files().subList(0, 3).stream()
            .map(file -> Path.of(URI.create(file.location())))
            .toList();
    compact().exits(ExitCode.OK);
    writer.commitTo(14);

    pipeline.run("cleanup", "--older-than", "0s", "--keep", "1", "--execute").exits(ExitCode.OK);

    assertThat(old).allSatisfy(file -> assertThat(file).doesNotExist());
    assertThat(rowsByFile("transactions")).containsExactly(6L, 30L, 6L);
    assertWhole();
  }

  @Test
  @DisplayName("I2: nothing above the watermark is touched")
  void a_range_above_the_watermark_is_refused() {
    fourRanges();

    assertThat(
            pipeline
                .run("compact", "--from", "0", "--to", "13", "--execute")
                .exits(ExitCode.ERROR)
                .err())
        .contains("--to 13:2147483647 is above the watermark of partition 0, 12:2147483647");
    assertThat(rowsByFile("transactions")).hasSize(4);
  }

  @Test
  void large_files_stay_and_part_their_neighbours() {
    fourRanges();
    foreign("transactions").scatter(2);

    CliRun run =
        pipeline
            .run("compact", "--from", "4", "--to", "10", "--execute", "--output", "json")
            .exits(ExitCode.OK);

    assertThat(run.table("transactions").path("rewritten_files").asInt())
        .as("files that reach out of the range")
        .isZero();
    assertThat(run.table("account_changes").path("rewritten_files").asInt()).isEqualTo(2);
    assertWhole();
  }

  @Test
  void files_that_another_engine_wrote_in_no_order_stay_as_they_are() {
    fourRanges();
    foreign("transactions").scatter(3);

    CliRun run =
        pipeline
            .run("compact", "--from", "0", "--to", "12", "--execute", "--output", "json")
            .exits(ExitCode.OK);

    assertThat(run.table("transactions").path("notes").get(0).asText())
        .contains("3 files were left as they are", "is not in the order of positions");
    assertThat(rowsByFile("transactions")).hasSize(3);
    assertWhole();
  }

  @Test
  @DisplayName("I1: rows that another engine's delete files hide are not brought back")
  void a_table_with_delete_files_is_refused_and_the_others_are_compacted() {
    fourRanges();
    foreign("transactions").updateOneRow(ForeignEngine.Delete.BY_POSITION);
    List<Position> rows = foreign("transactions").positions();

    CliRun plan =
        pipeline
            .run("compact", "--from", "0", "--to", "10", "--output", "json")
            .exits(ExitCode.FAIL);
    CliRun run = compact().exits(ExitCode.FAIL);

    for (CliRun each : List.of(plan, run)) {
      assertThat(each.table("transactions").path("problem").asText())
          .contains("table transactions has delete files", "Let that engine rewrite its files");
    }
    assertThat(foreign("transactions").positions()).isEqualTo(rows).doesNotHaveDuplicates();
    assertThat(run.table("account_changes").path("rewritten_files").asInt()).isEqualTo(3);
  }

  private CliRun compactWith(InterferingCatalog.Interference interference) {
    return pipeline.runWith(interference, "compact", TO_TEN);
  }

  @Test
  @DisplayName("C14: a live writer that commits in between is neither fenced nor lost")
  void a_range_that_is_committed_in_between_stays() {
    TestWriter writer = fourRanges();

    compactWith(before("transactions", () -> writer.commitTo(14))).exits(ExitCode.OK);

    assertThat(rowsByFile("transactions")).containsExactlyInAnyOrder(6L, 6L, 30L);
    assertThat(writer.commitTo(15).stopped()).isEmpty();
    assertWhole();
  }

  @Test
  @DisplayName("C28: after a newer claim what was written may be deleted, so it is not committed")
  void a_claim_in_between_ends_the_compaction_of_that_table() {
    fourRanges();
    List<TestWriter> second = new ArrayList<>();

    CliRun run =
        compactWith(before("transactions", () -> second.add(pipeline.open(0))))
            .exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("a writer claimed table", "Run the command again");
    assertThat(run.table("account_changes").path("rewritten_files").asInt()).isEqualTo(3);
    assertThat(rowsByFile("transactions")).containsExactly(12L, 9L, 9L, 6L);
    assertThat(second.get(0).commitTo(14).stopped()).isEmpty();
    pipeline.age(Duration.ofDays(4));
    CliRun cleanup =
        pipeline.run("cleanup", "--orphans", "--execute", "--output", "json").exits(ExitCode.OK);
    assertThat(cleanup.table("transactions").path("orphans").asInt()).isPositive();
    assertWhole();
    compact().exits(ExitCode.OK);
    assertThat(rowsByFile("transactions")).containsExactly(6L, 6L, 30L);
    assertWhole();
  }

  @Test
  void a_foreign_compaction_in_between_is_not_undone() {
    fourRanges();

    CliRun run =
        compactWith(before("transactions", () -> foreign("transactions").compact(row -> row)))
            .exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("somebody else rewrote");
    assertThat(rowsByFile("transactions")).containsExactly(36L);
    assertWhole();
  }

  @Test
  @DisplayName("C17: an exchange that landed and was reported as unknown has landed")
  void an_unknown_commit_that_landed_is_taken_for_what_it_is() {
    fourRanges();

    compactWith(losingReplies()).exits(ExitCode.OK);

    assertThat(rowsByFile("transactions")).containsExactly(6L, 30L);
    assertWhole();
  }

  @Test
  void a_commit_that_nobody_takes_ends_after_a_bound_and_changes_nothing() {
    fourRanges();
    TableState before = state("transactions");

    CliRun run = compactWith(losingCommits()).exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("changed under each of");
    assertThat(state("transactions")).isEqualTo(before);
    assertWhole();
  }

  @Test
  @DisplayName("C29: a pinned snapshot keeps its files, rewritten or not")
  void a_pinned_snapshot_can_still_be_read() {
    TestWriter writer = fourRanges();
    Table table = pipeline.table("transactions");
    long tagged = table.currentSnapshot().snapshotId();
    table.manageSnapshots().createTag("audit", tagged).commit();
    compact().exits(ExitCode.OK);
    writer.commitTo(14);
    pipeline.run("cleanup", "--older-than", "0s", "--keep", "1", "--execute").exits(ExitCode.OK);

    table.refresh();
    List<Record> rows = new ArrayList<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table).useSnapshot(tagged).build()) {
      records.forEach(rows::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(rows).hasSize(36);
    assertWhole();
  }

  @Test
  void a_halted_partition_is_left_alone() {
    fourRanges().halt(HaltReason.GAP, "records 13 to 14 are missing");

    CliRun run = compact().exits(ExitCode.HALTED);

    assertThat(run.json().path("left_alone").get(0).asText()).contains("records 13 to 14");
    assertThat(rowsByFile("transactions")).hasSize(4);
  }

  @Test
  void values_that_can_not_be_are_wrong_usage() {
    for (String[] wrong :
        new String[][] {
          {},
          {"--from", "0"},
          {"--from", "4", "--to", "4"},
          {"--from", "x", "--to", "4"},
          {"--from", "0", "--to", "4", "--target-file-size", "1k"},
          {"--from", "0", "--to", "4", "--target-file-size", "big"}
        }) {
      pipeline.run("compact", wrong).exits(ExitCode.USAGE);
    }
  }

  @Test
  void compacting_beside_a_live_writer_harms_neither() throws Exception {
    TestWriter writer = pipeline.open(0).start().commitTo(5).commitTo(10);
    Thread committing =
        new Thread(
            () -> {
              for (long to = 11; to <= 40; to++) {
                writer.commitTo(to);
              }
            });
    committing.start();
    compact().exits(ExitCode.OK);
    committing.join();

    assertThat(writer.stopped()).isEmpty();
    assertThat(writer.watermark()).isEqualTo(Position.batchEnd(40));
    pipeline.run("compact", "--from", "0", "--to", "40", "--execute").exits(ExitCode.OK);
    assertThat(rowsByFile("transactions")).containsExactly(120L);
    assertWhole();
  }
}
