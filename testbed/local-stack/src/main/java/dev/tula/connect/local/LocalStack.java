package dev.tula.connect.local;

import dev.tula.connect.refnode.ReferenceCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Everything that a pipeline needs, in one place: a ledger cluster in this process, a broker and a
 * Connect worker in processes of their own, and an empty lake with whatever serves it.
 *
 * <p>The parts start in the constructor's order and end in the other one. {@link #close} may be
 * called from any thread, also while the stack starts; the rest is for one thread.
 */
public final class LocalStack implements PipelineHost, AutoCloseable {
  /** The ledger cluster's id. */
  public static final String CLUSTER_ID = "local-cluster";

  private static final String NAMESPACE = "ledger";

  private final StackOptions options;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private boolean closed;
  private LakeHost lakeHost;
  private LocalLake lake;
  private ReferenceCluster engine;
  private LocalBroker broker;
  private String bootstrapServers;
  private ConnectWorkerProcess worker;
  private Map<String, String> environment;

  private LocalStack(StackOptions options) {
    this.options = options;
  }

  /** A stack whose parts do not run yet, so that it can be closed while they start. */
  static LocalStack prepare(StackOptions options) {
    return new LocalStack(options);
  }

  /**
   * Starts all parts.
   *
   * @throws StackException naming the part that does not start; those that did are stopped again
   */
  public static LocalStack start(StackOptions options) {
    LocalStack stack = prepare(options);
    try {
      stack.startEngine();
      stack.startKafka();
      return stack;
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  /** Starts the engine; returns when its ledger has the rows asked for. */
  void startEngine() {
    engine = part(this::newEngine);
  }

  private ReferenceCluster newEngine() {
    ReferenceCluster.Builder builder =
        ReferenceCluster.builder()
            .clusterId(CLUSTER_ID)
            .dir(directory("engine"))
            .seed(options.seed())
            .rows(options.rows())
            .idleTickMs(1_000);
    options.replay().ifPresent(builder::replay);
    return builder.start();
  }

  /** Starts the broker and the worker; the engine has to run. */
  void startKafka() {
    lakeHost = part(() -> LakeHost.start(options.lakeKind(), options.root(), directory("lake")));
    lake = lakeHost.lake(NAMESPACE);
    Path plugins = options.directory().resolve("plugins");
    PluginPath.unpack(PluginPath.builtZips(options.root()), plugins);
    bootstrapServers = options.bootstrapServers().orElseGet(this::ownBroker);
    environment = new LinkedHashMap<>(lakeHost.environment());
    environment.put("TULA_LOCAL_HOSTS", String.join(",", engine.addresses()));
    environment.put("TULA_LOCAL_CLUSTER_ID", CLUSTER_ID);
    environment.put("TULA_LOCAL_BOOTSTRAP_SERVERS", bootstrapServers);
    worker = part(() -> ConnectWorkerProcess.start(workerOptions(plugins)));
  }

  private String ownBroker() {
    broker = part(() -> LocalBroker.start(directory("broker")));
    return broker.bootstrapServers();
  }

  private WorkerOptions workerOptions(Path plugins) {
    return new WorkerOptions(
        directory("worker"),
        workerClassPath(),
        plugins,
        bootstrapServers,
        options.exactlyOnceSource(),
        options.shortSessions(),
        options.offsetFlushIntervalMs(),
        options.workerHeapMb(),
        environment);
  }

  private String workerClassPath() {
    Path file = options.root().resolve("testbed/connect-worker/target/worker.classpath");
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new StackException(
          file + " is not there: build it with bin/run-local, or mvn -DskipTests package", e);
    }
  }

  private Path directory(String name) {
    Path directory = options.directory().resolve(name);
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new StackException("could not make " + directory, e);
    }
  }

  private <T extends AutoCloseable> T part(Supplier<T> start) {
    T part = start.get();
    synchronized (parts) {
      if (!closed) {
        parts.push(part);
        return part;
      }
    }
    close(part);
    throw new StackException("the local stack was stopped while it started");
  }

  @Override
  public ReferenceCluster engine() {
    return engine;
  }

  @Override
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /** What serves the lake. */
  LakeHost lakeHost() {
    return lakeHost;
  }

  /**
   * Demands that every process of the stack still runs.
   *
   * @throws StackException with the end of its log, if one does not
   */
  public void checkAlive() {
    lakeHost.processes().forEach(ChildProcess::checkAlive);
    if (broker != null) {
      broker.process().checkAlive();
    }
    worker.process().checkAlive();
  }

  @Override
  public ConnectWorkerProcess worker() {
    return worker;
  }

  @Override
  public LocalLake lake() {
    return lake;
  }

  /** What {@code ${env:…}} in the connectors' configurations stands for. */
  public Map<String, String> environment() {
    return environment;
  }

  @Override
  public Path ackLog() {
    return engine.directory().resolve("acks.log");
  }

  /** Where everything that runs keeps its files. */
  public Path directory() {
    return options.directory();
  }

  /** The last lines of the logs of the processes that run, or ran, each under its name. */
  List<String> lastLogLines(int count) {
    List<String> lines = new ArrayList<>();
    Stream.of(
            Optional.ofNullable(lakeHost).stream().flatMap(host -> host.processes().stream()),
            Optional.ofNullable(broker).map(LocalBroker::process).stream(),
            Optional.ofNullable(worker).map(ConnectWorkerProcess::process).stream())
        .flatMap(Function.identity())
        .forEach(
            process -> {
              lines.add("--- the end of " + process.log());
              lines.addAll(process.lastLines(count));
            });
    return lines;
  }

  @Override
  public void close() {
    synchronized (parts) {
      closed = true;
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
}
