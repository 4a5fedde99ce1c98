package dev.tula.connect.local;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Fills one DuckDB table for each kind of record with the engine's own records. It reads the
 * canonical bytes by their documented form, with no code in common with the sink's way from bytes
 * to columns.
 *
 * <p>Rows go through CSV files of a bounded size, because DuckDB reads those several times faster
 * than its row appender takes values. Text is always quoted there, so that a bare nothing is null
 * and {@code ""} is empty; a list is its items, each with {@link #ITEM} before it.
 *
 * <p>For one thread; {@link #close} makes the last rows visible.
 */
final class TruthTables implements AutoCloseable {
  private static final byte FORMAT = 1;
  private static final byte PRESENT = 1;
  private static final byte ITEM = 0x1f;
  private static final int MAX_FILE_ROWS = 500_000;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final Connection connection;
  private final Path directory;
  private final Map<Integer, Target> targets = new HashMap<>();
  private long rows;

  private TruthTables(Connection connection, Path directory) {
    this.connection = connection;
    this.directory = directory;
  }

  /** Where the records of one kind go. */
  private static final class Target {
    final int kind;
    final List<LakeColumn> columns;
    final Path file;
    OutputStream out;
    int fileRows;

    Target(int kind, Path directory) {
      this.kind = kind;
      this.columns = LakeFormat.columns(kind);
      this.file = directory.resolve(name(kind) + ".csv");
    }
  }

  /** The name of the table for a kind of record. */
  static String name(int recordKind) {
    return "truth_" + recordKind;
  }

  /**
   * Creates the tables.
   *
   * @param directory for the files on their way
   */
  static TruthTables create(Connection connection, Path directory) throws SQLException {
    TruthTables truth = new TruthTables(connection, directory);
    for (int kind : LakeFormat.recordKinds()) {
      Target target = new Target(kind, directory);
      truth.targets.put(kind, target);
      truth.execute(
          "CREATE TABLE "
              + name(kind)
              + target.columns.stream()
                  .map(column -> column.quoted() + " " + column.type().sqlType())
                  .collect(Collectors.joining(", ", " (", ")")));
    }
    return truth;
  }

  /**
   * Adds one record.
   *
   * @param row its canonical bytes, from position to limit
   */
  void add(ByteBuffer row) throws SQLException {
    byte format = row.get();
    int kind = row.get();
    Target target = targets.get(kind);
    if (format != FORMAT || target == null) {
      throw new StackException(
          "the engine's truth has a record of format " + format + " and kind " + kind);
    }
    try {
      write(target, row);
    } catch (IOException e) {
      throw new UncheckedIOException("could not write " + target.file, e);
    }
    rows++;
    target.fileRows++;
    if (target.fileRows == MAX_FILE_ROWS) {
      load(target);
    }
  }

  private static void write(Target target, ByteBuffer row) throws IOException {
    if (target.out == null) {
      target.out = new BufferedOutputStream(Files.newOutputStream(target.file), 1 << 16);
    }
    char separator = 0;
    for (LakeColumn column : target.columns) {
      if (separator != 0) {
        target.out.write(separator);
      }
      separator = ',';
      if (row.get() == PRESENT) {
        write(column, row, target.out);
      }
    }
    target.out.write('\n');
    if (row.hasRemaining()) {
      throw new StackException(
          "a record of kind "
              + target.kind
              + " has "
              + row.remaining()
              + " bytes after its last field");
    }
  }

  private static void write(LakeColumn column, ByteBuffer row, OutputStream out)
      throws IOException {
    switch (column.type()) {
      case LONG, TIME -> number(Long.toString(row.getLong()), out);
      case INT -> number(Integer.toString(row.getInt()), out);
      case AMOUNT -> number(amount(row), out);
      case ID, HASH -> hex(row, column.type().width(), out);
      case TEXT -> {
        out.write('"');
        text(row, out);
        out.write('"');
      }
      case TEXTS -> {
        out.write('"');
        for (int left = row.getInt(); left > 0; left--) {
          out.write(ITEM);
          text(row, out);
        }
        out.write('"');
      }
    }
  }

  private static void number(String digits, OutputStream out) throws IOException {
    out.write(digits.getBytes(StandardCharsets.US_ASCII));
  }

  private static String amount(ByteBuffer row) {
    long upper = row.getLong();
    long lower = row.getLong();
    if (upper == lower >> 63) {
      return Long.toString(lower);
    }
    return new BigInteger(ByteBuffer.allocate(16).putLong(upper).putLong(lower).array()).toString();
  }

  private static void hex(ByteBuffer row, int width, OutputStream out) throws IOException {
    out.write('"');
    for (int i = 0; i < width; i++) {
      int value = row.get() & 0xff;
      out.write(HEX[value >>> 4]);
      out.write(HEX[value & 15]);
    }
    out.write('"');
  }

  private static void text(ByteBuffer row, OutputStream out) throws IOException {
    for (int left = row.getInt(); left > 0; left--) {
      byte value = row.get();
      if (value == '"') {
        out.write('"');
      }
      out.write(value);
    }
  }

  private void load(Target target) throws SQLException {
    try {
      target.out.close();
      target.out = null;
      target.fileRows = 0;
      execute(
          "INSERT INTO "
              + name(target.kind)
              + " SELECT "
              + target.columns.stream().map(TruthTables::select).collect(Collectors.joining(", "))
              + " FROM read_csv('"
              + target.file.toString().replace("'", "''")
              + "', columns = "
              + target.columns.stream()
                  .map(TruthTables::declaration)
                  .collect(Collectors.joining(", ", "{", "}"))
              + ", header = false, auto_detect = false, delim = ',', quote = '\"', escape = '\"',"
              + " nullstr = '', allow_quoted_nulls = false)");
      Files.delete(target.file);
    } catch (IOException e) {
      throw new UncheckedIOException("could not pass on " + target.file, e);
    }
  }

  private static String declaration(LakeColumn column) {
    String type = column.type() == LakeColumn.Type.TEXTS ? "VARCHAR" : column.type().sqlType();
    return "'" + column.name() + "': '" + type + "'";
  }

  private static String select(LakeColumn column) {
    return column.type() == LakeColumn.Type.TEXTS
        ? "string_split(" + column.quoted() + ", chr(" + ITEM + "))[2:]"
        : column.quoted();
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The records added so far. */
  long rows() {
    return rows;
  }

  @Override
  public void close() throws SQLException {
    for (Target target : targets.values()) {
      if (target.out != null) {
        load(target);
      }
    }
  }
}
