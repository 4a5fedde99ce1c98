package dev.tula.connect.lake.output;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.List;

/** What a command found, in the three forms that {@code --output} offers. */
public interface Report {
  /** Prints it for a person to read. */
  void printTable(PrintWriter out);

  /** It whole, as one document. */
  JsonNode json();

  /** The names of the columns of {@link #csvRows}. */
  List<String> csvHeader();

  /** One row for each thing reported on; an empty string where a value is absent. */
  List<List<String>> csvRows();
}
