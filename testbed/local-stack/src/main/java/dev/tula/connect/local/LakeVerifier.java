package dev.tula.connect.local;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Holds every row of every table against the engine's own records, in DuckDB. It reads the Parquet
 * files that the tables' current snapshots list and decides for itself which record belongs into
 * which table; it shares no code with the sink.
 *
 * <p>The truth is loaded once; tables are then compared one at a time, so that memory stays within
 * its limit and the disk takes the rest. For one thread.
 */
public final class LakeVerifier implements AutoCloseable {
  private static final int EXAMPLES = 5;

  private final Connection connection;
  private final Path directory;
  private long truthRows;

  private LakeVerifier(Connection connection, Path directory) {
    this.connection = connection;
    this.directory = directory;
  }

  /**
   * Opens a verifier with an empty truth.
   *
   * @param directory for its database and what does not fit in memory
   * @param memoryMb the most memory that DuckDB may take, in MiB
   */
  public static LakeVerifier open(Path directory, int memoryMb) {
    try {
      Files.createDirectories(directory);
      Connection connection =
          DriverManager.getConnection("jdbc:duckdb:" + directory.resolve("verify.duckdb"));
      LakeVerifier verifier = new LakeVerifier(connection, directory);
      verifier.execute("SET memory_limit = '" + memoryMb + "MiB'");
      verifier.execute("SET temp_directory = " + literal(directory.resolve("spill").toString()));
      verifier.execute("SET preserve_insertion_order = false");
      return verifier;
    } catch (SQLException | IOException e) {
      throw new StackException("could not open DuckDB in " + directory, e);
    }
  }

  /**
   * Loads the engine's records, once.
   *
   * @param rows their canonical bytes, each buffer from position to limit
   */
  public void loadTruth(Iterator<ByteBuffer> rows) {
    try (TruthTables truth = TruthTables.create(connection, directory)) {
      while (rows.hasNext()) {
        truth.add(rows.next());
      }
      truthRows = truth.rows();
    } catch (SQLException e) {
      throw new StackException("the engine's records could not be loaded into DuckDB", e);
    }
  }

  /** The records that were loaded. */
  public long truthRows() {
    return truthRows;
  }

  /** Compares every table that a pipeline of this shape has. */
  public LakeVerdict verify(LocalLake lake, LakeShape shape) {
    List<TableVerdict> verdicts = new ArrayList<>();
    for (LakeFormat.Table table : LakeFormat.tables(shape)) {
      for (int partition = 0; partition < shape.partitionCount(); partition++) {
        verdicts.add(verify(lake, shape, table, partition));
      }
    }
    return new LakeVerdict(truthRows, List.copyOf(verdicts), strangers(lake, shape));
  }

  /**
   * Tables in the namespace that the layout does not have: rows there would be seen by nobody.
   * Another generation's are another pipeline's matter.
   */
  private static List<String> strangers(LocalLake lake, LakeShape shape) {
    List<String> known = new ArrayList<>();
    for (int partition = 0; partition < shape.partitionCount(); partition++) {
      known.add(shape.physicalName("watermark", partition));
      for (LakeFormat.Table table : LakeFormat.tables(shape)) {
        known.add(shape.physicalName(table.name(), partition));
      }
    }
    known.add(shape.pipelineTable());
    return lake.tableNames().stream()
        .filter(name -> !known.contains(name) && !shape.isOfAnotherGeneration(name))
        .map(name -> "table " + name + " is not part of layout " + shape.layout())
        .toList();
  }

  private TableVerdict verify(
      LocalLake lake, LakeShape shape, LakeFormat.Table table, int partition) {
    String name = shape.physicalName(table.name(), partition);
    try {
      createExpected(table, shape.partitionCount(), partition);
      long expectedRows = count("SELECT count(*) FROM expected");
      Optional<BigInteger> expectedSum = amountSum(table, "expected");
      Optional<LakeTable> found = lake.table(name);
      if (found.isEmpty()) {
        return TableVerdict.absent(name, expectedRows, expectedSum);
      }
      List<String> problems = columnProblems(table, found.get());
      if (!problems.isEmpty()) {
        return unreadable(name, expectedRows, expectedSum, problems);
      }
      createActual(table, found.get());
      return compare(table, found.get(), expectedRows, expectedSum);
    } catch (SQLException e) {
      throw new StackException("comparing table " + name + " failed: " + e.getMessage(), e);
    }
  }

  private static TableVerdict unreadable(
      String name, long expectedRows, Optional<BigInteger> expectedSum, List<String> problems) {
    return new TableVerdict(
        name,
        0,
        expectedRows,
        expectedSum.map(sum -> BigInteger.ZERO),
        expectedSum,
        expectedRows,
        0,
        0,
        0,
        problems,
        List.of());
  }

  private void createExpected(LakeFormat.Table table, int partitionCount, int partition)
      throws SQLException {
    execute(
        "CREATE OR REPLACE VIEW expected AS SELECT "
            + table.columns().stream().map(LakeColumn::quoted).collect(Collectors.joining(", "))
            + " FROM "
            + TruthTables.name(table.recordKind())
            + " WHERE ("
            + table.rows()
            + ") AND global_batch_seq % "
            + partitionCount
            + " = "
            + partition);
  }

