package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.TRANSACTIONS;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TooManyRowsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code stage} writes. */
class StagingTest {
  @TempDir Path folder;
  private Catalog catalog;

  @BeforeEach
  void open() {
    catalog = LakeFixture.jdbcCatalog(folder);
  }

  private static PipelineIdentity identity(int precision, boolean full) {
    return new PipelineIdentity(
        "cluster-1",
        "payments",
        1,
        1,
        Layout.SHARED,
        true,
        full,
        precision,
        PipelineIdentity.FORMAT);
  }

  private LakeFixture fixture(int precision, boolean full, Map<String, String> writeProps) {
    LakeFixture fixture =
        LakeFixture.of(catalog, identity(precision, full), LakeOptions.of(Map.of(), writeProps));
    fixture.lake.create(TABLE);
    return fixture;
  }

  /** A transaction whose every amount is {@code amount}. */
  private static CanonicalRow row(LogicalTable table, BigInteger amount) {
    RowWriter writer = new RowWriter().begin(table.kind());
    for (RowField field : LakeSchemas.columns(table)) {
      switch (field.type()) {
        case LONG -> writer.putLong(42);
        case INT -> writer.putInt(7);
        case TIMESTAMP -> writer.putTimestamp(1);
        case AMOUNT -> writer.putAmount(amount);
        case ID128 -> writer.putId(0, 255);
        case HASH256 -> writer.putHash(new byte[32]);
        case STRING -> writer.putString("posted");
        default -> throw new IllegalStateException(field.name());
      }
    }
    return table.fullTxnRecord() ? writer.toRow() : writer.absentToEnd().toRow();
  }

  private static TableRows rows(CanonicalRow... rows) {
    return LakeFixture.rows(List.of(rows));
  }

  @Test
  @DisplayName("C28: a staged file has the name that it was given")
  void staged_file_is_named_as_given_and_counts_its_rows() {
    try (LakeFixture fixture = fixture(28, true, Map.of())) {
      StagedFile file =
          fixture.lake.stage(
              TABLE, "3-9-w1-transactions-42.7.parquet", LakeFixture.rows(range(0, 9)));

      assertThat(file.location()).endsWith("/data/3-9-w1-transactions-42.7.parquet");
      assertThat(file.rows()).isEqualTo(9);
      assertThat(fixture.foreign().io().newInputFile(file.location()).exists()).isTrue();
      assertThat(fixture.view().totalRecords()).isZero();
    }
  }

  @Test
  @DisplayName("C16: a file of the same name may belong to a commit that landed unseen")
  void second_file_of_a_name_leaves_the_first_alone() throws IOException {
    try (LakeFixture fixture = fixture(28, true, Map.of())) {
      StagedFile first =
          fixture.lake.stage(TABLE, "1-1-w-t-1.parquet", LakeFixture.rows(range(0, 9)));
      byte[] before = Files.readAllBytes(path(first));

      StagedFile second =
          fixture.lake.stage(TABLE, "1-1-w-t-1.parquet", LakeFixture.rows(range(0, 3)));

      assertThat(Files.readAllBytes(path(first))).isEqualTo(before);
      assertThat(second.location()).endsWith("/1-1-w-t-1.1.parquet");
      assertThat(second.rows()).isEqualTo(3);
    }
  }

  private static Path path(StagedFile file) {
    return Path.of(file.location().substring("file://".length()));
  }

  @ParameterizedTest
  @ValueSource(ints = {18, 19, 28, 37, 38})
  @DisplayName("I7: amounts are exact up to the last digit")
  void widest_amounts_come_back_as_they_were(int precision) {
    BigInteger widest = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    LogicalTable table = identity(precision, true).tables().get(0);
    try (LakeFixture fixture = fixture(precision, true, Map.of())) {
      for (BigInteger amount : List.of(widest, widest.negate(), BigInteger.ZERO, BigInteger.ONE)) {
        assertThat(written(fixture, row(table, amount)).get(0).getField("amount"))
            .isEqualTo(new BigDecimal(amount));
      }
    }
  }

