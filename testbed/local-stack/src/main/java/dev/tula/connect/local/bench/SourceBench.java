package dev.tula.connect.local.bench;

import dev.tula.connect.local.ConnectWorkerProcess;
import dev.tula.connect.local.ConnectorConfig;
import dev.tula.connect.local.LocalBroker;
import dev.tula.connect.local.LocalStack;
import dev.tula.connect.local.PluginPath;
import dev.tula.connect.local.StackException;
import dev.tula.connect.local.WorkerOptions;
import dev.tula.connect.refnode.ReferenceCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
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
  private final ReferenceCluster engine;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private boolean closed;
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
        ReferenceCluster.builder()
            .clusterId(LocalStack.CLUSTER_ID)
            .dir(folder("engine"))
            .seed(seed)
            .rows(rows)
            .idleTickMs(0)
            .start();
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
    try {
      LocalBroker broker = part(LocalBroker.start(own.resolve("broker")));
      ConnectWorkerProcess worker =
          part(ConnectWorkerProcess.start(options(own, broker, exactlyOnce)));
      return new SourceMeasure(
              engine.head(), engine.rows(), broker, worker, config(exactlyOnce, converter))
          .run();
    } finally {
      closeParts();
    }
  }

  private <T extends AutoCloseable> T part(T part) {
    synchronized (parts) {
      if (!closed) {
        parts.push(part);
        return part;
      }
    }
    close(part);
    throw new StackException("the benchmark was stopped while a part of it started");
  }

  private void closeParts() {
    synchronized (parts) {
      while (!parts.isEmpty()) {
        close(parts.pop());
      }
    }
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      // The others still have to be stopped; one that does not end in order was killed.
      System.err.println("stopping " + part.getClass().getSimpleName() + " failed: " + e);
    }
  }

  private WorkerOptions options(Path own, LocalBroker broker, boolean exactlyOnce) {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("TULA_LOCAL_HOSTS", String.join(",", engine.addresses()));
    environment.put("TULA_LOCAL_CLUSTER_ID", LocalStack.CLUSTER_ID);
    environment.put("TULA_LOCAL_BOOTSTRAP_SERVERS", broker.bootstrapServers());
    WorkerOptions options =
        WorkerOptions.of(
            own.resolve("worker"),
            workerClassPath(),
            plugins,
            broker.bootstrapServers(),
            environment);
    return exactlyOnce ? options : options.withoutExactlyOnceSource(OFFSET_FLUSH_MS);
  }

  private ConnectorConfig config(boolean exactlyOnce, Converter converter) {
    Map<String, String> overrides = new LinkedHashMap<>(converter.settings());
    // The ledger keeps leases by pipeline, and each run is to find it as the first did.
    overrides.put("tula.pipeline", "bench-" + runs);
    overrides.put("exactly.once.support", exactlyOnce ? "required" : "requested");
    return ConnectorConfig.read(root.resolve("config-examples/local/source.json")).with(overrides);
  }

  private String workerClassPath() {
    Path file = root.resolve("testbed/connect-worker/target/worker.classpath");
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new StackException(file + " is not there: build it with bin/bench-source", e);
    }
  }

  private Path folder(String name) {
    try {
      return Files.createDirectories(directory.resolve(name));
    } catch (IOException e) {
      throw new StackException("could not make " + directory.resolve(name), e);
    }
  }

  @Override
  public void close() {
    synchronized (parts) {
      if (closed) {
        return;
      }
      closed = true;
    }
    closeParts();
    engine.close();
  }
}
