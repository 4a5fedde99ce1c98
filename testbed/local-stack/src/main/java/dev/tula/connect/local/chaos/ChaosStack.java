package dev.tula.connect.local.chaos;

import dev.tula.connect.local.ConnectWorkerProcess;
import dev.tula.connect.local.LakeHost;
import dev.tula.connect.local.LakeKind;
import dev.tula.connect.local.LocalBroker;
import dev.tula.connect.local.LocalLake;
import dev.tula.connect.local.LocalStack;
import dev.tula.connect.local.PipelineHost;
import dev.tula.connect.local.PluginPath;
import dev.tula.connect.local.RunFiles;
import dev.tula.connect.local.StackException;
import dev.tula.connect.local.StartedParts;
import dev.tula.connect.local.WorkerOptions;
import dev.tula.connect.refnode.ReferenceCluster;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What chaos befalls: a ledger of three nodes, a broker, an Iceberg REST catalog, an S3 server and
 * two Connect workers, with a {@link TcpProxy} before broker, catalog and store. The ledger's nodes
 * have faults of their own.
 *
 * <p>The parts end in the other order than they start in. Safe for any thread once it runs.
 */
final class ChaosStack implements PipelineHost, AutoCloseable {
  static final int WORKERS = 2;
  static final int NODES = 3;

  /** The places of the two servers of the lake among {@link LakeHost#processes}. */
  static final int STORE = 0;

  static final int CATALOG = 1;

  private static final int WORKER_HEAP_MB = 1024;
  private static final long OFFSET_FLUSH_MS = 10_000;
  static final String S3_ENDPOINT = "TULA_LOCAL_S3_ENDPOINT";
  private static final String CATALOG_URI = "TULA_LOCAL_CATALOG_URI";

  private final Path directory;
  private final StartedParts parts = new StartedParts("the chaos stack");
  private final List<ConnectWorkerProcess> workers = new ArrayList<>();
  private final List<SourceWatch> watches = new ArrayList<>();
  private final Set<Integer> away = ConcurrentHashMap.newKeySet();
  private final Instant[] stoodStillFrom = new Instant[WORKERS];
  private final ReferenceCluster engine;
  private final LakeHost lakeHost;
  private final LocalLake lake;
  private final LocalBroker broker;
  private final TcpProxy toCatalog;
  private final TcpProxy toStore;
  private TcpProxy toBroker;

  /**
   * Starts all parts.
   *
   * @param root the project's root directory, where the build left its zips and class paths
   * @param directory where everything keeps its files
   * @param seed what the ledger's workload depends on
   * @param exactlyOnceSource whether the workers write in transactions with their offsets
   * @throws StackException naming the part that does not start; those that did are stopped again
   */
  ChaosStack(Path root, Path directory, long seed, boolean exactlyOnceSource) {
    this.directory = directory;
    try {
      engine = parts.start(() -> engine(seed));
      lakeHost = parts.start(() -> LakeHost.start(LakeKind.REST_S3, root, folder("lake")));
      lake = lakeHost.lake("ledger");
      toCatalog = proxyTo(CATALOG_URI);
      toStore = proxyTo(S3_ENDPOINT);
      broker = parts.start(() -> LocalBroker.start(folder("broker"), this::proxyToBroker));
      Path plugins = directory.resolve("plugins");
      PluginPath.unpack(PluginPath.builtZips(root), plugins);
      Map<String, String> environment = environment();
      String classPath = RunFiles.workerClassPath(root, "bin/chaos");
      for (int i = 0; i < WORKERS; i++) {
        WorkerOptions options =
            new WorkerOptions(
                folder("worker-" + (i + 1)),
                classPath,
                plugins,
                broker.bootstrapServers(),
                exactlyOnceSource,
                true,
                OFFSET_FLUSH_MS,
                WORKER_HEAP_MB,
                environment);
        ConnectWorkerProcess worker = parts.start(() -> ConnectWorkerProcess.start(options));
        workers.add(worker);
        watches.add(parts.start(() -> watch(workers.size() - 1)));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private ReferenceCluster engine(long seed) {
    return ReferenceCluster.builder()
        .clusterId(LocalStack.CLUSTER_ID)
        .nodes(NODES)
        .dir(folder("engine"))
        .seed(seed)
        .idleTickMs(1_000)
        .start();
  }

  private SourceWatch watch(int worker) {
    ConnectWorkerProcess process = workers.get(worker);
    return new SourceWatch(
        "watch-worker-" + (worker + 1),
        () -> !away.contains(worker),
        () -> process.process().pid(),
        process.process().log());
  }

  private TcpProxy proxyTo(String variable) {
    int port = URI.create(lakeHost.environment().get(variable)).getPort();
    return parts.start(() -> new TcpProxy(port));
  }

  private int proxyToBroker(int port) {
    toBroker = parts.start(() -> new TcpProxy(port));
    return toBroker.port();
  }

  /** What configurations may name: every part by way of its proxy. */
  Map<String, String> environment() {
    Map<String, String> environment = new LinkedHashMap<>(lakeHost.environment());
    environment.put(CATALOG_URI, "http://127.0.0.1:" + toCatalog.port());
    environment.put(S3_ENDPOINT, "http://127.0.0.1:" + toStore.port());
    environment.putAll(LocalStack.environment(engine, broker.bootstrapServers()));
    return environment;
  }

  private Path folder(String name) {
    return RunFiles.directory(directory, name);
  }

  @Override
  public ReferenceCluster engine() {
    return engine;
  }

  @Override
  public String bootstrapServers() {
    return broker.bootstrapServers();
  }

  @Override
  public LocalLake lake() {
    return lake;
  }

  /** A worker that no fault has made unusable. */
  @Override
  public ConnectWorkerProcess worker() {
    for (int i = 0; i < WORKERS; i++) {
      if (!away.contains(i)) {
        return workers.get(i);
      }
    }
    throw new StackException("no Connect worker runs");
  }

  LocalBroker broker() {
    return broker;
  }

  LakeHost lakeHost() {
    return lakeHost;
  }

  TcpProxy toBroker() {
    return toBroker;
  }

  TcpProxy toCatalog() {
    return toCatalog;
  }

  TcpProxy toStore() {
    return toStore;
  }

  /** A worker by its number, which from now on is not asked for anything. */
  ConnectWorkerProcess takeAway(int worker) {
    away.add(worker);
    return workers.get(worker);
  }

  /** A worker is as good as before. */
  void bringBack(int worker) {
    away.remove(worker);
  }

  /** Makes a worker stand still, connections and all. */
  void standStill(int worker) {
    stoodStillFrom[worker] = Instant.now();
    takeAway(worker).process().standStill();
  }

  /** Lets it go on. */
  void goOn(int worker) {
    takeAway(worker).process().goOn();
    watches.get(worker).stoodStill(stoodStillFrom[worker], Instant.now());
    bringBack(worker);
  }

  /** How long the source tasks' polls and stops took, once the workers have ended. */
  SourceTimes sourceTimes() {
    List<SourceLife> ran = new ArrayList<>();
    List<SourceLife> stoodStill = new ArrayList<>();
    watches.forEach(watch -> watch.conclude(ran, stoodStill));
    return SourceTimes.of(ran, stoodStill);
  }

  /** Stops the workers in order, and with them both connectors. */
  void stopWorkers() {
    workers.forEach(ConnectWorkerProcess::close);
  }

  @Override
  public void close() {
    parts.close();
  }
}
