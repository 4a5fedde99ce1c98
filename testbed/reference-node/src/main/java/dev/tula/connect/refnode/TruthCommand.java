package dev.tula.connect.refnode;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.Layout;
import dev.tula.connect.refnode.truth.TruthReader;
import dev.tula.connect.refnode.truth.TruthTotals;
import dev.tula.connect.refnode.truth.TruthWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints what a ledger holds. */
@Command(
    name = "truth",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Prints every record of a ledger, in order, from the files of its history.",
      "A node may be writing them meanwhile: the print ends with the last whole batch."
    })
final class TruthCommand implements Callable<Integer> {
  /** What is printed. */
  enum Format {
    /** A directory of CSV files, one for each kind of record. */
    CSV,
    /** One JSON object a line. */
    NDJSON,
    /** Records and amount sums of each table, and a SHA-256 over all. */
    TOTALS
  }

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = {"--dir", "--history.dir"},
      required = true,
      description = "Where the history lies.")
  private Path directory;

  @Option(names = "--format", description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Format format = Format.TOTALS;

  @Option(
      names = "--out",
      description = "The file to write, or for CSV the directory. Default: standard output.")
  private Path out;

  @Option(names = "--include-metadata", description = "Metadata changes and reason codes too.")
  private boolean includeMetadata;

  @Option(
      names = "--full-record",
      description = "Balances and digests too; needs --include-metadata.")
  private boolean fullRecord;

  @Option(names = "--partition", description = "The export partition. Default: ${DEFAULT-VALUE}.")
  private int partition;

  @Option(names = "--partition-count", description = "Of so many. Default: ${DEFAULT-VALUE}.")
  private int partitionCount = 1;

  @Option(names = "--through", description = "The last position, as gbs:idx. Default: the head.")
  private String through;

  @Option(
      names = "--layout",
      description = "by_type, by_mode or shared; for TOTALS. Default: ${DEFAULT-VALUE}.")
  private String layout = "by_type";

  @Override
  public Integer call() throws IOException {
    RecordForm form = new RecordForm(includeMetadata, fullRecord);
    if (!Files.isDirectory(directory)) {
      throw new IllegalArgumentException(directory + " is no directory");
    }
    Position last = through == null ? Position.batchEnd(Long.MAX_VALUE) : Position.parse(through);
    try (TruthReader truth = TruthReader.open(directory, partition, partitionCount, form, last)) {
      switch (format) {
        case CSV -> writeCsv(truth, form);
        case NDJSON -> writeNdjson(truth, form);
        case TOTALS -> writeTotals(truth);
      }
    }
    return 0;
  }

  private void writeCsv(TruthReader truth, RecordForm form) throws IOException {
    if (out == null) {
      throw new IllegalArgumentException(
          "CSV needs --out with a directory: there is a file a kind");
    }
    long rows = new TruthWriter(form).writeCsv(truth, out);
    spec.commandLine().getErr().println(rows + " records in " + out);
  }

  private void writeNdjson(TruthReader truth, RecordForm form) throws IOException {
    TruthWriter writer = new TruthWriter(form);
    if (out == null) {
      writer.writeNdjson(truth, System.out);
      return;
    }
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(out))) {
      writer.writeNdjson(truth, file);
    }
  }

  private void writeTotals(TruthReader truth) throws IOException {
    TruthTotals totals = TruthTotals.of(truth, Layout.ofName(layout));
    ObjectNode root = new ObjectMapper().createObjectNode();
    root.put("rows", totals.rows());
    root.put("last", totals.last().toString());
    root.put("sha256", totals.sha256());
    ObjectNode tables = root.putObject("tables");
    totals
        .tables()
        .forEach(
            (name, total) ->
                tables
                    .putObject(name)
                    .put("rows", total.rows())
                    .put("amount_sum", total.amountSum().toString()));
    if (out == null) {
      spec.commandLine().getOut().println(root);
    } else {
      Files.writeString(out, root + "\n");
    }
  }
}
