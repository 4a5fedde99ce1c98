package dev.tula.connect.local;

import dev.tula.connect.refnode.ReferenceCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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
  private final StartedParts parts = new StartedParts("the local stack");
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
    engine = parts.start(this::newEngine);
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
    lakeHost =
        parts.start(() -> LakeHost.start(options.lakeKind(), options.root(), directory("lake")));
    lake = lakeHost.lake(NAMESPACE);
    Path plugins = options.directory().resolve("plugins");
    PluginPath.unpack(PluginPath.builtZips(options.root()), plugins);
    bootstrapServers = options.bootstrapServers().orElseGet(this::ownBroker);
    environment = new LinkedHashMap<>(lakeHost.environment());
    environment.putAll(environment(engine, bootstrapServers));
    worker = parts.start(() -> ConnectWorkerProcess.start(workerOptions(plugins)));
  }

  /**
   * What {@code ${env:…}} in the connectors' configurations stands for, as far as the ledger and
   * the broker say it.
   */
  public static Map<String, String> environment(ReferenceCluster engine, String bootstrapServers) {
    return Map.of(
        "TULA_LOCAL_HOSTS",
        String.join(",", engine.addresses()),
        "TULA_LOCAL_CLUSTER_ID",
        engine.clusterId(),
        "TULA_LOCAL_BOOTSTRAP_SERVERS",
        bootstrapServers);
  }

  private String ownBroker() {
    broker = parts.start(() -> LocalBroker.start(directory("broker")));
    return broker.bootstrapServers();
  }

  private WorkerOptions workerOptions(Path plugins) {
    return new WorkerOptions(
        directory("worker"),
        RunFiles.workerClassPath(options.root(), RunFiles.RUN_LOCAL_BUILD),
        plugins,
        bootstrapServers,
        options.exactlyOnceSource(),
        options.shortSessions(),
        options.offsetFlushIntervalMs(),
        options.workerHeapMb(),
        environment);
  }

  private Path directory(String name) {
    return RunFiles.directory(options.directory(), name);
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
    parts.close();
  }
}
