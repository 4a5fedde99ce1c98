package dev.tula.connect.local.bench;

import dev.tula.connect.local.ConnectWorkerProcess;
import dev.tula.connect.local.ConnectorConfig;
import dev.tula.connect.local.LocalBroker;
import dev.tula.connect.local.LocalStack;
import dev.tula.connect.local.PluginPath;
import dev.tula.connect.local.RunFiles;
import dev.tula.connect.local.StackException;
import dev.tula.connect.local.StartedParts;
import dev.tula.connect.local.WorkerOptions;
import dev.tula.connect.refnode.ReferenceCluster;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A ledger that does not grow any more, and one source task after another that reads all of it into
 * Kafka, each with a new broker and a new worker. For one thread; {@link #close} may come from
 * another.
 */
final class SourceBench implements AutoCloseable {
  private static final long OFFSET_FLUSH_MS = 1_000;

  private final Path root;
  private final Path directory;
  private final Path plugins;
  private final StartedParts parts = new StartedParts("the benchmark");
  private final ReferenceCluster engine;
  private int runs;

  /**
   * Makes the ledger.
   *
   * @param root the project's root directory, where the build left its zips and class paths
   * @param directory where everything keeps its files
   * @param seed what the ledger's records depend on
   * @param rows how many it has
   */
  SourceBench(Path root, Path directory, long seed, long rows) {
    this.root = root;
    this.directory = directory;
    this.plugins = directory.resolve("plugins");
    PluginPath.unpack(PluginPath.builtZips(root), plugins);
    // Its time stands still, so that what comes to Kafka ends with the last record.
    this.engine =
        parts.start(
            () ->
                ReferenceCluster.builder()
                    .clusterId(LocalStack.CLUSTER_ID)
                    .dir(folder("engine"))
                    .seed(seed)
                    .rows(rows)
                    .idleTickMs(0)
                    .start());
  }

  /**
   * Reads the whole ledger once, and measures that.
   *
   * @param exactlyOnce whether the worker writes in transactions with its offsets
   * @param converter what the topic holds
   * @throws StackException if a part does not start, or the task fails or comes to a standstill
   */
  SourceRun run(boolean exactlyOnce, Converter converter) {
    runs++;
    Path own = folder("run-" + runs);
    try (StartedParts ofRun = parts.start(() -> new StartedParts("the benchmark"))) {
      LocalBroker broker = ofRun.start(() -> LocalBroker.start(own.resolve("broker")));
      ConnectWorkerProcess worker =
          ofRun.start(() -> ConnectWorkerProcess.start(options(own, broker, exactlyOnce)));
      return new SourceMeasure(
              engine.head(), engine.rows(), broker, worker, config(exactlyOnce, converter))
          .run();
    }
  }

  private WorkerOptions options(Path own, LocalBroker broker, boolean exactlyOnce) {
    WorkerOptions options =
        WorkerOptions.of(
            own.resolve("worker"),
            RunFiles.workerClassPath(root, "bin/bench-source"),
            plugins,
            broker.bootstrapServers(),
            LocalStack.environment(engine, broker.bootstrapServers()));
    return exactlyOnce ? options : options.withoutExactlyOnceSource(OFFSET_FLUSH_MS);
  }

  private ConnectorConfig config(boolean exactlyOnce, Converter converter) {
    Map<String, String> overrides = new LinkedHashMap<>(converter.settings());
    // The ledger keeps leases by pipeline, and each run is to find it as the first did.
    overrides.put("tula.pipeline", "bench-" + runs);
    overrides.put("exactly.once.support", exactlyOnce ? "required" : "requested");
    return ConnectorConfig.read(root.resolve("config-examples/local/source.json")).with(overrides);
  }

  private Path folder(String name) {
    return RunFiles.directory(directory, name);
  }

  @Override
  public void close() {
    parts.close();
  }
}
