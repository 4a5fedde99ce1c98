package dev.tula.connect.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Writes a lake for tests: Iceberg's own JDBC catalog, Parquet files made by DuckDB. */
final class TestLake implements AutoCloseable {
  private final Path warehouse;
  private final LocalLake lake;
  private final JdbcCatalog catalog = new JdbcCatalog();
  private final Connection duckDb;

  TestLake(Path directory) throws IOException, SQLException {
    warehouse = directory.resolve("warehouse");
    Files.createDirectories(warehouse);
    String uri = LakeHost.sqliteUri(directory.resolve("catalog.db"));
    lake = new LocalLake(SqlLakeCatalog.sqlite(uri), LakeFiles.onDisk(), "ledger");
    catalog.initialize(
        "tula",
        Map.of(
            "uri",
            uri,
            "warehouse",
            warehouse.toUri().toString(),
            "jdbc.schema-version",
            "V1",
            "clients",
            "1",
            "io-impl",
            LocalFileIo.class.getName()));
    catalog.createNamespace(Namespace.of("ledger"));
    duckDb = DriverManager.getConnection("jdbc:duckdb:");
  }

  LocalLake lake() {
    return lake;
  }

  /** Creates every table of a shape, empty. */
  TestLake createTables(LakeShape shape) {
    for (LakeFormat.Table table : LakeFormat.tables(shape)) {
      for (int partition = 0; partition < shape.partitionCount(); partition++) {
        create(shape.physicalName(table.name(), partition), table.columns(), column -> true);
      }
    }
    return this;
  }

  /** Creates one table with those of the columns that {@code wanted} takes. */
  void create(String name, List<LakeColumn> columns, Predicate<LakeColumn> wanted) {
    List<Types.NestedField> fields = new ArrayList<>();
    for (LakeColumn column : columns) {
      if (wanted.test(column)) {
        int id = fields.size() + 1;
        fields.add(
            column.required()
                ? Types.NestedField.required(id, column.name(), type(column))
                : Types.NestedField.optional(id, column.name(), type(column)));
      }
    }
    catalog.createTable(identifier(name), new Schema(fields), PartitionSpec.unpartitioned());
  }

  private static Type type(LakeColumn column) {
    return switch (column.type()) {
      case LONG -> Types.LongType.get();
      case INT -> Types.IntegerType.get();
      case TIME -> Types.TimestampType.withZone();
      case AMOUNT -> Types.DecimalType.of(28, 0);
      case ID, HASH, TEXT -> Types.StringType.get();
      case TEXTS -> Types.ListType.ofOptional(1000, Types.StringType.get());
    };
  }

  /** Appends one file with the rows of a SELECT. */
  void append(String name, String select) throws SQLException {
    Table table = catalog.loadTable(identifier(name));
    Path file = warehouse.resolve(UUID.randomUUID() + ".parquet");
    long rows;
    try (Statement statement = duckDb.createStatement()) {
      rows =
          statement.executeLargeUpdate("COPY (" + select + ") TO '" + file + "' (FORMAT parquet)");
    }
    table
        .newAppend()
        .appendFile(
            DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath(file.toUri().toString())
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(file.toFile().length())
                .withRecordCount(rows)
                .build())
        .commit();
  }

  /** Appends to each table of a shape its share of the test transactions. */
  TestLake appendTransactions(LakeShape shape, int count) throws SQLException {
    for (LakeFormat.Table table : LakeFormat.tables(shape)) {
      for (int partition = 0; partition < shape.partitionCount(); partition++) {
        if (table.recordKind() == 1) {
          append(
              shape.physicalName(table.name(), partition),
              "SELECT * FROM ("
                  + TestRows.sql(count)
                  + ") WHERE "
                  + table.rows()
                  + " AND global_batch_seq % "
                  + shape.partitionCount()
                  + " = "
                  + partition);
        }
      }
    }
    return this;
  }

  void drop(String name) {
    catalog.dropTable(identifier(name), false);
  }

  private static TableIdentifier identifier(String name) {
    return TableIdentifier.of("ledger", name);
  }

  @Override
  public void close() throws SQLException {
    duckDb.close();
    catalog.close();
  }
}
