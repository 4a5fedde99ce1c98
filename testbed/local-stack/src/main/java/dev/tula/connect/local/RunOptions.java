package dev.tula.connect.local;

import dev.tula.connect.local.LakeShape.Layout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code run-local}. Defaults that are not said here are those of the files. */
final class RunOptions {
  /** What {@code --converter} selects. */
  enum ConverterChoice {
    /** JSON with the schema in every record. */
    JSON,
    /** The project's own compact bytes. */
    COMPACT
  }

  private static final long KILL_COMMIT_INTERVAL_MS = 1_000;
  private static final long MIN_RANGE_ROWS = 100;
  private static final long MAX_RANGE_ROWS = 500_000;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description =
          "The ledger has N records, made before the connectors start (with --rate: while they"
              + " run). Without it the ledger grows until you stop the run.")
  Long rows;

  @Option(
      names = "--replay",
      paramLabel = "FILE",
      description = "The ledger is made of the transfers in a CSV file instead of a workload.")
  Path replay;

  @Option(
      names = "--verify",
      description = "Compare every row of every table with the ledger once the lake is complete.")
  boolean verify;

  @Option(
      names = "--exit",
      description = "Stop once the lake is complete; else everything runs on until Ctrl-C.")
  boolean exit;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      description = "How transactions are spread over tables: ${COMPLETION-CANDIDATES}.")
  Layout layout;

  @Option(
      names = "--catalog",
      paramLabel = "CATALOG",
      description =
          "What holds the lake: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE} is the default). All"
              + " but sqlite start servers of their own.")
  LakeKind catalog = LakeKind.SQLITE;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "Export partitions, each with a source task, a sink task and tables.")
  Integer partitions;

  @Option(
      names = "--full-record",
      description = "Transactions carry balances and the engine's digest; includes metadata.")
  boolean fullRecord;

  @Option(
      names = "--no-metadata",
      description = "Leave out account, ledger, currency, source and cluster changes.")
  boolean noMetadata;

  @Option(
      names = "--converter",
      paramLabel = "FORMAT",
      description =
          "What the data topic holds: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE} is the default)."
              + " JSON carries the schema in every record.")
  ConverterChoice converter = ConverterChoice.COMPACT;

  @Option(
      names = "--commit-interval",
      paramLabel = "MS",
      description = "How often the sink commits, in ms; 5000 in the file, 1000 with kills.")
  Long commitIntervalMs;

  @Option(
      names = "--kill-worker",
      paramLabel = "N",
      description = "SIGKILL the Connect worker N times, spread over the run, and start it again.")
  int killWorker;

  @Option(
      names = "--no-exactly-once-source",
      description =
          "The worker writes source offsets apart from the records. With kills, offsets are not"
              + " written between two of them, so that rows are certain to be sent again.")
  boolean noExactlyOnceSource;

  @Option(
      names = "--worker-heap",
      paramLabel = "MB",
      description = "The Connect worker's heap, in MiB; ${DEFAULT-VALUE} is the default.")
  int workerHeapMb = StackOptions.DEFAULT_WORKER_HEAP_MB;

  @Option(
      names = "--catalog-down",
      paramLabel = "S",
      description =
          "The catalog's server is killed once rows are in the lake, and started again S seconds"
              + " later.")
  int catalogDownSeconds;

  @Option(
      names = "--source",
      paramLabel = "KEY=VALUE",
      description = "Sets a key of the source connector; may be repeated.")
  Map<String, String> source = Map.of();

  @Option(
      names = "--sink",
      paramLabel = "KEY=VALUE",
      description = "Sets a key of the sink connector; may be repeated.")
  Map<String, String> sink = Map.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "What the workload is derived from; ${DEFAULT-VALUE} is the default.")
  long seed = 1;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Records per second that the ledger grows by; 2000 without --rows, else as fast as it"
              + " goes.")
  Double rate;

  @Option(
      names = "--bootstrap",
      description =
          "The engine has reclaimed the first half of the ledger before the connectors start, and"
              + " the source bootstraps: accounts and registries first, then the stream from there.")
  boolean bootstrap;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "Run in DIR, which must be empty or new, and leave everything there: lake, logs, ledger.")
  Path keep;

  /** What is wrong with these options together, if anything. */
  Optional<String> problem() {
    if (rows != null && rows < 1) {
      return Optional.of("--rows must be 1 or more");
    }
    if (rows != null && replay != null) {
      return Optional.of(
          "--rows and --replay exclude each other: the file says how many there are");
    }
    if ((verify || exit || killWorker > 0) && !bounded()) {
      return Optional.of("--verify, --exit and --kill-worker need an end: give --rows or --replay");
    }
    if (catalogDownSeconds > 0 && (!bounded() || catalog == LakeKind.SQLITE)) {
      return Optional.of(
          "--catalog-down needs an end, --rows or --replay, and a --catalog with a server");
    }
    if (bootstrap && (!bounded() || noMetadata)) {
      return Optional.of(
          "--bootstrap needs --rows or --replay, and metadata; leave --no-metadata out");
    }
    if (fullRecord && noMetadata) {
      return Optional.of("--full-record includes metadata; leave --no-metadata out");
    }
    if (partitions != null && partitions < 1
        || killWorker < 0
        || workerHeapMb < 1
        || catalogDownSeconds < 0
        || rate != null && rate <= 0) {
      return Optional.of(
          "--partitions, --kill-worker, --worker-heap, --catalog-down and --rate must be positive");
    }
    return Optional.empty();
  }

  /** Whether the ledger has an end. */
  boolean bounded() {
    return rows != null || replay != null;
  }

  /** What the flags change in the source connector's file. */
  Map<String, String> sourceOverrides() {
    Map<String, String> overrides = sharedOverrides();
    if (bootstrap) {
      overrides.put("tula.bootstrap", "initial");
    }
    if (noExactlyOnceSource) {
      overrides.put("exactly.once.support", "requested");
    }
    overrides.putAll(source);
    return overrides;
  }

  /** What the flags change in the sink connector's file. */
  Map<String, String> sinkOverrides() {
    Map<String, String> overrides = sharedOverrides();
    if (layout != null) {
      overrides.put("tula.layout", layout.toString());
    }
    if (commitIntervalMs != null) {
      overrides.put("tula.commit.interval.ms", Long.toString(commitIntervalMs));
    } else if (killWorker > 0) {
      overrides.put("tula.commit.interval.ms", Long.toString(KILL_COMMIT_INTERVAL_MS));
    }
    if (killWorker > 0 && rows != null) {
      // At least two ranges between two kills, so that the lake's progress can spread them.
      long writers = partitions == null ? 1 : partitions;
      long rangeRows = rows / (2 * (killWorker + 1L) * writers);
      overrides.put(
          "tula.commit.max.rows",
          Long.toString(Math.max(MIN_RANGE_ROWS, Math.min(rangeRows, MAX_RANGE_ROWS))));
    }
    overrides.putAll(sink);
    return overrides;
  }

  private Map<String, String> sharedOverrides() {
    Map<String, String> overrides = new LinkedHashMap<>();
    if (partitions != null) {
      overrides.put("tula.partition.count", Integer.toString(partitions));
      overrides.put("tasks.max", Integer.toString(partitions));
    }
    if (fullRecord) {
      overrides.put("tula.full.txn.record", "true");
    }
    if (noMetadata) {
      overrides.put("tula.include.metadata", "false");
    }
    if (converter == ConverterChoice.JSON) {
      overrides.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
      overrides.put("value.converter.schemas.enable", "true");
    }
    return overrides;
  }
}
