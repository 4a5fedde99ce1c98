package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.HaltReason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** What {@code status} and {@code watermark} say of lakes in order, half written, and damaged. */
class StatusIT extends PipelineCases {
  private TestWriter twoRanges() {
    return pipeline.open(0).start().commitTo(4).commitTo(7);
  }

  private List<String> obstacles() {
    CliRun run = pipeline.run("watermark", "--output", "json").exits(ExitCode.FAIL);
    assertThat(run.json().path("complete").asBoolean()).isFalse();
    return texts(run.json().path("partitions").get(0).path("obstacles"));
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private JsonNode status(int exitCode) {
    return pipeline
        .run("status", "--output", "json")
        .exits(exitCode)
        .json()
        .path("partitions")
        .get(0);
  }

  /** I2. */
  @Test
  void a_complete_lake_is_said_to_be_complete_up_to_its_watermark() {
    twoRanges();

    CliRun run = pipeline.run("watermark").exits(ExitCode.OK);

    assertThat(run.out())
        .containsPattern("0 +7:2147483647 +2023-11-14T22:13:20.007Z +yes")
        .doesNotContain("partition 0:");
    assertThat(pipeline.run("watermark", "--output", "csv").exits(ExitCode.OK).out())
        .isEqualTo(
            "partition,watermark,closed_through,complete,obstacles\n"
                + "0,7:2147483647,2023-11-14T22:13:20.007Z,true,\n");
  }

  @Test
  void status_shows_watermark_writer_rows_checkpoint_and_tables() {
    TestWriter writer = twoRanges();

    JsonNode status = status(ExitCode.OK);

    assertThat(status.path("watermark").asText()).isEqualTo("7:2147483647");
    assertThat(status.path("closed_through").asText()).isEqualTo("2023-11-14T22:13:20.007Z");
    assertThat(status.path("closed_through_lag_ms").asLong()).isPositive();
    assertThat(status.path("writer_epoch").asLong()).isEqualTo(1);
    assertThat(status.path("writer_claim").asLong()).isEqualTo(1);
    assertThat(status.path("writer_id").asText()).isEqualTo(writer.id());
    assertThat(status.path("rows").asLong()).isEqualTo(24);
    assertThat(status.path("kafka_topic").asText()).isEqualTo(pipeline.name + ".data");
    assertThat(status.path("kafka_offset").asLong()).isEqualTo(7);
    assertThat(status.path("checkpoint").asText()).isEqualTo("7:2147483647");
    assertThat(status.path("tables")).hasSize(6);
    assertThat(status.path("halts")).isEmpty();
    assertThat(status.path("problems")).isEmpty();
  }

  @Test
  void status_for_people_names_pipeline_partition_and_tables() {
    twoRanges();

    assertThat(pipeline.run("status").exits(ExitCode.OK).out())
        .startsWith(
            "pipeline "
                + pipeline.name
                + ", generation 1, cluster cluster-1: 1 partition(s), layout shared, namespace ledger")
        .containsPattern(
            "watermark +7:2147483647, closed through 2023-11-14T22:13:20.007Z \\(.* ago\\)")
        .containsPattern("writer +epoch 1, claim 1")
        .containsPattern("rows +24")
        .containsPattern("transactions +21 +7:2147483647\n")
        .doesNotContain("PROBLEM", "HALT");
  }

  @Test
  void a_table_one_range_ahead_is_shown_and_is_no_obstacle() {
    twoRanges()
        .crashingBefore(
            effect ->
                effect instanceof Effect.Commit commit
                    && commit.commit().next().commit() == CommitKind.WATERMARK)
        .commitTo(9);

    assertThat(pipeline.run("watermark").exits(ExitCode.OK).out()).contains("7:2147483647");
    JsonNode status = status(ExitCode.OK);
    assertThat(status.path("rows").asLong()).isEqualTo(24);
    status
        .path("tables")
        .forEach(
            table ->
                assertThat(table.path("ahead").asBoolean())
                    .isEqualTo(
                        List.of("transactions", "account_changes")
                            .contains(table.path("table").asText())));
  }

  @Test
  void a_pipeline_that_was_never_opened_has_no_watermark_and_no_problem() {
    assertThat(obstacles()).containsExactly("no watermark was published yet");
    JsonNode status = status(ExitCode.OK);
    assertThat(status.path("watermark").isNull()).isTrue();
    assertThat(status.path("problems")).isEmpty();
  }

  @Test
  void a_partition_without_start_has_no_watermark_and_no_problem() {
    pipeline.open(0);

    assertThat(obstacles()).containsExactly("no watermark was published yet");
    assertThat(status(ExitCode.OK).path("writer_claim").asLong()).isEqualTo(1);
  }

  /** C7. */
  @Test
  void rows_that_somebody_deleted_are_an_obstacle() {
    twoRanges();
    foreign("transactions").overwrite(rows -> rows.subList(0, 20));

    assertThat(obstacles())
        .containsExactly("table transactions: it has 20 rows where its state says 21");
    assertThat(texts(status(ExitCode.FAIL).path("problems"))).isEqualTo(obstacles());
  }

  /** C7: a rollback takes the newest snapshot back and leaves the property. */
  @Test
  void a_table_that_was_rolled_back_is_an_obstacle() {
    twoRanges();
    Table table = pipeline.table("transactions");
    table.manageSnapshots().rollbackTo(table.currentSnapshot().parentId()).commit();

    assertThat(obstacles())
        .singleElement()
        .asString()
        .contains("table transactions", "it was rolled back");
  }

  /** C6. */
  @Test
  void a_table_that_was_restored_from_a_backup_is_an_obstacle() {
    TestWriter writer = pipeline.open(0).start().commitTo(4);
    Map<String, String> backup = pipeline.backup(List.of("account_changes"));
    writer.commitTo(7);
    pipeline.restore(backup);

    assertThat(obstacles())
        .containsExactly(
            "table account_changes ends at 4:2147483647 with 2 rows; at the watermark 7:2147483647 it ended at 7:2147483647"
                + " with 3");
  }

  @Test
  void a_table_that_was_dropped_and_created_anew_is_an_obstacle() {
    twoRanges();
    pipeline.catalog.dropTable(pipeline.identifier("account_changes"), false);
    pipeline.newLake(0).create("account_changes");

    assertThat(obstacles())
        .singleElement()
        .asString()
        .contains("table account_changes has UUID", "it was dropped and created anew");
  }

  /** C3. */
  @Test
  void a_missing_watermark_table_is_an_obstacle_where_others_were_written() {
    twoRanges();
    pipeline.catalog.dropTable(pipeline.identifier("watermark"), false);

    assertThat(obstacles())
        .contains("table watermark is missing or has no state, while other tables were written to");
  }

  /** C8. */
  @Test
  void a_lake_that_was_set_back_as_a_whole_is_an_obstacle() {
    TestWriter writer = pipeline.open(0).start().commitTo(4);
    Map<String, String> backup = pipeline.backup(pipeline.allTables());
    writer.commitTo(7);
    pipeline.restore(backup);

    assertThat(obstacles())
        .containsExactly(
            "the newest checkpoint says that the lake held everything up to 7:2147483647, and the watermark is 4:2147483647:"
                + " the lake was set back");
  }

  @Test
  void a_column_that_is_gone_is_an_obstacle() {
    twoRanges();
    pipeline.table("transactions").updateSchema().deleteColumn("reason_code").commit();

    assertThat(obstacles()).containsExactly("table transactions: column reason_code is missing");
  }

  @Test
  void a_state_that_cannot_be_read_is_an_obstacle() {
    twoRanges();
    pipeline.table("transactions").updateProperties().set("tula.state", "{}").commit();

    assertThat(obstacles()).singleElement().asString().contains("transactions", "the state lacks");
  }

  @Test
  void a_missing_identity_table_is_a_problem() {
    twoRanges();
    pipeline.catalog.dropTable(pipeline.identifier("tula_pipeline"), false);

    assertThat(obstacles())
        .containsExactly(
            "table tula_pipeline is missing, while table watermark of its generation exists");
    assertThat(pipeline.run("status").exits(ExitCode.FAIL).out())
        .contains("PROBLEM  table tula_pipeline is missing");
  }

  /** C2. */
  @Test
  void another_identity_than_the_recorded_one_exits_with_88() {
    twoRanges();
    String other =
        pipeline.configFile(Map.of("tula.layout", "by_mode", "tula.cluster.id", "other"));

    for (String command : List.of("status", "watermark", "reconcile", "clear-durability-halt")) {
      CliRun run = CliRun.of(command, "--config", other).exits(ExitCode.IDENTITY);
      assertThat(run.err())
          .contains(
              "tula.cluster-id is recorded as cluster-1 and configured as other",
              "tula.layout is recorded as shared and configured as by_mode");
      assertThat(run.out()).isEmpty();
    }
  }

  @Test
  void a_halt_in_force_exits_with_86_and_is_shown_with_its_cure() {
    TestWriter writer = twoRanges().halt(HaltReason.GAP, "records 8:0 to 8:5 are missing");

    CliRun run = pipeline.run("status").exits(ExitCode.HALTED);

    assertThat(run.out())
        .containsPattern(
            "HALT +" + writer.id() + ", gap, since .*: records 8:0 to 8:5 are missing.\n")
        .contains(HaltReason.GAP.cure());
    JsonNode halt = status(ExitCode.HALTED).path("halts").get(0);
    assertThat(halt.path("reason").asText()).isEqualTo("gap");
    assertThat(halt.path("in_topic").asText()).isEqualTo("recorded");
    assertThat(halt.path("in_table").asText()).isEqualTo("recorded");
    assertThat(obstacles())
        .singleElement()
        .asString()
        .startsWith("durability halt " + writer.id() + " is in force: records 8:0 to 8:5");
  }

  @Test
  void a_record_in_the_checkpoints_topic_that_is_no_event_is_an_error() {
    twoRanges();
    TestRecords.send(pipeline.config.checkpointsTopic(), 0, "a halt in a form of the future");

    CliRun run = pipeline.run("status").exits(ExitCode.ERROR);

    assertThat(run.err())
        .contains("topic " + pipeline.config.checkpointsTopic(), "holds no event of ours");
  }

  @Test
  void the_configuration_can_come_from_a_properties_file() throws Exception {
    twoRanges();
    Properties properties = new Properties();
    properties.putAll(pipeline.properties);
    Path file = folder.resolve("sink.properties");
    try (var out = Files.newOutputStream(file)) {
      properties.store(out, null);
    }

    CliRun.of("watermark", "--config", file.toString()).exits(ExitCode.OK);
  }

  @Test
  void a_partition_that_does_not_exist_is_wrong_usage() {
    CliRun run = pipeline.run("status", "--partition", "1").exits(ExitCode.USAGE);

    assertThat(run.err()).contains("there is no partition 1: the pipeline has 1, counted from 0");
  }
}
