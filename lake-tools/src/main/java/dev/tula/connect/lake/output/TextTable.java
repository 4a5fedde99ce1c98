package dev.tula.connect.lake.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table of text whose columns are as wide as what is in them. Not thread-safe. */
public final class TextTable {
  private static final String GAP = "  ";

  private final List<Column> columns;
  private final List<List<String>> rows = new ArrayList<>();

  /** A column's heading, and on which side its cells stand. */
  private record Column(String heading, boolean right) {}

  private TextTable(List<Column> columns) {
    this.columns = columns;
  }

  /**
   * A table with these headings; a heading that begins with {@code >} is that of a column of
   * numbers, which stand on the right.
   */
  public static TextTable of(String... headings) {
    List<Column> columns = new ArrayList<>();
    for (String heading : headings) {
      boolean right = heading.startsWith(">");
      columns.add(new Column(right ? heading.substring(1) : heading, right));
    }
    return new TextTable(columns);
  }

  /** Adds a row with a cell for each column. */
  public TextTable row(Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + columns.size());
    }
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(String.valueOf(cell));
    }
    rows.add(row);
    return this;
  }

  /** Prints headings and rows, each line behind an indent. */
  public void print(PrintWriter out, String indent) {
    int[] widths = new int[columns.size()];
    List<List<String>> lines = new ArrayList<>();
    lines.add(columns.stream().map(Column::heading).toList());
    lines.addAll(rows);
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    lines.forEach(line -> out.println(indent + join(line, widths)));
  }

  private String join(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - cells.get(i).length());
      line.append(columns.get(i).right() ? padding + cells.get(i) : cells.get(i) + padding);
      line.append(GAP);
    }
    return line.toString().stripTrailing();
  }
}
