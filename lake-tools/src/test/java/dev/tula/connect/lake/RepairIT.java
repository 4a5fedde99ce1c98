package dev.tula.connect.lake;

import static dev.tula.connect.lake.InterferingCatalog.Interference.before;
import static dev.tula.connect.lake.InterferingCatalog.Interference.losingReplies;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.TableState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Damage that others did to a lake of the sink's engine, put right from the ledger. */
class RepairIT extends PipelineCases {
  @BeforeEach
  void reset_the_ledger() {
    TestEngine.reset();
  }

  private String source(Map<String, String> overrides) {
    return pipeline.sourceFile(overrides);
  }

  private String[] arguments(String... more) {
    List<String> all =
        new ArrayList<>(List.of("--source-config", source(Map.of()), "--output", "json"));
    all.addAll(
        more.length > 1 && more[0].equals("--from")
            ? List.of()
            : List.of("--from", "0", "--to", "10"));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  private CliRun repair(String... more) {
    return pipeline.run("repair", arguments(more));
  }

  private void damage(String table, Function<List<Record>, List<Record>> change) {
    foreign(table).overwrite(change);
  }

  private static boolean at(Record row, long batch, int index) {
    return row.getField("global_batch_seq").equals(batch)
        && row.getField("array_index").equals(index);
  }

  private static List<Record> without(List<Record> rows, long batch, int index) {
    return rows.stream().filter(row -> !at(row, batch, index)).toList();
  }

  @Test
  void a_sound_lake_is_left_as_it_is_and_the_ledger_holds_nothing_for_it() {
    threeRanges();
    TableState before = state("transactions");

    CliRun run = repair().exits(ExitCode.OK);

    assertThat(run.table("transactions").path("rows_expected").asInt()).isEqualTo(30);
    assertThat(run.table("account_changes").path("rows_expected").asInt()).isEqualTo(5);
    assertThat(state("transactions")).isEqualTo(before);
    assertThat(TestEngine.requests()).hasSizeGreaterThan(3);
    assertThat(TestEngine.requests().stream().map(Message.Fetch::options))
        .noneMatch(options -> options.lease() || options.group())
        .allMatch(Message.FetchOptions::includeMetadata);
    repair("--dry-run").exits(ExitCode.OK);
  }

  @Test
  @DisplayName("I1: rows that were deleted are there again exactly once, and the writer goes on")
  void deleted_rows_are_put_back() {
    threeRanges();
    TableState before = state("transactions");
    damage("transactions", rows -> without(without(rows, 6, 1), 9, 0));
    pipeline.run("status").exits(ExitCode.FAIL);

    CliRun plan = repair("--dry-run").exits(ExitCode.FAIL);
    assertThat(plan.table("transactions").path("missing").asInt()).isEqualTo(2);
    assertThat(plan.table("transactions").path("ranges")).hasSize(2);
    assertThat(state("transactions")).isEqualTo(before);

    CliRun run = repair().exits(ExitCode.OK);

    assertThat(run.table("transactions").path("missing").asInt()).isEqualTo(2);
    assertThat(run.table("transactions").path("snapshot_id").asLong())
        .isEqualTo(pipeline.table("transactions").currentSnapshot().snapshotId());
    assertThat(run.table("account_changes").path("snapshot_id").isNull()).isTrue();
    assertThat(state("transactions")).isEqualTo(before.after(CommitKind.REPAIR));
    assertWhole();
    CliRun reconciled = pipeline.run("reconcile", "--output", "json").exits(ExitCode.OK);
    assertThat(reconciled.table("transactions").path("repaired_ranges").asInt()).isEqualTo(2);
    assertThat(pipeline.open(0).commitTo(12).watermark()).isEqualTo(Position.batchEnd(12));
    assertWhole();
  }

  @Test
  void a_file_that_was_taken_out_is_made_up_for() {
    threeRanges();
    ForeignEngine foreign = foreign("transactions");
    foreign.dropFile(foreign.files().get(1));

    CliRun run = repair().exits(ExitCode.OK);

    assertThat(run.table("transactions").path("missing").asInt()).isEqualTo(9);
    assertWhole();
  }

  @Test
  @DisplayName("I1: doubled rows are there once again")
  void doubled_rows_are_taken_out() {
    threeRanges();
    damage(
        "transactions",
        rows -> {
          List<Record> more = new ArrayList<>(rows);
          rows.stream().filter(row -> at(row, 6, 1) || at(row, 2, 0)).forEach(more::add);
          return more;
        });

    CliRun run = repair().exits(ExitCode.OK);

    assertThat(run.table("transactions").path("doubled").asInt()).isEqualTo(2);
    assertWhole();
  }

  @Test
  void altered_rows_and_rows_that_nobody_wrote_are_replaced_and_taken_out() {
    threeRanges();
    damage(
        "transactions",
        rows -> {
          List<Record> changed = new ArrayList<>(rows);
          Record unexpected = rows.get(0).copy();
          unexpected.setField("global_batch_seq", 5L);
          unexpected.setField("array_index", 77);
          changed.add(unexpected);
          for (Record row : rows) {
            if (at(row, 6, 1)) {
              row.setField("amount", BigDecimal.ONE);
            } else if (at(row, 9, 2)) {
              row.setField("transfer_id", "no hex digits");
            }
          }
          return changed;
        });
    damage("account_changes", rows -> without(rows, 4, 3));

    CliRun run = repair().exits(ExitCode.OK);

    JsonNode transactions = run.table("transactions");
    assertThat(transactions.path("altered").asInt()).isEqualTo(2);
    assertThat(transactions.path("unexpected").asInt()).isEqualTo(1);
    assertThat(transactions.path("missing").asInt()).isZero();
    assertThat(run.table("account_changes").path("missing").asInt()).isEqualTo(1);
    assertWhole();
    assertThat(
            pipeline
                .run("repair", "--source-config", source(Map.of()), "--from", "0", "--to", "10")
                .exits(ExitCode.OK)
                .out())
        .contains("Every row is there exactly once, as the ledger has it.");
  }

  @Test
  void a_halted_pipeline_goes_on_after_repair_and_clear() {
    TestWriter writer = threeRanges();
    damage("transactions", rows -> without(rows, 6, 1));
    writer.commitTo(12);
    assertThat(writer.stopped()).isPresent();
    pipeline.run("status").exits(ExitCode.HALTED);

    repair().exits(ExitCode.OK);
    pipeline.run("clear-durability-halt", "--confirm").exits(ExitCode.OK);

    assertThat(pipeline.open(0).commitTo(12).watermark()).isEqualTo(Position.batchEnd(12));
    assertWhole();
  }

  @Test
  void damage_outside_of_the_named_range_is_not_guessed_at() {
    threeRanges();
    damage("transactions", rows -> without(without(rows, 6, 1), 9, 0));
    TableState before = state("transactions");

    CliRun run = repair("--from", "4", "--to", "7").exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("would have 29 rows after this repair, and its state says 30", "wider");
    assertThat(state("transactions")).isEqualTo(before);
    repair("--from", "4", "--to", "10").exits(ExitCode.OK);
    assertWhole();
  }

  @Test
  @DisplayName("I6: what the ledger has and was never committed is not written")
  void a_ledger_that_tells_another_story_changes_nothing() {
    threeRanges();
    damage("transactions", rows -> without(rows, 6, 1));
    TestEngine.withHistory(
        rows -> rows.get(0).globalBatchSeq() == 6 ? rows.subList(1, rows.size()) : rows);
    TableState before = state("transactions");

    CliRun run = repair().exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("the range (4:2147483647, 7:2147483647] would have digest", "was committed");
    assertThat(state("transactions")).isEqualTo(before);
  }

  @Test
  @DisplayName("I1: what a bootstrap seeded is put back, and what lay before it stays out")
  void the_rows_of_a_bootstrap_are_put_right_from_the_state() {
    pipeline.open(0).bootstrap(6).commitTo(8).commitTo(10);
    TestEngine.withFloor(Position.batchEnd(6));
    repair().exits(ExitCode.OK);
    damage(
        "account_changes",
        rows -> {
          List<Record> left = new ArrayList<>(without(rows, 6, Position.FIRST_SEEDED_INDEX + 2));
          left.stream()
              .filter(row -> at(row, 6, Position.FIRST_SEEDED_INDEX))
              .forEach(row -> row.setField("origin", "stream"));
          return left;
        });
    damage("transactions", rows -> without(rows, 8, 1));

    CliRun run = repair().exits(ExitCode.OK);

    JsonNode accounts = run.table("account_changes");
    assertThat(accounts.path("missing").asInt()).isEqualTo(1);
    assertThat(accounts.path("altered").asInt()).isEqualTo(1);
    assertThat(run.table("transactions").path("missing").asInt()).isEqualTo(1);
    assertThat(run.table("transactions").path("rows_expected").asInt()).isEqualTo(4 * 3);
    assertWhole();
    TestEngine.withFloor(Position.batchEnd(7));
    assertThat(repair().exits(87).err()).contains("TULA-87");
    repair("--from", "7", "--to", "10").exits(ExitCode.OK);
  }

  /** A change that no count shows, so that the writer does not stop for it. */
  private void alterOne() {
    damage(
        "transactions",
        rows -> {
          rows.stream()
              .filter(row -> at(row, 6, 1))
              .forEach(row -> row.setField("outcome", "reserved"));
          return rows;
        });
  }

  @Test
  @DisplayName("C14: a live writer that commits in between is neither fenced nor lost")
  void a_range_that_is_committed_in_between_stays() {
    TestWriter writer = threeRanges();
    alterOne();

    pipeline
        .runWith(before("transactions", () -> writer.commitTo(12)), "repair", arguments())
        .exits(ExitCode.OK);

    assertThat(writer.commitTo(13).stopped()).isEmpty();
    assertWhole();
  }

  @Test
  @DisplayName("C28: after a newer claim what was written may be deleted, so it is not committed")
  void a_claim_in_between_ends_the_repair() {
    threeRanges();
    alterOne();

    CliRun run =
        pipeline
            .runWith(before("transactions", () -> pipeline.open(0)), "repair", arguments())
            .exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("a writer claimed table");
    repair().exits(ExitCode.OK);
    assertWhole();
  }

  @Test
  @DisplayName("C17: a repair that landed and was reported as unknown has landed, once")
  void an_unknown_commit_that_landed_is_taken_for_what_it_is() {
    threeRanges();
    damage("transactions", rows -> without(rows, 6, 1));

    pipeline.runWith(losingReplies(), "repair", arguments()).exits(ExitCode.OK);

    assertWhole();
  }

  @Test
  void what_the_ledger_no_longer_has_is_87() {
    threeRanges();
    TestEngine.withFloor(Position.batchEnd(5));

    assertThat(repair().exits(87).err()).contains("TULA-87");
    repair("--from", "5", "--to", "10").exits(ExitCode.OK);
  }

  @Test
  void another_stream_and_changed_records_are_refused() {
    threeRanges();
    String[] range = {"--from", "0", "--to", "10"};

    assertThat(run(Map.of("tula.pipeline", "other"), range).exits(ExitCode.IDENTITY).err())
        .contains("describes", "other");
    assertThat(run(Map.of("transforms", "mask"), range).exits(ExitCode.ERROR).err())
        .contains("the source has transforms=mask");
    assertThat(run(Map.of("tula.page.max.records", "0"), range).exits(ExitCode.ERROR).err())
        .contains("is no configuration of the source", "tula.page.max.records");
    assertThat(repair("--from", "0", "--to", "11").exits(ExitCode.ERROR).err())
        .contains("--to 11:2147483647 is above the watermark");
    repair("--from", "4", "--to", "4").exits(ExitCode.USAGE);
    pipeline.run("repair", range).exits(ExitCode.USAGE);
  }

  private CliRun run(Map<String, String> overrides, String... range) {
    List<String> all = new ArrayList<>(List.of("--source-config", source(overrides)));
    all.addAll(Arrays.asList(range));
    return pipeline.run("repair", all.toArray(String[]::new));
  }

  @Test
  void only_the_named_partition_is_read_and_repaired() {
    try (TestPipeline two = TestPipeline.in(folder.resolve("two"), 2, Map.of())) {
      two.open(0).start().commitTo(4).commitTo(9);
      two.open(1).start().commitTo(5).commitTo(9);
      new ForeignEngine(two.table("transactions_p1")).overwrite(rows -> without(rows, 7, 2));
      Map<String, String> overrides =
          Map.of(
              "tula.pipeline",
              two.name,
              "tula.partition.count",
              "2",
              "tula.topic",
              two.name + ".data");

      two.run(
              "repair",
              "--source-config",
              source(overrides),
              "--from",
              "0",
              "--to",
              "9",
              "--partition",
              "1")
          .exits(ExitCode.OK);

      assertThat(TestEngine.requests()).allMatch(request -> request.partition() == 1);
      two.run("verify").exits(ExitCode.OK);
    }
  }
}
