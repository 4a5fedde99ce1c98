package dev.tula.connect.lake.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/** The values of {@code --output}. */
public enum OutputFormat {
  /** For people. */
  TABLE {
    @Override
    public void print(Report report, PrintWriter out) {
      report.printTable(out);
      out.flush();
    }
  },
  /** One JSON document. */
  JSON {
    @Override
    public void print(Report report, PrintWriter out) {
      try {
        out.println(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(report.json()));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a tree of JSON nodes can always be written", e);
      }
      out.flush();
    }
  },
  /** A header and rows, as RFC 4180 has it, with plain line feeds. */
  CSV {
    @Override
    public void print(Report report, PrintWriter out) {
      out.print(line(report.csvHeader()));
      report.csvRows().forEach(row -> out.print(line(row)));
      out.flush();
    }
  };

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Prints a report. */
  public abstract void print(Report report, PrintWriter out);

  private static String line(List<String> cells) {
    return cells.stream().map(OutputFormat::quoted).collect(Collectors.joining(",")) + "\n";
  }

  private static String quoted(String cell) {
    boolean plain =
        cell.indexOf(',') < 0
            && cell.indexOf('"') < 0
            && cell.indexOf('\n') < 0
            && cell.indexOf('\r') < 0;
    return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }
}
