package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Halts of the sink's engine, lifted by the command. */
class ClearDurabilityHaltIT extends PipelineCases {
  private static final String COMMAND = "clear-durability-halt";

  private String halted() {
    return pipeline
        .open(0)
        .start()
        .commitTo(4)
        .halt(HaltReason.GAP, "records 5:0 to 5:5 are missing")
        .id();
  }

  private TableView watermark() {
    return pipeline.newLake(0).load(TableNames.WATERMARK).orElseThrow();
  }

  private EventsView events() {
    return pipeline.newLog(0).read();
  }

  private Optional<Stop.Code> endOfANewWriter() {
    return pipeline.open(0).stopped().map(Stop::code);
  }

  private JsonNode halts(CliRun run) {
    return run.json().path("halts");
  }

  @Test
  void without_confirm_it_shows_what_is_in_force_and_changes_nothing() {
    String id = halted();
    TableView before = watermark();

    CliRun run = pipeline.run(COMMAND).exits(ExitCode.FAIL);

    assertThat(run.out())
        .contains(
            "partition 0: halt " + id + ", gap, since ",
            "records 5:0 to 5:5 are missing.",
            "cure: " + HaltReason.GAP.cure(),
            "would be cleared in the checkpoints topic and in the watermark table",
            "Nothing was changed.");
    assertThat(watermark()).isEqualTo(before);
    assertThat(events().clearedHalts()).isEmpty();
    assertThat(endOfANewWriter()).contains(Stop.Code.HALTED_BEFORE);
  }

  @Test
  @DisplayName(
      "C25: a clear is in the watermark table and in the topic, and the next writer goes on")
  void with_confirm_it_clears_in_both_places_and_the_next_writer_goes_on() {
    String id = halted();

    CliRun run = pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK);

