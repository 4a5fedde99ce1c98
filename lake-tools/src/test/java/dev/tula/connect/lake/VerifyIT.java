package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.event.RepairEvent;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.HaltReason;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.iceberg.data.Record;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Digests and chains of lakes that the sink's engine wrote, recomputed from their rows. */
class VerifyIT extends PipelineCases {
  private static final Predicate<Effect> PUBLISHING = effect -> effect instanceof Effect.Publish;

  /** Rewrites a table with one thing changed in the rows of one batch. */
  private void alter(String table, long batch, Consumer<Record> change) {
    foreign(table)
        .compact(
            row -> {
              if (row.getField("global_batch_seq").equals(batch)) {
                change.accept(row);
              }
              return row;
            });
  }

  private CliRun passes() {
    CliRun run = pipeline.run("verify", "--output", "json").exits(ExitCode.OK);
    assertThat(run.json().path("verdict").asText()).isEqualTo("PASS");
    assertThat(run.json().path("differences")).isEmpty();
    return run;
  }

  private CliRun fails() {
    CliRun run = pipeline.run("verify", "--output", "json").exits(ExitCode.FAIL);
    assertThat(run.json().path("verdict").asText()).isEqualTo("FAIL");
    return run;
  }

  private static List<String> differences(CliRun run) {
    List<String> differences = new ArrayList<>();
    run.json().path("differences").forEach(what -> differences.add(what.asText()));
    return differences;
  }

  private String chain(String table) {
    return state(table).chain().toString();
  }

  @Test
  @DisplayName("I8: the rows of the lake give the digests and the chain that were committed")
  void a_lake_that_holds_what_was_committed_passes() {
    threeRanges();

    CliRun run = passes();

    assertThat(run.json().path("rows").asLong()).isEqualTo(35);
    JsonNode transactions = run.table("transactions");
    assertThat(transactions.path("ranges").asInt()).isEqualTo(3);
    assertThat(transactions.path("rows").asInt()).isEqualTo(30);
    assertThat(transactions.path("chain").asText()).isEqualTo(chain("transactions"));
    assertThat(run.table("account_changes").path("chain").asText())
        .isEqualTo(chain("account_changes"));
  }

  @Test
  void the_answer_for_people_ends_with_the_verdict() {
    threeRanges();

    CliRun run = pipeline.run("verify").exits(ExitCode.OK);

    assertThat(run.out())
        .contains("partition 0, watermark 10:2147483647")
        .containsPattern("transactions +3 +30 +" + chain("transactions").substring(0, 16))
        .endsWith(
            "PASS: 35 rows in 6 ranges are those that were committed" + System.lineSeparator());
    assertThat(run.err()).isEmpty();
  }

  @Test
  @DisplayName("C7: a foreign compaction and expired snapshots change no digest")
  void rows_scattered_over_files_without_any_history_pass() {
    threeRanges();
    for (String table : List.of("transactions", "account_changes")) {
      foreign(table).scatter(3);
      foreign(table).expire();
      assertThat(pipeline.table(table).snapshots()).hasSize(1);
    }

    assertThat(passes().table("transactions").path("chain").asText())
        .isEqualTo(chain("transactions"));
  }

  /** No count and no sum shows it. */
  @Test
  void a_row_altered_in_any_column_fails_and_its_range_is_named() {
    threeRanges();
    alter("transactions", 6, row -> row.setField("outcome", "reserved"));
    pipeline.run("reconcile").exits(ExitCode.OK);

    CliRun run = fails();

    assertThat(run.table("transactions").path("first_differing_range").asText())
        .isEqualTo("(4:2147483647, 7:2147483647]");
    assertThat(run.table("transactions").path("differing_ranges").asInt()).isEqualTo(1);
    assertThat(differences(run))
        .singleElement()
        .asString()
        .startsWith(
            "partition 0: table transactions: the range (4:2147483647, 7:2147483647] has 9 rows"
                + " with digest ");
  }

  @Test
  void of_several_ranges_the_first_is_named() {
    threeRanges();
    alter("transactions", 9, row -> row.setField("currency", "USD"));
    alter("transactions", 2, row -> row.setField("source_id", 8));

    CliRun run = fails();

    assertThat(run.table("transactions").path("first_differing_range").asText())
        .isEqualTo("(0:2147483647, 4:2147483647]");
    assertThat(run.table("transactions").path("differing_ranges").asInt()).isEqualTo(2);
    assertThat(pipeline.run("verify").exits(ExitCode.FAIL).out())
        .containsPattern("transactions .*\\(0:2147483647, 4:2147483647\\] +DIFFERS")
        .contains("FAIL: 2 differences");
  }

  /** What no canonical row can say is told from a failure to read. */
  @Test
  void a_value_that_no_row_of_ours_can_have_fails_its_range_alone() {
    threeRanges();
    alter("transactions", 6, row -> row.setField("transfer_id", "no hex digits"));

    CliRun run = fails();

    assertThat(run.table("transactions").path("differing_ranges").asInt()).isEqualTo(1);
    assertThat(differences(run))
        .singleElement()
        .asString()
        .contains(
            "the range (4:2147483647, 7:2147483647] can't be made out",
            "row at 6:",
            "it was changed after it was committed");
  }

  @Test
  @DisplayName("I1: a doubled row is found, and its position named")
  void a_row_in_the_place_of_another_fails() {
    threeRanges();
    foreign("transactions")
        .compact(
            row -> {
              if (row.getField("global_batch_seq").equals(6L)) {
                row.setField("array_index", 1);
              }
              return row;
            });

    assertThat(differences(fails()))
        .singleElement()
        .asString()
        .endsWith("position 6:1 is there twice");
  }

