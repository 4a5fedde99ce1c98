package dev.tula.connect.lake;

import static dev.tula.connect.lake.InterferingCatalog.Interference.before;
import static dev.tula.connect.lake.InterferingCatalog.Interference.losingCommits;
import static dev.tula.connect.lake.InterferingCatalog.Interference.losingReplies;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.WriterClaim;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Snapshots expired and orphans deleted beside the sink's engine, and beside others. */
class CleanupIT extends PipelineCases {
  private static final Predicate<Effect> COMMITTING_A_RANGE =
      effect ->
          effect instanceof Effect.Commit commit
              && commit.commit().next().commit() == CommitKind.RANGE;
  private static final Duration OLD = Duration.ofDays(4);

  private CliRun all(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("--older-than", "0s", "--keep", "1", "--output", "json"));
    arguments.addAll(List.of(more));
    return pipeline.run("cleanup", arguments.toArray(String[]::new));
  }

  private CliRun allWith(InterferingCatalog.Interference interference) {
    return pipeline.runWith(
        interference,
        "cleanup",
        "--older-than",
        "0s",
        "--keep",
        "1",
        "--output",
        "json",
        "--execute");
  }

  private Set<Long> snapshots(String table) {
    return StreamSupport.stream(pipeline.table(table).snapshots().spliterator(), false)
        .map(Snapshot::snapshotId)
        .collect(Collectors.toSet());
  }

  private long atWatermark(String table) {
    return state("watermark")
        .watermark()
        .orElseThrow()
        .tables()
        .get(table)
        .snapshotId()
        .orElseThrow();
  }

  private static List<Record> rows(Table table, long snapshotId) {
    List<Record> rows = new ArrayList<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table).useSnapshot(snapshotId).build()) {
      records.forEach(rows::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  @Test
  void without_execute_it_shows_what_it_would_do_and_changes_nothing() {
    threeRanges();
    List<Path> files = pipeline.files();
    TableState before = state("transactions");

    CliRun run = all("--orphans").exits(ExitCode.OK);

    assertThat(run.json().path("executed").asBoolean()).isFalse();
    assertThat(run.table("transactions").path("snapshots").asInt()).isEqualTo(4);
    assertThat(run.table("transactions").path("expired").asInt()).isEqualTo(3);
    assertThat(run.table("watermark").path("expired").asInt()).isEqualTo(4);
    assertThat(pipeline.files()).isEqualTo(files);
    assertThat(state("transactions")).isEqualTo(before);
    assertThat(pipeline.run("cleanup", "--older-than", "0s").exits(ExitCode.OK).out())
        .contains("TO EXPIRE", "Nothing was changed; do it with --execute.");
  }

  @Test
  @DisplayName("C29, C7: history goes, under a snapshot of ours; rows, state and digests stay")
  void old_snapshots_go_and_the_lake_stays_whole() {
    TestWriter writer = threeRanges();
    long named = atWatermark("transactions");
    TableState before = state("transactions");

    CliRun run = all("--execute").exits(ExitCode.OK);

    assertThat(run.table("transactions").path("expired").asInt()).isEqualTo(3);
    assertThat(run.table("transactions").path("expired_files_deleted").asInt()).isPositive();
    assertThat(run.table("watermark").path("metadata_bytes_after").asLong())
        .isLessThan(run.table("watermark").path("metadata_bytes").asLong());
    Table table = pipeline.table("transactions");
    assertThat(snapshots("transactions"))
        .containsExactlyInAnyOrder(named, table.currentSnapshot().snapshotId());
    assertThat(table.currentSnapshot().summary()).containsEntry("tula.commit", "cleanup");
    assertThat(state("transactions")).isEqualTo(before.after(CommitKind.CLEANUP));
    assertWhole();
    writer.commitTo(12);
    assertThat(writer.stopped()).isEmpty();
    assertThat(pipeline.open(0).commitTo(13).watermark()).isEqualTo(Position.batchEnd(13));
    assertWhole();
  }

  @Test
  void the_newest_stay_and_so_does_what_is_young() {
    threeRanges();
    Set<Long> before = snapshots("transactions");

    CliRun plan =
        pipeline
            .run("cleanup", "--keep", "3", "--older-than", "0s", "--output", "json")
            .exits(ExitCode.OK);
    assertThat(plan.table("transactions").path("expired").asInt()).isEqualTo(1);
    pipeline.run("cleanup", "--keep", "1", "--older-than", "1h", "--execute").exits(ExitCode.OK);

    assertThat(snapshots("transactions")).isEqualTo(before);
  }

  /** Only then is there anything to delete but metadata. */
  @Test
  void files_that_a_compaction_replaced_are_deleted_with_the_last_snapshot_that_led_to_them() {
    threeRanges();
    ForeignEngine foreign = foreign("transactions");
    List<Path> old =
        foreign.files().stream().map(file -> Path.of(URI.create(file.location()))).toList();
    foreign.compact(row -> row);
    all("--execute").exits(ExitCode.OK);
    assertThat(old).allSatisfy(file -> assertThat(file).exists()); // W names a snapshot with them
    pipeline.open(0).commitTo(12);

    all("--execute").exits(ExitCode.OK);

    assertThat(old).allSatisfy(file -> assertThat(file).doesNotExist());
    assertWhole();
  }

  @Test
  @DisplayName("C29: what a tag or a branch names stays, and can be read")
  void a_pinned_snapshot_is_never_expired() {
    TestWriter writer = threeRanges();
    Table table = pipeline.table("transactions");
    long tagged = table.currentSnapshot().parentId();
    long branched = table.snapshot(tagged).parentId();
    table.manageSnapshots().createTag("audit", tagged).createBranch("fix", branched).commit();
    new ForeignEngine(table).compact(row -> row);
    writer.commitTo(12);

    CliRun run = all("--execute").exits(ExitCode.OK);

    assertThat(run.table("transactions").path("pinned").asInt()).isEqualTo(2);
    table.refresh();
    assertThat(table.refs()).containsKeys("audit", "fix");
    assertThat(rows(table, tagged)).hasSize(21);
    assertThat(rows(table, branched)).hasSize(12);
    assertWhole();
  }

  @Test
  @DisplayName("C29: a tag that is set while the expiry is under way is kept")
  void a_snapshot_that_is_pinned_in_between_is_kept() {
    threeRanges();
    Table table = pipeline.table("transactions");
    long tagged = table.currentSnapshot().parentId();

    allWith(
            before(
                "transactions", () -> table.manageSnapshots().createTag("audit", tagged).commit()))
        .exits(ExitCode.OK);

    table.refresh();
    assertThat(table.refs()).containsKey("audit");
    assertThat(rows(table, tagged)).hasSize(21);
    assertWhole();
  }

  @Test
  @DisplayName("C14: a live writer that commits between plan and commit is neither fenced nor lost")
  void a_range_that_is_committed_in_between_stays() {
    TestWriter writer = threeRanges();

    allWith(before("transactions", () -> writer.commitTo(12))).exits(ExitCode.OK);

    assertThat(writer.watermark()).isEqualTo(Position.batchEnd(12));
    assertThat(writer.stopped()).isEmpty();
    assertThat(writer.commitTo(13).watermark()).isEqualTo(Position.batchEnd(13));
    assertWhole();
  }

  @Test
  @DisplayName("I5: a claim in between is carried on, not overwritten")
  void a_claim_in_between_stays() {
    TestWriter first = threeRanges();
    List<TestWriter> second = new ArrayList<>();

    allWith(before("transactions", () -> second.add(pipeline.open(0)))).exits(ExitCode.OK);

    assertThat(state("transactions").claim().writerId()).isEqualTo(second.get(0).id());
    assertThat(second.get(0).commitTo(12).stopped()).isEmpty();
    first.commitTo(12);
    assertThat(first.stopped()).isPresent();
    assertWhole();
  }

  @Test
  @DisplayName("C17: an expiry that landed and was reported as unknown has landed")
  void an_unknown_commit_that_landed_is_taken_for_what_it_is() {
    threeRanges();

    CliRun run = allWith(losingReplies()).exits(ExitCode.OK);

    assertThat(run.table("transactions").path("expired").asInt()).isEqualTo(3);
    assertWhole();
  }

  @Test
  void a_commit_that_nobody_takes_ends_after_a_bound_and_deletes_nothing() {
    threeRanges();
    Set<Long> before = snapshots("transactions");
    List<Path> data = pipeline.files();

    CliRun run = allWith(losingCommits()).exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("changed under each of", "Nothing of it was deleted");
    assertThat(snapshots("transactions")).isEqualTo(before);
    assertThat(pipeline.files()).containsAll(data);
    assertWhole();
  }

  /** What the next writer leaves behind of the one that died. */
  private Path stagedByACrash() {
    threeRanges().crashingBefore(COMMITTING_A_RANGE).commitTo(11);
    return pipeline.files().stream()
        .filter(
            file -> file.getFileName().toString().endsWith("-transactions-11.2147483647.parquet"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  @DisplayName("C28: a staged file of the live claim is spared, and of a dead one deleted")
  void an_orphan_is_deleted_only_once_a_newer_writer_has_claimed_the_table() {
    Path orphan = stagedByACrash();
    pipeline.age(OLD);

    CliRun live = all("--orphans", "--execute").exits(ExitCode.OK);
    assertThat(live.table("transactions").path("orphans").asInt()).isZero();
    assertThat(orphan).exists();

    pipeline.open(0);
    CliRun plan = all("--orphans").exits(ExitCode.OK);
    assertThat(plan.table("transactions").path("orphans").asInt()).isEqualTo(1);
    assertThat(plan.table("transactions").path("orphan_bytes").asLong()).isPositive();
    assertThat(orphan).exists();
    all("--orphans", "--execute").exits(ExitCode.OK);

    assertThat(orphan).doesNotExist();
    assertWhole();
    assertThat(pipeline.open(0).commitTo(12).stopped()).isEmpty();
    assertWhole();
  }

  @Test
  void a_young_orphan_is_spared() {
    Path orphan = stagedByACrash();
    pipeline.age(OLD);
    TestPipeline.age(orphan, Duration.ofHours(2));
    pipeline.open(0);

    all("--orphans", "--execute").exits(ExitCode.OK);
    assertThat(orphan).exists();
    all("--orphans", "--orphans-older-than", "1h", "--execute").exits(ExitCode.OK);
    assertThat(orphan).doesNotExist();
  }

  @Test
  @DisplayName("C28: the claim of that table counts, not the partition's newest")
  void a_table_that_the_newer_writer_has_not_claimed_yet_keeps_its_staged_files() {
    Path orphan = stagedByACrash();
    pipeline.age(OLD);
    WriterClaim claim = state("transactions").claim();
    TestWriter starting =
        new TestWriter(pipeline, 0)
            .crashingBefore(
                effect ->
                    effect instanceof Effect.Commit commit
                        && commit.commit().table().equals("transactions"));
    starting.run();
    assertThat(state("watermark").claim().isNewerThan(claim)).isTrue();
    assertThat(state("transactions").claim()).isEqualTo(claim);

    CliRun run = all("--orphans", "--execute").exits(ExitCode.OK);

    assertThat(run.table("transactions").path("orphans").asInt()).isZero();
    assertThat(orphan).exists();
  }

  @Test
  void files_that_are_not_ours_to_judge_are_spared_and_old_metadata_is_not() throws IOException {
    threeRanges();
    pipeline.open(0);
    Path location = Path.of(URI.create(pipeline.table("transactions").location()));
    Path foreign =
        Files.writeString(
            location.resolve("data/00000-5-3f9c2a2e-9a58-4d0a-8a54-2f6f7f1f0f7e-00001.parquet"),
            "x");
    Path ofAnother =
        Files.writeString(
            location.resolve("data/1-1-writer-account_changes-4.2147483647.parquet"), "x");
    Path manifest = Files.writeString(location.resolve("metadata/left-m0.avro"), "x");
    Path metadata = Files.writeString(location.resolve("metadata/00000-left.metadata.json"), "{}");
    Path statistics = Files.writeString(location.resolve("metadata/left.stats"), "x");
    pipeline.age(OLD);

    CliRun run = all("--orphans", "--execute").exits(ExitCode.OK);

    assertThat(run.table("transactions").path("orphans").asInt()).isEqualTo(2);
    assertThat(List.of(foreign, ofAnother, statistics))
        .allSatisfy(file -> assertThat(file).exists());
    assertThat(List.of(manifest, metadata)).allSatisfy(file -> assertThat(file).doesNotExist());
    assertWhole();
  }

  @Test
  void nothing_that_any_kept_snapshot_leads_to_is_an_orphan() {
    TestWriter writer = threeRanges();
    Table table = pipeline.table("transactions");
    long tagged = table.currentSnapshot().snapshotId();
    table.manageSnapshots().createTag("audit", tagged).commit();
    new ForeignEngine(table).compact(row -> row);
    writer.commitTo(11);
    pipeline.open(0);
    pipeline.age(OLD);

    CliRun run = all("--orphans", "--execute").exits(ExitCode.OK);

    assertThat(run.table("transactions").path("orphans").asInt()).isZero();
    table.refresh();
    assertThat(rows(table, tagged)).hasSize(30);
    assertWhole();
  }

  /** Once an expiry has landed, it and what came of the other tables are told. */
  @Test
  void a_table_that_can_not_be_read_after_its_expiry_does_not_keep_the_others_from_theirs() {
    threeRanges();
    AtomicBoolean once = new AtomicBoolean();

    CliRun run =
        allWith(
                (name, commit) -> {
                  commit.run();
                  if (name.equals("transactions") && once.compareAndSet(false, true)) {
                    delete(pipeline.table(name).currentSnapshot().manifestListLocation());
                  }
                })
            .exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText())
        .contains("table transactions")
        .doesNotContain("missing");
    assertThat(run.table("transactions").path("expired").asInt()).isEqualTo(3);
    for (String other : List.of("account_changes", "watermark")) {
      assertThat(run.table(other).path("problem").isNull()).isTrue();
      assertThat(run.table(other).path("expired").asInt()).isPositive();
    }
  }

  private static void delete(String location) {
    try {
      Files.delete(Path.of(URI.create(location)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("C29: without a watermark table nobody knows what readers need, so nothing goes")
  void a_watermark_table_that_is_gone_ends_the_cleanup_of_the_others() {
    threeRanges();
    AtomicBoolean once = new AtomicBoolean();
    List<String> first = new ArrayList<>();
    Set<Long> transactions = snapshots("transactions");
    Set<Long> changes = snapshots("account_changes");

    CliRun run =
        allWith(
                (name, commit) -> {
                  if (once.compareAndSet(false, true)) {
                    first.add(name);
                    pipeline.catalog.dropTable(pipeline.identifier("watermark"), false);
                  }
                  commit.run();
                })
            .exits(ExitCode.FAIL);

    boolean begins = first.get(0).equals("transactions");
    String other = begins ? "account_changes" : "transactions";
    assertThat(run.table(other).path("problem").asText()).contains("table watermark is missing");
    assertThat(snapshots(other)).isEqualTo(begins ? changes : transactions);
  }

  @Test
  void a_table_whose_folders_may_be_shared_is_left_alone() {
    threeRanges();
    pipeline
        .table("transactions")
        .updateProperties()
        .set("write.data.path", folder.resolve("shared").toUri().toString())
        .commit();

    CliRun run = all("--orphans").exits(ExitCode.FAIL);

    assertThat(run.table("transactions").path("problem").asText()).contains("write.data.path");
    assertThat(run.table("account_changes").path("problem").isNull()).isTrue();
    all().exits(ExitCode.OK);
  }

  @Test
  void a_halted_partition_is_left_alone() {
    threeRanges().halt(HaltReason.GAP, "records 11 to 12 are missing");
    List<Path> files = pipeline.files();

    CliRun run = all("--execute").exits(ExitCode.HALTED);

    assertThat(run.json().path("left_alone").get(0).asText())
        .contains("is in force: records 11 to 12 are missing");
    assertThat(pipeline.files()).isEqualTo(files);
  }

  @Test
  void a_partition_that_is_not_sound_is_left_alone() {
    threeRanges();
    foreign("transactions").overwrite(rows -> rows.subList(1, rows.size()));
    List<Path> files = pipeline.files();

    CliRun run = all("--execute").exits(ExitCode.FAIL);

    assertThat(run.json().path("left_alone").get(0).asText())
        .contains("it has 29 rows where its state says 30");
    assertThat(pipeline.files()).isEqualTo(files);
    assertThat(pipeline.run("cleanup", "--output", "csv").exits(ExitCode.FAIL).out())
        .contains("\n0" + ",".repeat(13) + "partition 0 is left alone");
  }

  @Test
  void values_that_can_not_be_are_wrong_usage() {
    for (String[] wrong :
        new String[][] {
          {"--keep", "0"},
          {"--older-than", "soon"},
          {"--older-than", "5"},
          {"--orphans", "--orphans-older-than", "10m"}
        }) {
      pipeline.run("cleanup", wrong).exits(ExitCode.USAGE);
    }
  }

  /**
   * Every file of rows counts as old at once, whoever wrote it. Metadata is let be, as only its age
   * tells what an unfinished commit has written from what a finished one has left.
   */
  @Test
  @DisplayName("C28: orphans go beside a live writer, and nothing of its own does")
  void cleaning_up_again_and_again_beside_a_live_writer_harms_neither() throws Exception {
    Path dead = stagedByACrash();
    pipeline.age(OLD);
    TestWriter writer = pipeline.open(0);
    Thread committing =
        new Thread(
            () -> {
              for (long to = 11; to <= 40; to++) {
                writer.commitTo(to);
              }
            });
    committing.start();
    try {
      for (int i = 0; i < 5; i++) {
        Path again =
            dead.resolveSibling(dead.getFileName().toString().replace("11.", 101 + i + "."));
        Files.writeString(again, "x");
        ageRows("transactions");
        ageRows("account_changes");
        all("--orphans", "--execute").exits(ExitCode.OK);
        assertThat(List.of(dead, again)).allSatisfy(orphan -> assertThat(orphan).doesNotExist());
      }
    } finally {
      committing.join();
    }
    assertThat(writer.stopped()).isEmpty();
    assertThat(writer.watermark()).isEqualTo(Position.batchEnd(40));
    all("--execute").exits(ExitCode.OK);
    assertThat(snapshots("transactions")).hasSizeLessThanOrEqualTo(3);
    assertWhole();
  }

  /** A file that is moved to its place meanwhile is left as young as it is. */
  private void ageRows(String table) {
    File folder = new File(URI.create(pipeline.table(table).location() + "/data"));
    long then = Instant.now().minus(OLD).toEpochMilli();
    for (File file : folder.listFiles()) {
      file.setLastModified(then);
    }
  }

  @Test
  void each_partition_is_cleaned_up_by_itself() {
    try (TestPipeline two = TestPipeline.in(folder.resolve("two"), 2, Map.of())) {
      two.open(0).start().commitTo(4).commitTo(9);
      two.open(1).start().commitTo(5).commitTo(9);

      two.run("cleanup", "--older-than", "0s", "--keep", "1", "--partition", "1", "--execute")
          .exits(ExitCode.OK);

      assertThat(two.table("transactions_p0").snapshots()).hasSize(3);
      assertThat(two.table("transactions_p1").snapshots()).hasSize(2);
      two.run("verify").exits(ExitCode.OK);
    }
  }
}
