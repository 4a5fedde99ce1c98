package dev.tula.connect.lake.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputTest {
  private static String printed(Consumer<PrintWriter> action) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    action.accept(out);
    out.flush();
    return text.toString();
  }

  private record Sample() implements Report {
    @Override
    public void printTable(PrintWriter out) {
      out.print("for people");
    }

    @Override
    public JsonNode json() {
      return JsonNodeFactory.instance.objectNode().put("a", 1);
    }

    @Override
    public List<String> csvHeader() {
      return List.of("a", "b");
    }

    @Override
    public List<List<String>> csvRows() {
      return List.of(List.of("plain", ""), List.of("with, comma", "with \"quotes\"\nand lines"));
    }
  }

  @Test
  void each_form_prints_the_report_in_its_way() {
    assertThat(printed(out -> OutputFormat.TABLE.print(new Sample(), out))).isEqualTo("for people");
    assertThat(printed(out -> OutputFormat.JSON.print(new Sample(), out)))
        .isEqualToIgnoringWhitespace("{\"a\":1}");
    assertThat(printed(out -> OutputFormat.CSV.print(new Sample(), out)))
        .isEqualTo("a,b\nplain,\n\"with, comma\",\"with \"\"quotes\"\"\nand lines\"\n");
  }

  @Test
  void a_tables_columns_are_as_wide_as_what_is_in_them() {
    TextTable table = TextTable.of("NAME", ">ROWS", "").row("a", 12_345, "x").row("longer", 1, "");

    assertThat(printed(out -> table.print(out, "  ")).lines())
        .containsExactly("  NAME     ROWS", "  a       12345  x", "  longer      1");
    assertThatThrownBy(() -> table.row("a")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void numbers_and_spans_are_for_people() {
    assertThat(Format.number(1_234_567)).isEqualTo("1,234,567");
    assertThat(Format.number(new BigInteger("-12345678901234567890123")))
        .isEqualTo("-12,345,678,901,234,567,890,123");
    assertThat(Format.instant(1_700_000_000_000_001L)).hasToString("2023-11-14T22:13:20.000001Z");
    assertThat(Format.span(Duration.ofMillis(2_140))).isEqualTo("2.1 s");
    assertThat(Format.span(Duration.ofSeconds(125))).isEqualTo("2 min 5 s");
    assertThat(Format.span(Duration.ofMinutes(125))).isEqualTo("2 h 5 min");
    assertThat(Format.span(Duration.ofHours(49))).isEqualTo("2 d 1 h");
    assertThat(Format.span(Duration.ofMillis(-500))).isEqualTo("-0.5 s");
  }

  @AfterEach
  void no_terminal() {
    System.clearProperty(Progress.TERMINAL_PROPERTY);
  }

  @Test
  void progress_is_one_line_that_is_wiped_at_the_end() {
    System.setProperty(Progress.TERMINAL_PROPERTY, "true");

    String shown =
        printed(
            out -> {
              try (Progress progress = Progress.onTerminal(out)) {
                progress.show("rows of x", 50, 100);
                progress.show("too soon", 60, 100);
              }
            });

    String line = "[###############...............]  50 %  rows of x";
    assertThat(shown).isEqualTo("\r" + line + "\r" + " ".repeat(line.length()) + "\r");
  }

  @Test
  void progress_says_nothing_where_there_is_no_terminal() {
    assertThat(
            printed(
                out -> {
                  try (Progress progress = Progress.onTerminal(out)) {
                    progress.show("rows of x", 50, 100);
                  }
                }))
        .isEmpty();
  }
}
