package dev.tula.connect.refnode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command line answers without serving. */
class ReferenceNodeTest {
  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return ReferenceNode.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
  }

  private String history() {
    return directory.resolve("history").toString();
  }

  @Test
  void a_wrong_command_line_says_what_is_wrong_and_exits_with_64() {
    assertThat(run()).isEqualTo(64);
    assertThat(run("serve")).isEqualTo(64);
    assertThat(run("serve", "--dir", history(), "--mix", "nonsense")).isEqualTo(64);
    assertThat(run("serve", "--dir", history(), "--nodes", "4")).isEqualTo(64);
    assertThat(run("truth", "--dir", directory.resolve("none").toString())).isEqualTo(64);
    assertThat(run("truth", "--dir", directory.toString(), "--format", "csv")).isEqualTo(64);
    assertThat(err.toString())
        .contains("name a command")
        .contains("mix \"nonsense\"")
        .contains("4 nodes")
        .contains("is no directory")
        .contains("--out");
  }

  @Test
  void a_file_that_can_not_be_replayed_is_refused_with_its_line() throws IOException {
    Path csv =
        Files.writeString(
            directory.resolve("bad.csv"),
            "type,ledger_id,currency,txn_id,debit_account,credit_account,amount\nx,1,USD,,,,\n");
    assertThat(run("serve", "--dir", history(), "--replay", csv.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("bad.csv, line 2: type");
  }

  @Test
  void help_is_printed() {
    assertThat(run("--help")).isZero();
    assertThat(run("serve", "--help")).isZero();
    assertThat(out.toString()).contains("serve", "truth", "--replay", "--export_lease_ttl_ms");
  }

  @Test
  void the_truth_is_written_where_it_is_asked_for() throws IOException {
    ReferenceCluster.builder().rows(500).dir(Path.of(history())).start().close();
    Path csv = directory.resolve("csv");
    Path lines = directory.resolve("truth.ndjson");
    assertThat(run("truth", "--dir", history(), "--format", "csv", "--out", csv.toString()))
        .isZero();
    assertThat(
            run(
                "truth",
                "--dir",
                history(),
                "--format",
                "ndjson",
                "--include-metadata",
                "--full-record",
                "--out",
                lines.toString()))
        .isZero();
    assertThat(Files.readAllLines(lines)).hasSize(500);
    assertThat(csv.resolve("transactions.csv")).exists();
    assertThat(run("truth", "--dir", history(), "--full-record")).isEqualTo(64);
  }
}
