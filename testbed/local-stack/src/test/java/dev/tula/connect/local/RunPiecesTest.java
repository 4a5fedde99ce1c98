package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RunPiecesTest {
  @TempDir Path directory;

  @Test
  void kills_are_spread_evenly_and_wait_for_the_worker_to_be_at_work() {
    KillPlan plan = new KillPlan(3);

    assertThat(plan.due(0.24, true)).isFalse();
    assertThat(plan.due(0.25, false)).isFalse();
    assertThat(plan.due(0.25, true)).isTrue();
    plan.killed();
    assertThat(plan.due(0.25, true)).isFalse();
    assertThat(plan.due(1.0, true)).isTrue();
    plan.killed();
    plan.killed();
    assertThat(plan.complete()).isTrue();
    assertThat(plan.due(1.0, true)).isFalse();
  }

  @Test
  void counters_add_up_over_restarts_of_a_task_and_kills_of_a_worker() {
    Counters counters = new Counters();
    counters.read("sent.0", 10);
    counters.read("sent.1", 5);
    counters.read("sent.0", 4);
    counters.restart();
    counters.read("sent.0", 3);
    counters.read("replayed.0", 100);

    assertThat(counters.sum("sent.")).isEqualTo(10 + 5 + 4 + 3);
    assertThat(counters.sum("replayed.")).isEqualTo(100);
  }

  @Test
  void a_connector_that_fails_ends_a_run_that_has_an_end_and_is_told_once_by_one_that_has_none() {
    List<String> said = new ArrayList<>();
    assertThatThrownBy(() -> new FailureWatch(true, said::add).looked(Optional.of("TULA-86")))
        .isInstanceOf(StackException.class)
        .hasMessage("TULA-86");
    assertThat(said).isEmpty();

    FailureWatch endless = new FailureWatch(false, said::add);
    endless.looked(Optional.empty());
    endless.looked(Optional.of("TULA-86"));
    endless.looked(Optional.of("TULA-86"));
    assertThat(said).singleElement().asString().startsWith("TULA-86\n");
    endless.looked(Optional.empty());
    endless.looked(Optional.of("TULA-86"));
    assertThat(said).hasSize(3);
  }

  @Test
  void a_run_in_which_nothing_moves_ends() {
    StallWatch watch = new StallWatch(Duration.ZERO);
    Progress.State still = new Progress.State(9, 5, 0, 9, 3, 0, 0, 0, 0.3);
    watch.check(still);

    assertThatThrownBy(() -> watch.check(still))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("batch 3 of 9");
  }

  @Test
  void a_wait_ends_at_its_limit_and_says_what_it_waited_for() {
    assertThatThrownBy(() -> Wait.until("rain", Duration.ZERO, () -> false))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("rain");
    assertThatThrownBy(
            () ->
                Wait.until(
                    "rain",
                    Duration.ZERO,
                    () -> {
                      throw new IOException("dry");
                    }))
        .hasMessageContaining("dry");
  }

  @Test
  void options_that_contradict_each_other_are_usage_errors() {
    assertThat(problem("--verify")).hasValueSatisfying(text -> assertThat(text).contains("--rows"));
    assertThat(problem("--rows", "0")).isPresent();
    assertThat(problem("--rows", "1", "--replay", "x.csv")).isPresent();
    assertThat(problem("--full-record", "--no-metadata")).isPresent();
    assertThat(problem("--rows", "1", "--catalog-down", "5")).isPresent();
    assertThat(problem("--catalog", "rest", "--catalog-down", "5")).isPresent();
    assertThat(problem("--rows", "1", "--catalog", "rest", "--catalog-down", "5")).isEmpty();
    assertThat(problem("--rows", "1", "--verify", "--exit", "--kill-worker", "2")).isEmpty();
    assertThat(RunLocal.run(new String[] {"--verify"}, System.out)).isEqualTo(64);
  }

  @Test
  void flags_change_the_keys_of_both_files_that_belong_together() {
    RunOptions options =
        parse("--partitions", "4", "--full-record", "--layout", "shared", "--converter", "json");

    assertThat(options.sourceOverrides())
        .containsEntry("tula.partition.count", "4")
        .containsEntry("tasks.max", "4")
        .containsEntry("tula.full.txn.record", "true")
        .containsEntry("value.converter.schemas.enable", "true")
        .doesNotContainKey("tula.layout");
    assertThat(options.sinkOverrides())
        .containsAllEntriesOf(options.sourceOverrides())
        .containsEntry("tula.layout", "shared");
  }

  @Test
  void a_key_that_is_given_wins_over_flag_and_file() {
    RunOptions options =
        parse("--partitions", "2", "--sink", "tasks.max=1", "--sink", "a=b=c", "--source", "d=e");

    assertThat(options.sinkOverrides())
        .containsEntry("tasks.max", "1")
        .containsEntry("tula.partition.count", "2")
        .containsEntry("a", "b=c")
        .doesNotContainKey("d");
    assertThat(options.sourceOverrides()).containsEntry("d", "e").containsEntry("tasks.max", "2");
  }

  @Test
  void catalogs_go_by_the_names_that_the_help_shows() {
    for (LakeKind kind : LakeKind.values()) {
      assertThat(parse("--catalog", kind.toString()).catalog).isEqualTo(kind);
    }
    assertThat(parse().catalog).isEqualTo(LakeKind.SQLITE);
    assertThat(RunLocal.run(new String[] {"--catalog", "hive"}, System.out)).isEqualTo(64);
  }

  @Test
  void with_kills_the_ranges_are_small_enough_to_spread_them() {
    RunOptions options = parse("--rows", "80000", "--partitions", "4", "--kill-worker", "4");

    assertThat(options.sinkOverrides())
        .containsEntry("tula.commit.max.rows", "2000")
        .containsEntry("tula.commit.interval.ms", "1000");
  }

  @Test
  void a_bootstrap_is_the_source_s_and_needs_an_end_and_metadata() {
    RunOptions options = parse("--rows", "10", "--bootstrap");
    assertThat(options.sourceOverrides()).containsEntry("tula.bootstrap", "initial");
    assertThat(options.sinkOverrides()).doesNotContainKey("tula.bootstrap");
    assertThat(options.problem()).isEmpty();
    assertThat(parse("--bootstrap").problem()).isPresent();
    assertThat(parse("--rows", "10", "--bootstrap", "--no-metadata").problem()).isPresent();
  }

  @Test
  void without_flags_the_files_are_put_as_they_are() {
    assertThat(parse().sourceOverrides()).isEmpty();
    assertThat(parse().sinkOverrides()).isEmpty();
  }

  @Test
  void an_archive_entry_that_points_outside_is_refused() throws Exception {
    Path zip = directory.resolve("evil.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      out.putNextEntry(new ZipEntry("../outside.txt"));
      out.closeEntry();
    }

    assertThatThrownBy(() -> PluginPath.unpack(List.of(zip), directory.resolve("plugins")))
        .isInstanceOf(StackException.class)
        .hasRootCauseMessage("entry ../outside.txt points outside of the archive");
    assertThat(directory.resolve("outside.txt")).doesNotExist();
  }

  @Test
  void a_run_does_not_begin_in_a_directory_with_something_in_it() throws Exception {
    Files.writeString(directory.resolve("mine.txt"), "precious");

    assertThatThrownBy(() -> RunDirectory.make(directory, Optional.of(directory)))
        .isInstanceOf(StackException.class);
  }

  @Test
  void a_run_of_its_own_leaves_nothing_and_a_kept_one_everything() throws Exception {
    RunDirectory own = RunDirectory.make(directory, Optional.empty());
    RunDirectory kept = RunDirectory.make(directory, Optional.of(directory.resolve("kept")));
    Files.createDirectories(own.path().resolve("a/b"));
    Files.writeString(own.path().resolve("a/b/c"), "");
    Files.writeString(kept.path().resolve("c"), "");

    own.discard();
    kept.discard();

    assertThat(own.path()).doesNotExist();
    assertThat(kept.path().resolve("c")).exists();
  }

  @Test
  void the_last_line_of_a_report_is_json_with_every_total() throws Exception {
    JsonNode json = lastLine(report(table(0, 0), List.of()));

    assertThat(json.path("rows").asLong()).isEqualTo(10);
    assertThat(json.path("tables").asInt()).isEqualTo(1);
    assertThat(json.path("rows_per_second").asLong()).isEqualTo(5);
    assertThat(json.path("missing").asLong()).isZero();
    assertThat(json.path("duplicated").asLong()).isZero();
    assertThat(json.path("different").asLong()).isZero();
    assertThat(json.path("replayed").asLong()).isEqualTo(7);
    assertThat(json.path("acks_above_watermark").asInt()).isZero();
    assertThat(json.path("verified").asBoolean()).isTrue();
  }

  @Test
  void a_report_with_a_missing_row_or_an_early_ack_is_not_good() throws Exception {
    RunReport missing = report(table(1, 0), List.of());
    RunReport early = report(table(0, 0), List.of("acked too early"));

    assertThat(missing.good()).isFalse();
    assertThat(early.good()).isFalse();
    assertThat(lastLine(missing).path("verified").asBoolean()).isFalse();
    assertThat(lastLine(early).path("acks_above_watermark").asInt()).isEqualTo(1);
  }

  @Test
  void progress_that_is_no_terminal_is_plain_lines() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Progress progress = new Progress(new PrintStream(bytes, true, StandardCharsets.UTF_8), false);

    progress.show(new Progress.State(1000, 900, 500, 100, 50, 40, 3, 1, 0.5));
    progress.show(new Progress.State(1000, 900, 500, 100, 50, 40, 3, 1, 0.5));

    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .hasLineCount(1)
        .contains("ledger 1,000", "kafka 900", "lake 500", "lag 50 batches", "acked 40")
        .doesNotContain("\033");
  }

  private static TableVerdict table(long missing, long different) {
    Optional<BigInteger> sum = Optional.of(BigInteger.TEN);
    return new TableVerdict(
        "t", 10, 10 + missing, sum, sum, missing, 0, different, 0, List.of(), List.of());
  }

  private static RunReport report(TableVerdict table, List<String> violations) {
    return new RunReport(
        Map.of(),
        Duration.ofSeconds(2),
        10,
        7,
        0,
        new PipelineMetrics.Memory(256 << 20, 36 << 20, 3),
        Optional.of(new LakeVerdict(10 + table.missing(), List.of(table), List.of())),
        new AckCheck(3, violations));
  }

  private static JsonNode lastLine(RunReport report) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
    return new ObjectMapper().readTree(lines.get(lines.size() - 1));
  }

  private static Optional<String> problem(String... args) {
    return parse(args).problem();
  }

  private static RunOptions parse(String... args) {
    RunOptions options = new RunOptions();
    CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();
    spec.addMixin("run", CommandLine.Model.CommandSpec.forAnnotatedObject(options));
    new CommandLine(spec).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(args);
    return options;
  }
}
