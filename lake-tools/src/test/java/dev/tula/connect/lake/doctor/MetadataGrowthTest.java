package dev.tula.connect.lake.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import dev.tula.connect.sink.lake.SqliteCatalog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetadataGrowthTest {
  private static final long MB = 1 << 20;
  private static final int KEEP = 10;
  private static final int COMMITS = 20;
  private static final Namespace NAMESPACE = Namespace.of("ledger");

  /** The default layout at the default interval. */
  private static final MetadataGrowth DEFAULT =
      new MetadataGrowth(Duration.ofMinutes(1), Layout.BY_TYPE.tables(false, false).size(), 100);

  @TempDir private Path folder;

  private static PipelineIdentity identity(Layout layout, boolean metadata) {
    return new PipelineIdentity(
        "cluster-of-some-length", "pipeline", 1, 1, layout, metadata, false, 28, 1);
  }

  private static long bytes(Catalog catalog, String table) {
    TableMetadata metadata =
        ((HasTableOperations) catalog.loadTable(TableIdentifier.of(NAMESPACE, table)))
            .operations()
            .current();
    return TableMetadataParser.toJson(metadata).getBytes(StandardCharsets.UTF_8).length;
  }

  /** The constants, held against what the sink's own engine writes. */
  @ParameterizedTest
  @CsvSource({"SHARED, false", "SHARED, true", "BY_TYPE, false", "BY_TYPE, true"})
  void no_table_grows_faster_than_is_reckoned_and_the_watermarks_not_much_slower(
      Layout layout, boolean metadata) throws Exception {
    PipelineIdentity identity = identity(layout, metadata);
    Catalog catalog =
        IcebergCatalogs.build("lake", SqliteCatalog.properties(folder), Map.of(), Optional.empty());
    try (IcebergLake lake =
        new IcebergLake(catalog, NAMESPACE, identity, 0, LakeOptions.of(Map.of(), Map.of()))) {
      TrialWriter writer = new TrialWriter(identity, lake);
      writer.open();
      writer.commit(1);
      long before = bytes(catalog, TableNames.WATERMARK);
      long tableBefore = bytes(catalog, writer.table());
      for (long batch = 2; batch <= 1 + COMMITS; batch++) {
        writer.commit(batch);
      }

      MetadataGrowth growth =
          new MetadataGrowth(Duration.ofMinutes(1), identity.tables().size(), 100);
      long reckoned = COMMITS * (growth.snapshotBytes() + MetadataGrowth.LOG_ENTRY_BYTES);
      assertThat(bytes(catalog, TableNames.WATERMARK) - before)
          .isBetween(reckoned * 6 / 10, reckoned);
      assertThat(bytes(catalog, writer.table()) - tableBefore).isBetween(1L, reckoned);
      // Claims and the first watermark are snapshots too.
      assertThat(before).isLessThan(growth.bytes(4));
    } finally {
      ((AutoCloseable) catalog).close();
    }
  }

  @Test
  void snapshots_are_those_kept_those_made_since_and_the_cleanups_own() {
    Duration hour = Duration.ofHours(1);
    assertThat(DEFAULT.snapshots(hour, Duration.ofMinutes(30), KEEP)).isEqualTo(30 + 60 + 1 + 3);
    assertThat(DEFAULT.snapshots(hour, Duration.ZERO, KEEP)).isEqualTo(KEEP + 60 + 3);
    assertThat(DEFAULT.snapshots(Duration.ofSeconds(90), Duration.ofSeconds(61), 1))
        .as("what is begun counts whole")
        .isEqualTo(2 + 2 + 1 + 3);
  }

  /** The longest that fits does, and the next longer one does not. */
  @Test
  void needed_schedule_keeps_a_table_below_the_limit() {
    Duration half = Duration.ofMinutes(30);
    Duration needed = DEFAULT.neededEvery(MB, half, KEEP).orElseThrow();

    assertThat(needed).isEqualTo(Duration.ofHours(2));
    assertThat(DEFAULT.bytes(DEFAULT.snapshots(needed, half, KEEP))).isLessThan(MB * 8 / 10);
    assertThat(DEFAULT.keepsBelow(MB, Duration.ofHours(4), half, KEEP)).isFalse();
  }

  @Test
  void five_days_of_snapshots_fit_into_no_megabyte_and_another_span_is_named() {
    assertThat(DEFAULT.neededEvery(MB, Duration.ofDays(5), KEEP)).isEmpty();
    Duration span = DEFAULT.neededOlderThan(MB, KEEP).orElseThrow();
    assertThat(DEFAULT.keepsBelow(MB, span, span, KEEP)).isTrue();
  }

  @Test
  void ranges_that_come_too_fast_have_no_schedule() {
    MetadataGrowth hasty = new MetadataGrowth(Duration.ofMillis(100), 1, 100);

    assertThat(hasty.neededOlderThan(MB, KEEP)).isEmpty();
  }

  @Test
  void table_that_nobody_cleans_up_is_full_when_its_snapshots_fill_the_limit() {
    Duration full = DEFAULT.full(MB);
    long snapshots = full.dividedBy(Duration.ofMinutes(1));

    assertThat(DEFAULT.bytes(snapshots)).isLessThanOrEqualTo(MB);
    assertThat(DEFAULT.bytes(snapshots + 1)).isGreaterThan(MB);
    assertThat(full).isBetween(Duration.ofHours(3), Duration.ofHours(6));
  }
}
