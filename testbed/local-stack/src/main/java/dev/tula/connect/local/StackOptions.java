package dev.tula.connect.local;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How the parts of a local stack are to run.
 *
 * @param root the project's root directory, where the build left its zips
 * @param directory where everything that runs keeps its files
 * @param seed what the engine's workload depends on
 * @param rows how many records the ledger has before anything is connected
 * @param replay a CSV file of transfers to take instead of a workload
 * @param exactlyOnceSource whether source connectors write in transactions with their offsets
 * @param shortSessions whether killed workers are to be missed quickly
 * @param offsetFlushIntervalMs how often source offsets are written without transactions
 * @param lakeKind which catalog and storage the lake has
 * @param bootstrapServers a broker that runs already, to be used instead of one of its own
 * @param workerHeapMb the heap of the Connect worker, in MiB
 */
public record StackOptions(
    Path root,
    Path directory,
    long seed,
    long rows,
    Optional<Path> replay,
    boolean exactlyOnceSource,
    boolean shortSessions,
    long offsetFlushIntervalMs,
    LakeKind lakeKind,
    Optional<String> bootstrapServers,
    int workerHeapMb) {
  /** Connect's own default of {@code offset.flush.interval.ms}. */
  static final long DEFAULT_OFFSET_FLUSH_INTERVAL_MS = 60_000;

  /** The heap of a worker where nothing else is said. */
  static final int DEFAULT_WORKER_HEAP_MB = 2_048;

  /** Exactly once, ordinary sessions, a generated workload, a catalog in SQLite. */
  public static StackOptions of(Path root, Path directory, long seed, long rows) {
    return new StackOptions(
        root,
        directory,
        seed,
        rows,
        Optional.empty(),
        true,
        false,
        DEFAULT_OFFSET_FLUSH_INTERVAL_MS,
        LakeKind.SQLITE,
        Optional.empty(),
        DEFAULT_WORKER_HEAP_MB);
  }

  /** The same, for runs that kill the worker. */
  public StackOptions withShortSessions() {
    return new StackOptions(
        root,
        directory,
        seed,
        rows,
        replay,
        exactlyOnceSource,
        true,
        offsetFlushIntervalMs,
        lakeKind,
        bootstrapServers,
        workerHeapMb);
  }

  /** The same, on a broker that runs already. */
  public StackOptions withBootstrapServers(String servers) {
    return new StackOptions(
        root,
        directory,
        seed,
        rows,
        replay,
        exactlyOnceSource,
        shortSessions,
        offsetFlushIntervalMs,
        lakeKind,
        Optional.of(servers),
        workerHeapMb);
  }
}