  /** Appends a file by itself, and reads the table. */
  private static List<Record> written(LakeFixture fixture, CanonicalRow row) {
    fixture.foreign().newDelete().deleteFromRowFilter(Expressions.alwaysTrue()).commit();
    StagedFile file = fixture.lake.stage(TABLE, "f.parquet", rows(row));
    fixture.foreign().newAppend().appendFile(((StagedDataFile) file).dataFile()).commit();
    try (CloseableIterable<Record> records = IcebergGenerics.read(fixture.foreign()).build()) {
      List<Record> list = new ArrayList<>();
      records.forEach(list::add);
      return list;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {18, 19, 28, 37, 38})
  @DisplayName("I7: a wider amount is refused with its position, never cut")
  void amount_with_one_digit_too_many_is_refused_with_its_position(int precision) {
    BigInteger tooWide = BigInteger.TEN.pow(precision);
    LogicalTable table = identity(precision, true).tables().get(0);
    try (LakeFixture fixture = fixture(precision, true, Map.of())) {
      for (BigInteger amount :
          List.of(
              tooWide,
              tooWide.negate(),
              BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE),
              BigInteger.ONE.shiftLeft(127).negate())) {
        assertThatThrownBy(() -> fixture.lake.stage(TABLE, "f.parquet", rows(row(table, amount))))
            .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
            .hasMessageContainingAll("42:7", "amount " + amount, precision + " digits");
      }
    }
  }

  @Test
  @DisplayName("lake-format.md: a widened decimal is fine, and holds what it was widened for")
  void widened_column_takes_wider_amounts() {
    BigInteger wide = BigInteger.TEN.pow(28);
    try (LakeFixture fixture = fixture(28, true, Map.of())) {
      fixture
          .foreign()
          .updateSchema()
          .updateColumn("amount", Types.DecimalType.of(38, 0))
          .updateColumn("settlement_amount", Types.DecimalType.of(38, 0))
          .updateColumn("dr_available", Types.DecimalType.of(38, 0))
          .updateColumn("cr_available", Types.DecimalType.of(38, 0))
          .updateColumn("dr_credits_posted", Types.DecimalType.of(38, 0))
          .updateColumn("dr_debits_posted", Types.DecimalType.of(38, 0))
          .updateColumn("cr_credits_posted", Types.DecimalType.of(38, 0))
          .updateColumn("cr_debits_posted", Types.DecimalType.of(38, 0))
          .commit();

      assertThat(written(fixture, row(TRANSACTIONS, wide)).get(0).getField("amount"))
          .isEqualTo(new BigDecimal(wide));
      assertThat(fixture.view().schemaFault()).isEmpty();
    }
  }

  @Test
  @DisplayName("I7: a field without a column is refused, not left out")
  void full_record_is_refused_by_a_table_without_its_columns() {
    try (LakeFixture fixture = fixture(28, false, Map.of())) {
      CanonicalRow full = row(TRANSACTIONS, BigInteger.ONE);

      assertThatThrownBy(() -> fixture.lake.stage(TABLE, "f.parquet", rows(full)))
          .isInstanceOf(LakeException.class)
          .hasMessageContainingAll("42:7", "dr_credits_posted", "no column");
    }
  }

  @Test
  void columns_that_others_added_or_moved_are_left_to_them() {
    try (LakeFixture fixture = fixture(28, true, Map.of())) {
      fixture
          .foreign()
          .updateSchema()
          .addColumn("loaded_by", Types.StringType.get())
          .moveFirst("amount")
          .commit();

      Record record = written(fixture, row(TRANSACTIONS, BigInteger.TEN)).get(0);

      assertThat(record.getField("loaded_by")).isNull();
      assertThat(record.getField("amount")).isEqualTo(BigDecimal.TEN);
      assertThat(record.getField("txn_id")).isEqualTo("000000000000000000000000000000ff");
    }
  }

  @Test
  void rows_of_many_row_groups_and_pages_come_back() {
    Map<String, String> small =
        Map.of(
            "write.parquet.row-group-size-bytes", "20000",
            "write.parquet.row-group-check-min-record-count", "10",
            "write.parquet.row-group-check-max-record-count", "50",
            "write.parquet.page-size-bytes", "1000",
            "write.parquet.dict-size-bytes", "500");
    List<CanonicalRow> rows = new RandomRows(3, 28).rows(TRANSACTIONS, Position.ORIGIN, 2_000);
    Range range = new Range(Position.ORIGIN, rows.get(rows.size() - 1).position());
    try (LakeFixture fixture = fixture(28, true, small)) {
      DataFile file =
          ((StagedDataFile) fixture.lake.stage(TABLE, "f.parquet", LakeFixture.rows(rows)))
              .dataFile();
      assertThat(file.splitOffsets()).hasSizeGreaterThan(3);
      fixture.foreign().newAppend().appendFile(file).commit();

      assertThat(fixture.lake.read(TABLE, range, 2_000)).isEqualTo(rows);
    }
  }

