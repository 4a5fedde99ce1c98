package dev.tula.connect.refnode.truth;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.engine.EntityState;
import dev.tula.connect.refnode.history.RecordForm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TruthWriterTest {
  private static final String QUOTED_NAME = "a \"quoted\", broken\nname";

  private static ReferenceCluster cluster;

  @TempDir private Path directory;

  @BeforeAll
  static void start() {
    cluster = ReferenceCluster.builder().seed(7).rows(3000).start();
    cluster.submit(engine -> engine.putSource(77, QUOTED_NAME, EntityState.ACTIVE));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static List<CanonicalRow> rows(RecordForm form) {
    try (TruthReader truth = cluster.truth(form)) {
      return truth.remaining();
    }
  }

  private static String expected(RowReader reader, int field) {
    if (!reader.isPresent(field)) {
      return "";
    }
    return switch (reader.schema().field(field).type()) {
      case LONG, TIMESTAMP -> Long.toString(reader.longValue(field));
      case INT -> Integer.toString(reader.intValue(field));
      case AMOUNT -> reader.amount(field).toString();
      case ID128, HASH256 -> reader.hex(field);
      case STRING -> reader.string(field);
      case STRING_LIST -> String.join("|", reader.stringList(field));
    };
  }

  @Test
  void csv_holds_every_value_of_every_record_in_its_column() throws IOException {
    for (RecordForm form :
        List.of(RecordForm.FULL, new RecordForm(true, false), RecordForm.NARROW)) {
      Path out = directory.resolve(form.toString().replaceAll("\\W", ""));
      try (TruthReader truth = cluster.truth(form)) {
        assertThat(new TruthWriter(form).writeCsv(truth, out)).isEqualTo(rows(form).size());
      }
      Map<RecordKind, List<List<String>>> files = new HashMap<>();
      RowReader reader = new RowReader();
      for (CanonicalRow row : rows(form)) {
        reader.wrap(row);
        List<List<String>> file = files.computeIfAbsent(row.kind(), kind -> header(kind, form));
        List<String> values = new ArrayList<>();
        for (int field = 0; field < file.get(0).size(); field++) {
          values.add(expected(reader, field));
        }
        file.add(values);
      }
      assertThat(files).hasSize(form.includeMetadata() ? 6 : 1);
      for (Map.Entry<RecordKind, List<List<String>>> file : files.entrySet()) {
        String name =
            file.getKey() == RecordKind.TRANSACTION ? "transactions" : logName(file.getKey());
        assertThat(parse(Files.readString(out.resolve(name + ".csv")))).isEqualTo(file.getValue());
      }
    }
  }

  private static String logName(RecordKind kind) {
    return kind.name().toLowerCase(Locale.ROOT) + "s";
  }

  private static List<List<String>> header(RecordKind kind, RecordForm form) {
    List<String> names =
        new ArrayList<>(RowSchema.of(kind).fields().stream().map(RowField::name).toList());
    if (kind == RecordKind.TRANSACTION && !form.fullRecord()) {
      names = new ArrayList<>(names.subList(0, 23));
    }
    List<List<String>> file = new ArrayList<>();
    file.add(names);
    return file;
  }

  /** A reader of CSV that knows nothing of the writer. */
  private static List<List<String>> parse(String text) {
    List<List<String>> lines = new ArrayList<>();
    List<String> line = new ArrayList<>();
    StringBuilder value = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '"' && i + 1 < text.length() && text.charAt(i + 1) == '"') {
        value.append('"');
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && (c == ',' || c == '\n')) {
        line.add(value.toString());
        value.setLength(0);
        if (c == '\n') {
          lines.add(line);
          line = new ArrayList<>();
        }
      } else {
        value.append(c);
      }
    }
    return lines;
  }

  @Test
  void ndjson_holds_every_record_in_order() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TruthReader truth = cluster.truth(RecordForm.FULL)) {
      new TruthWriter(RecordForm.FULL).writeNdjson(truth, out);
    }
    String[] lines = out.toString(StandardCharsets.UTF_8).split("\n");
    List<CanonicalRow> rows = rows(RecordForm.FULL);
    assertThat(lines).hasSize(rows.size());
    ObjectMapper json = new ObjectMapper();
    RowReader reader = new RowReader();
    for (int i = 0; i < lines.length; i++) {
      JsonNode line = json.readTree(lines[i]);
      reader.wrap(rows.get(i));
      assertThat(line.get("record_kind").asInt()).isEqualTo(rows.get(i).kind().code());
      for (int field = 0; field < reader.schema().size(); field++) {
        JsonNode value = line.get(reader.schema().field(field).name());
        assertThat(value != null).isEqualTo(reader.isPresent(field));
        if (value != null && !value.isArray()) {
          assertThat(value.asText()).isEqualTo(expected(reader, field));
        }
      }
    }
  }

  @Test
  void totals_count_each_table_of_each_layout() {
    long transactions =
        rows(RecordForm.FULL).stream().filter(row -> !row.kind().isMetadata()).count();
    for (Layout layout : Layout.values()) {
      try (TruthReader truth = cluster.truth(RecordForm.FULL)) {
        TruthTotals totals = TruthTotals.of(truth, layout);
        assertThat(totals.rows()).isEqualTo(3001);
        long counted =
            totals.tables().entrySet().stream()
                .filter(table -> table.getKey().startsWith("transactions"))
                .mapToLong(table -> table.getValue().rows())
                .sum();
        assertThat(counted).isEqualTo(transactions);
      }
    }
  }
}
