package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.lake.BigLakeDouble;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.S3TablesDouble;
import dev.tula.connect.sink.lake.SqliteCatalog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many commits by the sink's own path on catalogs that limit their tables, or keep them by
 * themselves. Every row is compared with the ledger's at the end, and every digest is checked.
 *
 * <p>With {@code -Dtula.cloud.long=true} it is 2,000 commits ({@code -Dtula.cloud.commits}) against
 * BigLake's own limit, and an hour of commits every 30 s on S3 Tables; otherwise as much less,
 * against a limit that is met as much earlier.
 */
class CloudCatalogsIT {
  private static final boolean LONG = Boolean.getBoolean("tula.cloud.long");

  private static final int BIG_LAKE_COMMITS =
      Integer.getInteger("tula.cloud.commits", LONG ? 2_000 : 24);
  private static final int BIG_LAKE_BYTES = LONG ? 1 << 20 : 40 << 10;

  /** A minute's, if a commit is due each second. */
  private static final int COMMITS_PER_CLEANUP = LONG ? 60 : 4;

  private static final int SNAPSHOTS_KEPT = LONG ? 10 : 2;

  /** Of each partition: an hour's, if one is due every 30 s, twice as often as by default. */
  private static final int S3_COMMITS = LONG ? 120 : 16;

  private static final int S3_COMMITS_PER_VISIT = LONG ? 10 : 4;
  private static final int S3_PARTITIONS = 2;

  @TempDir private Path folder;
  private Catalog backend;

  @BeforeEach
  void set_up() {
    backend =
        IcebergCatalogs.build(
            "backend", SqliteCatalog.properties(folder), Map.of(), Optional.empty());
  }

  @AfterEach
  void tear_down() throws Exception {
    ((AutoCloseable) backend).close();
  }

  private static void cleanUp(TestPipeline pipeline) {
    pipeline
        .run(
            "cleanup",
            "--execute",
            "--older-than",
            "0s",
            "--keep",
            Integer.toString(SNAPSHOTS_KEPT))
        .exits(ExitCode.OK);
  }

  /** Every row, by position and content, and every digest. */
  private static void assertNothingLost(TestPipeline pipeline, long lastBatch) {
    int partitions = pipeline.identity().partitionCount();
    for (int partition = 0; partition < partitions; partition++) {
      int of = partition;
      List<CanonicalRow> ledger =
          LongStream.rangeClosed(1, lastBatch)
              .filter(batch -> batch % partitions == of)
              .mapToObj(TestRows::batch)
              .flatMap(List::stream)
              .toList();
      Lake lake = pipeline.newLake(partition);
      Range all = new Range(Position.ORIGIN, Position.batchEnd(lastBatch));
      assertThat(lake.read("transactions", all, ledger.size()))
          .isEqualTo(of(RecordKind.TRANSACTION, ledger));
      assertThat(lake.read("account_changes", all, ledger.size()))
          .isEqualTo(of(RecordKind.ACCOUNT_CHANGE, ledger));
    }
    pipeline.run("status").exits(ExitCode.OK);
    pipeline.run("reconcile").exits(ExitCode.OK);
    pipeline.run("verify").exits(ExitCode.OK);
  }

  private static List<CanonicalRow> of(RecordKind kind, List<CanonicalRow> rows) {
    return rows.stream().filter(row -> row.kind() == kind).toList();
  }

  /** Commits one batch after another. Returns the one that a table has no room for. */
  private static long commitUntilFull(TestWriter writer) {
    for (long batch = 1; batch < BIG_LAKE_COMMITS; batch++) {
      long next = batch;
      LakeException full = catchThrowableOfType(LakeException.class, () -> writer.commitTo(next));
      if (full != null) {
        assertThat(full.isRetriable()).isFalse();
        assertThat(full).hasMessageContainingAll("1 MB", "tula-lake cleanup", "Nothing was lost");
        return batch;
      }
    }
    throw new AssertionError("the limit was never met");
  }

  @Test
  @DisplayName(
      "BigLake's limit: commits go on under regular cleanup, stop by name without, and lose nothing")
  void big_lake_takes_commits_as_long_as_its_tables_are_cleaned_up() throws Exception {
    try (BigLakeDouble bigLake =
            new BigLakeDouble(backend, Duration.ofMinutes(10), BIG_LAKE_BYTES);
        TestPipeline pipeline = TestPipeline.on(bigLake.clientProperties(), folder, 1)) {
      long full = commitUntilFull(pipeline.open(0).start());
      assertThat(full).isGreaterThan(COMMITS_PER_CLEANUP);
      int refused = bigLake.oversizedCommits();
      assertThat(refused).isPositive();

      cleanUp(pipeline);
      TestWriter resumed = pipeline.open(0);
      for (long batch = full; batch <= BIG_LAKE_COMMITS; batch++) {
        resumed.commitTo(batch);
        if (batch % COMMITS_PER_CLEANUP == 0) {
          cleanUp(pipeline);
        }
      }

      assertThat(resumed.watermark()).isEqualTo(Position.batchEnd(BIG_LAKE_COMMITS));
      assertThat(bigLake.oversizedCommits()).isEqualTo(refused);
      assertNothingLost(pipeline, BIG_LAKE_COMMITS);
    }
  }

  @Test
  @DisplayName("C7, C14, I5: an hour of S3 Tables' own upkeep, and a rebalance, lose nothing")
  void s3_tables_may_compact_and_expire_at_the_worst_moments() throws Exception {
    try (S3TablesDouble tables = new S3TablesDouble(backend, Namespace.of("ledger"));
        TestPipeline pipeline = TestPipeline.on(tables.clientProperties(), folder, S3_PARTITIONS)) {
      tables.maintainAtCommits(S3_COMMITS_PER_VISIT);
      List<TestWriter> writers = open(pipeline);
      writers.forEach(TestWriter::start);
      commit(writers, 1, S3_COMMITS / 2);
      List<TestWriter> next = open(pipeline);
      commit(next, S3_COMMITS / 2 + 1, S3_COMMITS);

      assertThat(next).allSatisfy(writer -> assertThat(writer.stopped()).isEmpty());
      for (TestWriter zombie : writers) {
        assertThat(zombie.commitTo(S3_PARTITIONS * (S3_COMMITS + 1)).stopped()).isPresent();
      }
      int visits = S3_PARTITIONS * S3_COMMITS / S3_COMMITS_PER_VISIT;
      assertThat(tables.compactions()).isGreaterThanOrEqualTo(visits);
      assertThat(tables.expiries()).isGreaterThanOrEqualTo(visits);
      assertNothingLost(pipeline, S3_PARTITIONS * S3_COMMITS);
    }
  }

  private static List<TestWriter> open(TestPipeline pipeline) {
    return IntStream.range(0, S3_PARTITIONS).mapToObj(pipeline::open).toList();
  }

  /** Commits of each partition, in turn: each has one batch more than the one before. */
  private static void commit(List<TestWriter> writers, int first, int last) {
    for (int commit = first; commit <= last; commit++) {
      for (TestWriter writer : writers) {
        writer.commitTo((long) S3_PARTITIONS * commit);
      }
    }
  }
}