  @Test
  void file_carries_bounds_that_prune_by_position_and_whole_id() {
    try (LakeFixture fixture = fixture(28, true, Map.of())) {
      DataFile file =
          ((StagedDataFile) fixture.lake.stage(TABLE, "f.parquet", LakeFixture.rows(range(5, 25))))
              .dataFile();

      assertThat(bound(file, 1, Types.LongType.get(), true)).isEqualTo(6L);
      assertThat(bound(file, 1, Types.LongType.get(), false)).isEqualTo(25L);
      assertThat(bound(file, 6, Types.StringType.get(), true).toString()).hasSize(32);
      assertThat(file.nullValueCounts().get(17)).isPositive();
      assertThat(file.valueCounts().get(17)).isEqualTo(20);
      assertThat(file.fileSizeInBytes())
          .isEqualTo(path(new StagedDataFile(file)).toFile().length());
    }
  }

  private static Object bound(DataFile file, int column, Type type, boolean lower) {
    Map<Integer, ByteBuffer> bounds = lower ? file.lowerBounds() : file.upperBounds();
    return Conversions.fromByteBuffer(type, bounds.get(column));
  }

  @Test
  void write_properties_win_over_the_tables() throws IOException {
    List<CanonicalRow> rows = new RandomRows(1, 28).rows(TRANSACTIONS, Position.ORIGIN, 5_000);
    try (LakeFixture zstd = fixture(28, true, Map.of());
        LakeFixture none =
            fixture(28, true, Map.of("write.parquet.compression-codec", "uncompressed"))) {
      StagedFile small = zstd.lake.stage(TABLE, "small.parquet", LakeFixture.rows(rows));
      StagedFile large = none.lake.stage(TABLE, "large.parquet", LakeFixture.rows(rows));

      assertThat(Files.size(path(large))).isGreaterThan(Files.size(path(small)));
    }
  }

  @Test
  @DisplayName("C18: there is no file without rows")
  void staging_no_rows_is_a_callers_mistake() {
    try (LakeFixture fixture = fixture(28, true, Map.of())) {
      assertThatThrownBy(() -> fixture.lake.stage(TABLE, "f.parquet", new TableRows()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void read_is_bounded_and_ordered_and_ends_at_the_range() {
    try (LakeFixture fixture = LakeFixture.of(catalog).opened()) {
      assertThat(fixture.commitRange(0, 6)).isInstanceOf(Landed.class);
      assertThat(fixture.commitRange(6, 9)).isInstanceOf(Landed.class);

      assertThat(fixture.lake.read(TABLE, range(4, 8), 10))
          .extracting(CanonicalRow::globalBatchSeq)
          .containsExactly(5L, 6L, 7L, 8L);
      Range insideBatch = new Range(new Position(4, 0), new Position(5, 0));
      assertThat(fixture.lake.read(TABLE, insideBatch, 10))
          .extracting(CanonicalRow::globalBatchSeq)
          .containsExactly(5L);
      assertThat(fixture.lake.read(TABLE, range(9, 20), 0)).isEmpty();
      assertThatThrownBy(() -> fixture.lake.read(TABLE, range(0, 9), 8))
          .isInstanceOf(LakeException.class)
          .hasMessageContaining("more than 8 rows");
    }
  }

  @Test
  @DisplayName("C13: rows between those that are looked for are read under a limit and let go")
  void reading_at_positions_gives_their_rows_and_no_others() {
    try (LakeFixture fixture = LakeFixture.of(catalog).opened()) {
      assertThat(fixture.commitRange(0, 6)).isInstanceOf(Landed.class);
      assertThat(fixture.commitRange(6, 9)).isInstanceOf(Landed.class);
      List<CanonicalRow> all = fixture.lake.read(TABLE, range(0, 9), 100);
      Position absent = new Position(5, 77);

      TreeSet<Position> wanted = new TreeSet<>(List.of(all.get(7).position(), absent));
      wanted.add(all.get(1).position());

      assertThat(fixture.lake.readAt(TABLE, wanted, 7)).containsExactly(all.get(1), all.get(7));
      assertThatThrownBy(() -> fixture.lake.readAt(TABLE, wanted, 6))
          .isInstanceOf(TooManyRowsException.class)
          .hasMessageContaining("more than 6 rows");
      TreeSet<Position> one = new TreeSet<>(List.of(all.get(4).position()));
      assertThat(fixture.lake.readAt(TABLE, one, 1)).containsExactly(all.get(4));
    }
  }

  @Test
  void staging_to_a_table_that_is_gone_says_so() {
    try (LakeFixture fixture = fixture(28, true, Map.of())) {
      catalog.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);

      assertThatThrownBy(
              () -> fixture.lake.stage(TABLE, "f.parquet", LakeFixture.rows(range(0, 1))))
          .isInstanceOf(LakeException.class)
          .hasMessageContaining("not there");
    }
  }
}