    assertThat(run.out())
        .contains(
            "cleared in the checkpoints topic and in the watermark table", "Restart the sink");
    assertThat(watermark().clearedHalts()).containsExactly(id);
    assertThat(pipeline.table("watermark").properties().get("tula.clear." + id))
        .startsWith("by " + System.getProperty("user.name") + " at ");
    assertThat(events().clearedHalts()).containsExactly(id);
    TestWriter next = pipeline.open(0).commitTo(6);
    assertThat(next.stopped()).isEmpty();
    assertThat(next.watermark()).isEqualTo(Position.batchEnd(6));
    pipeline.run("reconcile").exits(ExitCode.OK);
    pipeline.run("status").exits(ExitCode.OK);
  }

  @Test
  void a_second_run_finds_nothing_to_do() {
    halted();
    pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK);
    TableView after = watermark();

    assertThat(pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK).out())
        .isEqualTo("no durability halt is in force" + System.lineSeparator());
    pipeline.run(COMMAND).exits(ExitCode.OK);
    assertThat(watermark()).isEqualTo(after);
  }

  @Test
  void without_any_halt_there_is_nothing_to_do() {
    pipeline.open(0).start().commitTo(4);

    pipeline.run(COMMAND).exits(ExitCode.OK);
    assertThat(halts(pipeline.run(COMMAND, "--confirm", "--output", "json").exits(ExitCode.OK)))
        .isEmpty();
  }

  /** A run that ended between the two places is completed by the next. */
  @Test
  void what_is_cleared_in_the_topic_alone_is_recorded_in_the_table_by_the_next_run() {
    String id = halted();
    pipeline.publish(
        new ClearEvent(pipeline.eventIdentity(0), id, Optional.empty(), "somebody", Instant.now()));
    assertThat(watermark().clearedHalts()).isEmpty();

    pipeline.run(COMMAND).exits(ExitCode.OK);
    pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK);

    assertThat(watermark().clearedHalts()).containsExactly(id);
  }

  @Test
  @DisplayName("C14: a clear beside a live writer neither fences it nor is lost")
  void a_live_writer_goes_on_after_a_clear() {
    String id = halted();
    pipeline.publish(
        new ClearEvent(pipeline.eventIdentity(0), id, Optional.empty(), "somebody", Instant.now()));
    TestWriter live = pipeline.open(0).commitTo(5);

    pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK);
    live.commitTo(7);

    assertThat(live.stopped()).isEmpty();
    assertThat(live.watermark()).isEqualTo(Position.batchEnd(7));
    assertThat(watermark().clearedHalts()).containsExactly(id);
    pipeline.run("watermark").exits(ExitCode.OK);
  }

  /** C25: with the watermark table gone, the topic decides. */
  @Test
  void without_the_watermark_table_the_topic_alone_is_told() {
    pipeline.open(0).start().commitTo(4);
    Map<String, String> backup = pipeline.backup(List.of("watermark"));
    pipeline.catalog.dropTable(pipeline.identifier("watermark"), false);
    assertThat(endOfANewWriter()).contains(Stop.Code.HALTED);

    CliRun run = pipeline.run(COMMAND, "--confirm", "--output", "json").exits(ExitCode.OK);

    assertThat(halts(run).get(0).path("reason").asText()).isEqualTo("watermark_table_missing");
    assertThat(halts(run).get(0).path("clear_in_table").asBoolean()).isFalse();
    assertThat(events().clearedHalts()).hasSize(1);
    backup.forEach(
        (table, location) -> pipeline.catalog.registerTable(pipeline.identifier(table), location));
    assertThat(endOfANewWriter()).isEmpty();
  }

  @Test
  void a_halt_that_only_the_table_knows_is_cleared_in_both() {
    String id = halted();
    TestBroker.delete(pipeline.config.checkpointsTopic());
    TestBroker.createCompacted(pipeline.config.checkpointsTopic(), 1);

    CliRun run = pipeline.run(COMMAND, "--confirm", "--output", "json").exits(ExitCode.OK);

    assertThat(halts(run).get(0).path("reason").asText()).isEqualTo("gap");
    assertThat(halts(run).get(0).path("in_topic").asText()).isEqualTo("unknown");
    assertThat(watermark().clearedHalts()).containsExactly(id);
    assertThat(events().clearedHalts()).containsExactly(id);
  }

  @Test
  void without_the_checkpoints_topic_the_table_alone_is_told() {
    String id = halted();
    TestBroker.delete(pipeline.config.checkpointsTopic());

    CliRun run = pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK);

    assertThat(run.out())
        .contains("WARNING: there is no topic " + pipeline.config.checkpointsTopic());
    assertThat(watermark().clearedHalts()).containsExactly(id);
  }

  @Test
  void a_watermark_table_that_cannot_take_it_is_a_warning() {
    String id = halted();
    foreign("watermark").overwrite(rows -> List.of());

    CliRun run = pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK);

    assertThat(run.out())
        .contains("WARNING: table watermark can't take it: it has 0 rows where its state says 1");
    assertThat(events().clearedHalts()).containsExactly(id);
    assertThat(watermark().clearedHalts()).isEmpty();
  }

  private void setBackTo4() {
    TestWriter writer = pipeline.open(0).start().commitTo(4);
    Map<String, String> backup = pipeline.backup(pipeline.allTables());
    writer.commitTo(7);
    pipeline.restore(backup);
    assertThat(endOfANewWriter()).contains(Stop.Code.HALTED);
  }

  @Test
  @DisplayName("C8: an accepted rewind names the watermark, and the next writer goes on from there")
  void an_accepted_rewind_lets_the_next_writer_go_on_from_the_watermark() {
    setBackTo4();

    CliRun run =
        pipeline
            .run(COMMAND, "--confirm", "--accept-rewind", "--output", "json")
            .exits(ExitCode.OK);

    assertThat(halts(run).get(0).path("reason").asText()).isEqualTo("lake_set_back");
    assertThat(halts(run).get(0).path("accepted_rewind").asText()).isEqualTo("4:2147483647");
    TestWriter next = pipeline.open(0);
    assertThat(next.stopped()).isEmpty();
    assertThat(next.watermark()).isEqualTo(Position.batchEnd(4));
    pipeline.run("watermark").exits(ExitCode.OK);
  }

  @Test
  void a_set_back_lake_is_warned_about_where_the_rewind_is_not_accepted() {
    setBackTo4();

    CliRun run = pipeline.run(COMMAND, "--confirm").exits(ExitCode.OK);

    assertThat(run.out())
        .contains(
            "WARNING: the newest checkpoint, 7:2147483647, is still above the watermark, 4:2147483647");
    assertThat(endOfANewWriter()).contains(Stop.Code.HALTED);
  }

  @Test
  void a_rewind_cannot_be_accepted_for_another_kind_of_halt() {
    String id = halted();

    CliRun run = pipeline.run(COMMAND, "--confirm", "--accept-rewind").exits(ExitCode.ERROR);

    assertThat(run.err()).contains("--accept-rewind is for halts of the kind lake_set_back");
    assertThat(events().clearedHalts()).doesNotContain(id);
    assertThat(watermark().clearedHalts()).isEmpty();
  }

  @Test
  void only_the_chosen_partition_is_cleared() {
    try (TestPipeline two = TestPipeline.in(folder.resolve("two"), 2, Map.of())) {
      for (int partition = 0; partition < 2; partition++) {
        two.open(partition).start().commitTo(4 + partition).halt(HaltReason.GAP, "a gap");
      }

      two.run(COMMAND, "--confirm", "--partition", "1").exits(ExitCode.OK);

      assertThat(two.open(0).stopped().map(Stop::code)).contains(Stop.Code.HALTED_BEFORE);
      assertThat(two.open(1).stopped()).isEmpty();
      assertThat(two.run(COMMAND, "--output", "csv").exits(ExitCode.FAIL).out().lines()).hasSize(2);
    }
  }
}