  private void createActual(LakeFormat.Table table, LakeTable found) throws SQLException {
    String columns =
        table.columns().stream()
            .map(column -> column.sqlFromLake() + " AS " + column.quoted())
            .collect(Collectors.joining(", "));
    if (found.dataFiles().isEmpty()) {
      execute("CREATE OR REPLACE TABLE actual AS SELECT * FROM expected LIMIT 0");
      return;
    }
    String files =
        found.dataFiles().stream()
            .map(file -> literal(file.toString()))
            .collect(Collectors.joining(", "));
    execute(
        "CREATE OR REPLACE TABLE actual AS SELECT "
            + columns
            + " FROM read_parquet(["
            + files
            + "])");
  }

  private TableVerdict compare(
      LakeFormat.Table table, LakeTable found, long expectedRows, Optional<BigInteger> expectedSum)
      throws SQLException {
    long rows = count("SELECT count(*) FROM actual");
    long duplicated =
        rows
            - count(
                "SELECT count(*) FROM (SELECT DISTINCT global_batch_seq, array_index FROM actual)");
    String differs =
        table.columns().stream().map(column -> differs(column)).collect(Collectors.joining(" OR "));
    long[] counts =
        counts(
            "SELECT count(*) FILTER (WHERE a.global_batch_seq IS NULL),"
                + " count(*) FILTER (WHERE e.global_batch_seq IS NULL),"
                + " count(*) FILTER (WHERE a.global_batch_seq IS NOT NULL"
                + " AND e.global_batch_seq IS NOT NULL AND ("
                + differs
                + "))"
                + JOIN,
            3);
    List<String> problems = new ArrayList<>();
    if (rows != found.dataFileRows()) {
      problems.add(
          "its manifests promise " + found.dataFileRows() + " rows, its files hold " + rows);
    }
    boolean agree = counts[0] + counts[1] + counts[2] + duplicated == 0;
    return new TableVerdict(
        found.name(),
        rows,
        expectedRows,
        amountSum(table, "actual"),
        expectedSum,
        counts[0],
        duplicated,
        counts[2],
        counts[1],
        problems,
        agree ? List.of() : examples(table, differs));
  }

  private static final String JOIN =
      " FROM expected e FULL OUTER JOIN actual a"
          + " ON e.global_batch_seq = a.global_batch_seq AND e.array_index = a.array_index";

  private static String differs(LakeColumn column) {
    return "e." + column.quoted() + " IS DISTINCT FROM a." + column.quoted();
  }

  private List<String> examples(LakeFormat.Table table, String differs) throws SQLException {
    List<String> examples = new ArrayList<>();
    String position = "SELECT %1$s.global_batch_seq || ':' || %1$s.array_index";
    examples.addAll(
        texts(
            position.formatted("e")
                + " || ' is missing'"
                + JOIN
                + " WHERE a.global_batch_seq IS NULL"));
    examples.addAll(
        texts(
            position.formatted("a")
                + " || ' does not belong here'"
                + JOIN
                + " WHERE e.global_batch_seq IS NULL"));
    examples.addAll(
        texts(
            "SELECT global_batch_seq || ':' || array_index || ' is there ' || count(*) || ' times'"
                + " FROM actual GROUP BY global_batch_seq, array_index HAVING count(*) > 1"));
    String columns =
        table.columns().stream()
            .map(
                column ->
                    "CASE WHEN "
                        + differs(column)
                        + " THEN "
                        + literal(" " + column.name() + " ")
                        + " || coalesce(CAST(a."
                        + column.quoted()
                        + " AS VARCHAR), 'null') || ' instead of ' || coalesce(CAST(e."
                        + column.quoted()
                        + " AS VARCHAR), 'null') ELSE '' END")
            .collect(Collectors.joining(" || "));
    examples.addAll(
        texts(
            position.formatted("e")
                + " || ' has' || "
                + columns
                + JOIN
                + " WHERE a.global_batch_seq IS NOT NULL AND e.global_batch_seq IS NOT NULL AND ("
                + differs
                + ")"));
    return List.copyOf(examples);
  }

  private static List<String> columnProblems(LakeFormat.Table table, LakeTable found) {
    List<String> problems = new ArrayList<>();
    for (LakeColumn column : table.columns()) {
      Optional<LakeTable.Column> same =
          found.columns().stream().filter(c -> c.name().equals(column.name())).findFirst();
      if (same.isEmpty()) {
        problems.add("column " + column.name() + " is not there");
      } else if (!sameType(column, same.get().type())
          || column.required() != same.get().required()) {
        problems.add(
            "column "
                + column.name()
                + " is "
                + (same.get().required() ? "required " : "optional ")
                + same.get().type());
      }
    }
    return problems;
  }

  private static boolean sameType(LakeColumn column, String type) {
    return column.type() == LakeColumn.Type.AMOUNT
        ? type.matches("decimal\\(\\d+, 0\\)")
        : type.equals(column.type().icebergType());
  }

  private Optional<BigInteger> amountSum(LakeFormat.Table table, String relation)
      throws SQLException {
    if (table.recordKind() != 1) {
      return Optional.empty();
    }
    return Optional.of(
        new BigInteger(
            texts("SELECT CAST(coalesce(sum(amount), 0) AS VARCHAR) FROM " + relation).get(0)));
  }

  private long count(String sql) throws SQLException {
    return counts(sql, 1)[0];
  }

  private long[] counts(String sql, int columns) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      long[] counts = new long[columns];
      for (int i = 0; i < columns; i++) {
        counts[i] = row.getLong(i + 1);
      }
      return counts;
    }
  }

  private List<String> texts(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql + " LIMIT " + EXAMPLES)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new StackException("closing DuckDB failed", e);
    }
  }
}