  @Test
  void deleted_rows_fail() {
    threeRanges();
    foreign("transactions").overwrite(rows -> rows.subList(1, rows.size()));

    assertThat(differences(fails()))
        .anyMatch(what -> what.contains("it has 29 rows where its state says 30"))
        .anyMatch(what -> what.contains("in the table, and ") && what.contains(" the range ("));
  }

  @Test
  void rows_beyond_every_range_fail() {
    threeRanges();
    foreign("transactions")
        .overwrite(
            rows -> {
              List<Record> more = new ArrayList<>(rows);
              Record beyond = rows.get(0).copy();
              beyond.setField("global_batch_seq", 99L);
              more.add(beyond);
              return more;
            });

    assertThat(differences(fails()))
        .anyMatch(what -> what.endsWith("it has 31 rows, of which 1 lie in no range of the log"));
  }

  @Test
  void a_file_that_is_gone_fails_by_its_name() throws Exception {
    threeRanges();
    Path file = Path.of(URI.create(foreign("transactions").files().get(1).location()));
    Files.delete(file);

    assertThat(differences(fails()))
        .singleElement()
        .asString()
        .contains("can't be read", file.getFileName().toString());
  }

  @Test
  void ranges_read_a_few_at_a_time_give_the_same_chain() {
    pipeline.open(0).start().commitTo(50_000).commitTo(100_000).commitTo(100_001);

    CliRun run = passes();

    assertThat(run.json().path("rows").asLong()).isEqualTo(350_003);
    assertThat(run.table("transactions").path("chain").asText()).isEqualTo(chain("transactions"));
    alter("transactions", 100_001, row -> row.setField("ledger_id", 2));
    assertThat(fails().table("transactions").path("first_differing_range").asText())
        .isEqualTo("(100000:2147483647, 100001:2147483647]");
  }

  @Test
  @DisplayName("C19: a range that is not in the log yet is verified by the table's state")
  void a_range_that_is_not_published_yet_is_verified() {
    threeRanges().crashingBefore(PUBLISHING).commitTo(12);

    assertThat(passes().table("transactions").path("ranges").asInt()).isEqualTo(4);
    alter("transactions", 12, row -> row.setField("ledger_id", 2));
    assertThat(fails().table("transactions").path("first_differing_range").asText())
        .isEqualTo("(10:2147483647, 12:2147483647]");
  }

  @Test
  void a_repaired_range_is_held_against_its_newest_digest() {
    threeRanges();
    alter("account_changes", 6, row -> row.setField("state", "closed"));
    Range range = new Range(Position.batchEnd(4), Position.batchEnd(7));
    assertThat(fails().table("account_changes").path("first_differing_range").asText())
        .isEqualTo("(4:2147483647, 7:2147483647]");

    RangeDigest digest = RangeDigest.begin(pipeline.identity().stream(0), "account_changes", range);
    pipeline.newLake(0).read("account_changes", range, 10).forEach(digest::add);
    pipeline.publish(
        new RepairEvent(
            pipeline.eventIdentity(0),
            "account_changes",
            "repair-1",
            List.of(
                new RepairEvent.RepairedRange(
                    range.from(),
                    range.to(),
                    HexFormat.of().formatHex(digest.finish()),
                    1,
                    Optional.empty())),
            5,
            7,
            1,
            1,
            Instant.now()));

    CliRun run = passes();
    assertThat(run.table("account_changes").path("repaired_ranges").asInt()).isEqualTo(1);
    assertThat(run.table("account_changes").path("chain").asText())
        .isEqualTo(chain("account_changes"));
  }

  @Test
  void several_partitions_are_each_verified() {
    try (TestPipeline two = TestPipeline.in(folder.resolve("two"), 2, Map.of())) {
      two.open(0).start().commitTo(4).commitTo(9);
      two.open(1).start().commitTo(5);

      CliRun run = two.run("verify", "--output", "csv").exits(ExitCode.OK);

      assertThat(run.out().lines()).hasSize(1 + 2 * 6);
      assertThat(run.out()).contains("\n0,transactions,transactions_p0,2,0,12,");
      new ForeignEngine(two.table("transactions_p1"))
          .overwrite(rows -> rows.subList(1, rows.size()));
      two.run("verify", "--partition", "0").exits(ExitCode.OK);
      two.run("verify", "--partition", "1").exits(ExitCode.FAIL);
    }
  }

  @Test
  void without_a_watermark_nothing_passes() {
    assertThat(differences(fails()))
        .containsExactly(
            "partition 0: no watermark was published yet, so there is nothing to hold against it");
  }

  @Test
  void a_halt_in_force_is_noted_and_does_not_decide() {
    threeRanges().halt(HaltReason.GAP, "records 5 to 7 are missing");

    assertThat(pipeline.run("verify").exits(ExitCode.OK).err())
        .contains("is in force in partition 0: records 5 to 7 are missing.");
  }

  @Test
  void verifying_while_the_sink_commits_and_history_is_expired_passes() throws Exception {
    TestWriter writer = pipeline.open(0).start().commitTo(1);
    Thread committing =
        new Thread(
            () ->
                Stream.iterate(2L, to -> to <= 30, to -> to + 1)
                    .forEach(
                        to -> {
                          writer.commitTo(to);
                          if (to % 5 == 0) {
                            foreign("transactions").scatter(2);
                            foreign("transactions").expire();
                          }
                        }));
    committing.start();
    try {
      for (int i = 0; i < 3; i++) {
        passes();
      }
    } finally {
      committing.join();
    }
    assertThat(writer.watermark()).isEqualTo(Position.batchEnd(30));
    assertThat(passes().table("transactions").path("rows").asLong()).isEqualTo(90);
  }
}
