package dev.tula.connect.refnode.truth;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.refnode.history.RecordForm;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Writes a truth as text, one column for each column of the lake, with the lake's names: ids and
 * digests as lower-case hex, times as µs since the epoch, amounts as whole numbers, a list joined
 * with {@code |}. Not thread-safe.
 */
public final class TruthWriter {
  private static final int FLUSH_BYTES = 1 << 16;
  private static final Map<RecordKind, String> FILES = new EnumMap<>(RecordKind.class);

  static {
    FILES.put(RecordKind.TRANSACTION, "transactions");
    FILES.put(RecordKind.ACCOUNT_CHANGE, "account_changes");
    FILES.put(RecordKind.LEDGER_CHANGE, "ledger_changes");
    FILES.put(RecordKind.CURRENCY_CHANGE, "currency_changes");
    FILES.put(RecordKind.SOURCE_CHANGE, "source_changes");
    FILES.put(RecordKind.CLUSTER_CHANGE, "cluster_changes");
  }

  private final RecordForm form;
  private final RowReader reader = new RowReader();

  /** For a truth in that form: without full records, their columns are left out. */
  public TruthWriter(RecordForm form) {
    this.form = form;
  }

  /**
   * Writes CSV files into a directory, one for each kind of record: {@code transactions.csv}, and
   * with metadata {@code account_changes.csv} and so on. An absent value is empty; a string is
   * quoted where it has to be.
   *
   * @return the number of records
   */
  public long writeCsv(TruthReader truth, Path directory) throws IOException {
    Files.createDirectories(directory);
    Map<RecordKind, Output> outputs = new EnumMap<>(RecordKind.class);
    try {
      for (Map.Entry<RecordKind, String> file : FILES.entrySet()) {
        if (form.includeMetadata() || !file.getKey().isMetadata()) {
          Path path = directory.resolve(file.getValue() + ".csv");
          Output output = new Output(Files.newOutputStream(path));
          outputs.put(file.getKey(), output);
          csvHeader(file.getKey(), output.text);
        }
      }
      long rows = 0;
      for (; truth.next(); rows++) {
        Output output = outputs.get(truth.row().kind());
        csvRow(truth.row(), output.text);
        output.flushIfLarge();
      }
      return rows;
    } finally {
      for (Output output : outputs.values()) {
        output.close();
      }
    }
  }

  /**
   * Writes one JSON object a line, in order: {@code record_kind} and the columns; absent ones are
   * left out, amounts are strings.
   *
   * @return the number of records
   */
  public long writeNdjson(TruthReader truth, OutputStream out) throws IOException {
    TextBuffer text = new TextBuffer();
    long rows = 0;
    for (; truth.next(); rows++) {
      jsonRow(truth.row(), text);
      if (text.length() > FLUSH_BYTES) {
        text.writeTo(out);
      }
    }
    text.writeTo(out);
    out.flush();
    return rows;
  }

  private List<RowField> columns(RecordKind kind) {
    List<RowField> fields = RowSchema.of(kind).fields();
    boolean narrow = kind == RecordKind.TRANSACTION && !form.fullRecord();
    return narrow ? fields.subList(0, RowSchema.FIRST_FULL_RECORD_FIELD) : fields;
  }

  private void csvHeader(RecordKind kind, TextBuffer text) {
    char separator = 0;
    for (RowField column : columns(kind)) {
      if (separator != 0) {
        text.put(separator);
      }
      text.put(column.name());
      separator = ',';
    }
    text.put('\n');
  }

  private void csvRow(CanonicalRow row, TextBuffer text) {
    reader.wrap(row);
    List<RowField> columns = columns(row.kind());
    for (int field = 0; field < columns.size(); field++) {
      if (field > 0) {
        text.put(',');
      }
      if (reader.isPresent(field)) {
        switch (columns.get(field).type()) {
          case STRING -> csvString(field, text);
          case STRING_LIST -> text.put(quoted(String.join("|", reader.stringList(field))));
          default -> plainValue(field, columns.get(field), text);
        }
      }
    }
    text.put('\n');
  }

  private void csvString(int field, TextBuffer text) {
    byte[] bytes = reader.array();
    int from = reader.valueOffset(field);
    int length = reader.valueLength(field);
    for (int i = from; i < from + length; i++) {
      byte c = bytes[i];
      if (c == ',' || c == '"' || c == '\n' || c == '\r') {
        text.put(quoted(reader.string(field)));
        return;
      }
    }
    // An empty value without quotes would read as an absent one.
    if (length == 0) {
      text.put("\"\"");
    }
    text.put(bytes, from, length);
  }

  private static String quoted(String value) {
    return '"' + value.replace("\"", "\"\"") + '"';
  }

  private void plainValue(int field, RowField column, TextBuffer text) {
    switch (column.type()) {
      case LONG, TIMESTAMP -> text.put(reader.longValue(field));
      case INT -> text.put(reader.intValue(field));
      case AMOUNT -> {
        long low = reader.amountLow(field);
        if (reader.amountHigh(field) == low >> 63) {
          text.put(low);
        } else {
          text.put(reader.amount(field));
        }
      }
      case ID128, HASH256 ->
          text.putHex(reader.array(), reader.valueOffset(field), reader.valueLength(field));
      default -> throw new IllegalArgumentException(column + " is no plain value");
    }
  }

  private void jsonRow(CanonicalRow row, TextBuffer text) {
    reader.wrap(row);
    text.put("{\"record_kind\":");
    text.put(row.kind().code());
    List<RowField> columns = columns(row.kind());
    for (int field = 0; field < columns.size(); field++) {
      if (reader.isPresent(field)) {
        text.put(",\"" + columns.get(field).name() + "\":");
        jsonValue(field, columns.get(field), text);
      }
    }
    text.put("}\n");
  }

  private void jsonValue(int field, RowField column, TextBuffer text) {
    switch (column.type()) {
      case STRING -> text.put(jsonString(reader.string(field)));
      case STRING_LIST -> {
        List<String> items =
            reader.stringList(field).stream().map(TruthWriter::jsonString).toList();
        text.put("[" + String.join(",", items) + "]");
      }
      case AMOUNT, ID128, HASH256 -> {
        text.put('"');
        plainValue(field, column, text);
        text.put('"');
      }
      default -> plainValue(field, column, text);
    }
  }

  private static String jsonString(String value) {
    StringBuilder escaped = new StringBuilder(value.length() + 2).append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        escaped.append('\\').append(c);
      } else if (c < ' ') {
        escaped.append(String.format("\\u%04x", (int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.append('"').toString();
  }

  private static final class Output implements Closeable {
    private final OutputStream out;
    private final TextBuffer text = new TextBuffer();

    Output(OutputStream out) {
      this.out = out;
    }

    void flushIfLarge() throws IOException {
      if (text.length() > FLUSH_BYTES) {
        text.writeTo(out);
      }
    }

    @Override
    public void close() throws IOException {
      try (out) {
        text.writeTo(out);
      }
    }
  }
}
