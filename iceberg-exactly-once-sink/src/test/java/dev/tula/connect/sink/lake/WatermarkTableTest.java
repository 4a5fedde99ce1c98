package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.engine.TableNames.WATERMARK;
import static dev.tula.connect.sink.lake.LakeFixture.claim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Chain;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.Lake.CommitReply.Unknown;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WatermarkState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatermarkTableTest {
  private static final Instant NOW = Instant.parse("2026-03-04T05:06:07.123456789Z");

  @TempDir Path folder;
  private LakeFixture fixture;

  @BeforeEach
  void open() {
    fixture =
        LakeFixture.of(
            LakeFixture.jdbcCatalog(folder),
            LakeFixture.IDENTITY,
            new LakeOptions(
                Map.of(),
                Map.of(),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                false,
                Long.MAX_VALUE,
                Clock.fixed(NOW, ZoneOffset.UTC)));
    fixture.lake.create(WATERMARK);
    TableView view = fixture.view(WATERMARK);
    fixture.lake.commit(
        new TableCommit(
            WATERMARK,
            view.uuid(),
            Optional.empty(),
            firstClaim(),
            new TableCommit.Change.NoRows(),
            Map.of()));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static TableState firstClaim() {
    TableState state = LakeFixture.claimed(Optional.empty(), claim(1));
    return new TableState(
        state.format(),
        state.identity(),
        state.claim(),
        state.commit(),
        Optional.empty(),
        0,
        Optional.empty(),
        Chain.ZERO,
        OptionalLong.empty(),
        Optional.of(
            new WatermarkState(
                Map.of(), 0, Optional.empty(), OptionalLong.empty(), Optional.empty())));
  }

  private List<Record> rows() {
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(fixture.foreign(WATERMARK)).build()) {
      List<Record> rows = new ArrayList<>();
      records.forEach(rows::add);
      return rows;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("C7: no record before W₀, then one")
  void watermark_row_is_replaced_in_place() {
    assertThat(fixture.view(WATERMARK).totalRecords()).isZero();
    for (long to = 1; to <= 3; to++) {
      assertThat(fixture.moveWatermark(to - 1, to)).isInstanceOf(Landed.class);

      assertThat(rows()).hasSize(1);
      assertThat(rows().get(0).getField("global_batch_seq")).isEqualTo(to);
      assertThat(fixture.view(WATERMARK).totalRecords()).isEqualTo(1);
      assertThat(fixture.view(WATERMARK).disagreement()).isEmpty();
    }
  }

  @Test
  void watermark_row_says_what_the_engine_says() {
    fixture.moveWatermark(0, 7);

    Record row = rows().get(0);
    assertThat(row.getField("pipeline")).isEqualTo("payments");
    assertThat(row.getField("generation")).isEqualTo(1);
    assertThat(row.getField("partition")).isEqualTo(0);
    assertThat(row.getField("partition_count")).isEqualTo(1);
    assertThat(row.getField("array_index")).isEqualTo(Integer.MAX_VALUE);
    assertThat(row.getField("closed_through"))
        .isEqualTo(OffsetDateTime.parse("1970-01-01T00:00:00.000007Z"));
    assertThat(row.getField("layout")).isEqualTo("shared");
    assertThat(row.getField("include_metadata")).isEqualTo(true);
    assertThat(row.getField("full_txn_record")).isEqualTo(true);
    assertThat(row.getField("writer_epoch")).isEqualTo(1L);
    assertThat(row.getField("kafka_topic")).isEqualTo("ledger");
    assertThat(row.getField("kafka_partition")).isEqualTo(0);
    assertThat(row.getField("kafka_offset")).isEqualTo(7L);
    assertThat(row.getField("updated_at"))
        .isEqualTo(OffsetDateTime.parse("2026-03-04T05:06:07.123456Z"));
  }

  @Test
  @DisplayName("C19: a foreign rewrite of the one-row table does no harm")
  void watermark_moves_on_after_a_foreign_rewrite() {
    fixture.moveWatermark(0, 1);
    rewrite();
    assertThat(fixture.view(WATERMARK).disagreement()).isEmpty();

    assertThat(fixture.moveWatermark(1, 2)).isInstanceOf(Landed.class);

    assertThat(rows()).hasSize(1);
    assertThat(rows().get(0).getField("global_batch_seq")).isEqualTo(2L);
    assertThat(fixture.view(WATERMARK).totalRecords()).isEqualTo(1);
  }

  @Test
  @DisplayName("C19: ... not even between check and swap")
  void watermark_moves_on_over_a_foreign_rewrite_in_between() {
    fixture.moveWatermark(0, 1);
    TableCommit commit = LakeFixture.watermarkCommit(fixture.view(WATERMARK), 1, 2);
    AtomicInteger commits = new AtomicInteger();
    try (LakeFixture slow =
        fixture.handling(
            (operations, base, metadata) -> {
              if (commits.incrementAndGet() == 1) {
                rewrite();
              }
              operations.commit(base, metadata);
            })) {
      assertThat(slow.lake.commit(commit)).isInstanceOf(Landed.class);
    }
    assertThat(commits).hasValue(2);
    assertThat(rows()).hasSize(1);
    assertThat(rows().get(0).getField("global_batch_seq")).isEqualTo(2L);
  }

  /** A maintenance job writes the one row to another file. */
  private void rewrite() {
    Table table = fixture.foreign(WATERMARK);
    DataFile before = ForeignEngine.files(table).iterator().next();
    DataFile after = ForeignEngine.copy(table);
    RewriteFiles rewrite = table.newRewrite();
    rewrite.deleteFile(before).addFile(after).commit();
  }

  @Test
  @DisplayName("I2, I5: a fenced writer's watermark is refused")
  void watermark_of_a_fenced_writer_is_refused() {
    TableCommit zombie = LakeFixture.watermarkCommit(fixture.view(WATERMARK), 0, 1);
    fixture.claim(WATERMARK, claim(2));

    assertThat(fixture.lake.commit(zombie)).isInstanceOf(Refused.class);
    assertThat(rows()).isEmpty();
  }

  @Test
  @DisplayName("C16: a second try never writes over the file of a first one that may have landed")
  void second_try_leaves_the_first_ones_file_alone() {
    TableCommit commit = LakeFixture.watermarkCommit(fixture.view(WATERMARK), 0, 1);
    AtomicReference<Runnable> late = new AtomicReference<>();
    try (LakeFixture lying =
        fixture.handling(
            (operations, base, metadata) -> {
              late.set(() -> operations.commit(base, metadata));
              throw new CommitStateUnknownException(new ServiceFailureException("504"));
            })) {
      assertThat(lying.lake.commit(commit)).isInstanceOf(Unknown.class);
      assertThat(lying.lake.commit(commit)).isInstanceOf(Unknown.class);
    }
    late.get().run();

    CommitReply reply = fixture.lake.commit(commit);
    assertThat(reply).isInstanceOf(Landed.class);
    assertThat(rows()).hasSize(1);
  }
}
