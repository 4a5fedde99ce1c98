package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import picocli.CommandLine;

/**
 * One call of the command, as a shell would make it.
 *
 * @param exitCode what it exited with
 * @param out its answer
 * @param err what else it said
 */
record CliRun(int exitCode, String out, String err) {
  static CliRun of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        TulaLake.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int exitCode = command.execute(args);
    return new CliRun(exitCode, out.toString(), err.toString());
  }

  CliRun exits(int expected) {
    assertThat(exitCode).as("exit code of: %s%n%s", out, err).isEqualTo(expected);
    return this;
  }

  /** What its JSON says of a table; of commands that answer by partition, in the first. */
  JsonNode table(String name) {
    JsonNode all = json().path("tables");
    for (JsonNode table : all.isArray() ? all : json().path("partitions").path(0).path("tables")) {
      if (table.path("table").asText().equals(name)) {
        return table;
      }
    }
    throw new AssertionError("no table " + name + " in " + out);
  }

  JsonNode json() {
    try {
      return new ObjectMapper().readTree(out);
    } catch (IOException e) {
      throw new UncheckedIOException(out, e);
    }
  }
}
