package dev.tula.connect.refnode;

import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.cluster.AckEvent;
import dev.tula.connect.refnode.cluster.Cluster;
import dev.tula.connect.refnode.cluster.CommittedLedger;
import dev.tula.connect.refnode.cluster.ExportSettings;
import dev.tula.connect.refnode.engine.BalanceCheck;
import dev.tula.connect.refnode.engine.LedgerEngine;
import dev.tula.connect.refnode.history.History;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.server.NodeServer;
import dev.tula.connect.refnode.server.PortSecurity;
import dev.tula.connect.refnode.server.ServerLimits;
import dev.tula.connect.refnode.truth.TruthReader;
import dev.tula.connect.refnode.workload.CsvReplay;
import dev.tula.connect.refnode.workload.Mixture;
import dev.tula.connect.refnode.workload.Workload;
import dev.tula.connect.refnode.workload.WorkloadGenerator;
import dev.tula.connect.refnode.workload.WorkloadSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A ledger cluster in this process: one to three nodes, each at a port of its own, over one ledger.
 * It starts in a fraction of a second and listens when {@link Builder#start} returns. Safe for any
 * thread.
 *
 * <pre>{@code
 * try (ReferenceCluster cluster = ReferenceCluster.builder().nodes(3).seed(7).rows(1000).start()) {
 *   List<String> hosts = cluster.addresses();
 *   cluster.advance(500);
 *   cluster.faults().changeLeader();
 * }
 * }</pre>
 */
public final class ReferenceCluster implements AutoCloseable {
  /** The cluster's id unless told otherwise. */
  public static final String DEFAULT_CLUSTER_ID = "tula-reference";

  private static final Logger LOG = LoggerFactory.getLogger(ReferenceCluster.class);
  private static final long HOUSEKEEPING_MS = 200;
  private static final long HOUSEKEEPING_END_SECONDS = 10;

  private final Path directory;
  private final boolean ownsDirectory;
  private final CommittedLedger ledger;
  private final Cluster cluster;
  private final List<NodeServer> servers = new ArrayList<>();
  private final Faults faults;
  private final ScheduledExecutorService housekeeper;
  private final long idleTickMs;
  private long lastTickNanos = System.nanoTime();
  private LoadRunner load;

  private ReferenceCluster(Builder builder, Path directory, boolean ownsDirectory) {
    this.directory = directory;
    this.ownsDirectory = ownsDirectory;
    this.idleTickMs = builder.idleTickMs;
    this.ledger = CommittedLedger.open(directory, builder.segmentBytes, builder.workload());
    this.cluster = builder.cluster(directory, ledger);
    for (int node = 0; node < builder.nodes; node++) {
      servers.add(builder.server(cluster, node));
    }
    this.faults = new Faults(cluster, servers);
    this.housekeeper =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "reference-cluster-housekeeper");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Begins with the settings of a small cluster of one node. */
  public static Builder builder() {
    return new Builder();
  }

  private void start(long rows) {
    long missing = rows - ledger.rows();
    if (missing > 0) {
      ledger.advance(missing);
    }
    servers.forEach(NodeServer::start);
    housekeeper.scheduleWithFixedDelay(
        this::housekeep, HOUSEKEEPING_MS, HOUSEKEEPING_MS, TimeUnit.MILLISECONDS);
  }

  private void housekeep() {
    try {
      servers.forEach(NodeServer::housekeep);
      cluster.reclaim();
      tickWhileIdle();
    } catch (RuntimeException e) {
      LOG.error("housekeeping failed", e);
    }
  }

  /** An idle ledger's time goes on, so that what is closed does too. */
  private synchronized void tickWhileIdle() {
    long now = System.nanoTime();
    long sinceMs = TimeUnit.NANOSECONDS.toMillis(now - lastTickNanos);
    boolean busy = load != null && !load.isDone();
    if (busy) {
      lastTickNanos = now;
    } else if (idleTickMs > 0 && sinceMs >= idleTickMs) {
      ledger.pass(TimeUnit.MILLISECONDS.toMicros(sinceMs));
      lastTickNanos = now;
    }
  }

  /** {@code host:port} of every node. */
  public List<String> addresses() {
    return servers.stream().map(NodeServer::address).toList();
  }

  /** {@code host:port} of the node that leads. */
  public String leaderAddress() {
    return servers.get(cluster.leader()).address();
  }

  /** Where the history lies. */
  public Path directory() {
    return directory;
  }

  /** The cluster's id. */
  public String clusterId() {
    return cluster.clusterId();
  }

  /** Makes things go wrong. */
  public Faults faults() {
    return faults;
  }

  /** The nodes behind the ports. */
  public Cluster cluster() {
    return cluster;
  }

  /** The ledger behind the nodes. */
  public CommittedLedger ledger() {
    return ledger;
  }

  /** The last committed position. */
  public Position head() {
    return cluster.head();
  }

  /** The number of records so far. */
  public long rows() {
    return ledger.rows();
  }

  /**
   * Lets the workload add exactly so many records, or fewer where its input ends.
   *
   * @return how many were added
   */
  public long advance(long records) {
    return ledger.advance(records);
  }

  /**
   * Makes one batch of the changes that {@code changes} makes; returns the position of its end.
   * Ledgers 1 to 4 belong to the generated workload.
   *
   * @throws dev.tula.connect.refnode.engine.EngineRefusal from a change that makes no sense
   */
  public Position submit(Consumer<LedgerEngine> changes) {
    return Position.batchEnd(ledger.submit(changes));
  }

  /** Counts over every account. */
  public BalanceCheck checkBalances() {
    return ledger.checkBalances();
  }

  /** The truth of one export partition, up to what is committed now. */
  public TruthReader truth(int partition, int partitionCount, RecordForm form) {
    return TruthReader.open(directory, partition, partitionCount, form, head());
  }

  /** The whole truth, up to what is committed now. */
  public TruthReader truth(RecordForm form) {
    return truth(0, 1, form);
  }

  /** The last acks that any node saw, newest last. */
  public List<AckEvent> acks() {
    return cluster.acks();
  }

  /**
   * Lets the workload run on a thread of its own.
   *
   * @param targetRows until the ledger has so many records
   * @param rowsPerSecond 0 for as fast as it goes
   * @throws IllegalStateException if it runs already
   */
  public synchronized void startLoad(long targetRows, double rowsPerSecond) {
    if (load != null && !load.isDone()) {
      throw new IllegalStateException("the load runs already");
    }
    load = new LoadRunner(ledger, targetRows, rowsPerSecond);
    load.start();
  }

  /** Pauses the load, if one runs. */
  public synchronized void pauseLoad() {
    if (load != null) {
      load.pause();
    }
  }

  /** Lets a paused load go on. */
  public synchronized void resumeLoad() {
    if (load != null) {
      load.resume();
    }
  }

  /** Whether a load runs, or waits to go on. */
  public synchronized boolean isLoading() {
    return load != null && !load.isDone();
  }

  /** Whether the load is paused. */
  public synchronized boolean isLoadPaused() {
    return load != null && load.isPaused();
  }

  /** What made the load fail, if it did. */
  public synchronized Optional<RuntimeException> loadFailure() {
    return load == null ? Optional.empty() : Optional.ofNullable(load.failure());
  }

  /** The number of connections that a node has. */
  public int connections(int node) {
    return servers.get(node).connections();
  }

  /**
   * Waits for the load to end.
   *
   * @return false if the time was over first
   * @throws IllegalStateException if it failed
   */
  public boolean awaitLoad(long timeoutMs) throws InterruptedException {
    LoadRunner current;
    synchronized (this) {
      current = load;
    }
    return current == null || current.await(timeoutMs);
  }

  @Override
  public void close() {
    LoadRunner current;
    synchronized (this) {
      current = load;
    }
    if (current != null) {
      current.close();
    }
    endHousekeeping();
    cluster.endService();
    servers.forEach(NodeServer::close);
    cluster.close();
    ledger.close();
    if (ownsDirectory) {
      delete(directory);
    }
  }

  private void endHousekeeping() {
    housekeeper.shutdown();
    try {
      housekeeper.awaitTermination(HOUSEKEEPING_END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path directory) {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException failure)
                throws IOException {
              Files.delete(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(directory + " can't be deleted", e);
    }
  }

  /** Settings of a cluster that does not run yet. Not thread-safe. */
  public static final class Builder {
    private static final int MAX_NODES = 3;

    private String clusterId = DEFAULT_CLUSTER_ID;
    private int nodes = 1;
    private long seed = 1;
    private long rows;
    private Path dir;
    private Mixture mixture = Mixture.DEFAULT;
    private int maxAccounts = 10_000;
    private int maxBatchRecords = 1000;
    private Path replay;
    private long segmentBytes = History.DEFAULT_SEGMENT_BYTES;
    private ExportSettings exportSettings = ExportSettings.DEFAULT;
    private ServerLimits limits = ServerLimits.DEFAULT;
    private PortSecurity security = PortSecurity.plain();
    private InetAddress address = InetAddress.getLoopbackAddress();
    private int firstPort;
    private long idleTickMs;
    private LongSupplier leaseNanos = System::nanoTime;

    private Builder() {}

    /** The cluster's id. */
    public Builder clusterId(String id) {
      clusterId = Objects.requireNonNull(id, "id");
      return this;
    }

    /** How many nodes: 1 to 3. */
    public Builder nodes(int count) {
      if (count < 1 || count > MAX_NODES) {
        throw new IllegalArgumentException(count + " nodes: there can be 1 to " + MAX_NODES);
      }
      nodes = count;
      return this;
    }

    /** What the generated workload depends on. */
    public Builder seed(long workloadSeed) {
      seed = workloadSeed;
      return this;
    }

    /** How many records the ledger has when it starts, at least; an older history may have more. */
    public Builder rows(long records) {
      rows = records;
      return this;
    }

    /** Where the history lies; without it, in a directory that is deleted at the end. */
    public Builder dir(Path directory) {
      dir = directory;
      return this;
    }

    /** What the generated workload is made of. */
    public Builder mix(Mixture mix) {
      mixture = mix;
      return this;
    }

    /** How many accounts the generated workload creates, at most. */
    public Builder maxAccounts(int accounts) {
      maxAccounts = accounts;
      return this;
    }

    /** The most records in a batch of the workload. */
    public Builder maxBatchRecords(int records) {
      maxBatchRecords = records;
      return this;
    }

    /** Replays a file of transfers instead of a generated workload. */
    public Builder replay(Path csv) {
      replay = csv;
      return this;
    }

    /** The size after which a new segment of the history is begun. */
    public Builder segmentBytes(long bytes) {
      segmentBytes = bytes;
      return this;
    }

    /** Leases and retention. */
    public Builder exportSettings(ExportSettings settings) {
      exportSettings = settings;
      return this;
    }

    /** The clock that leases run out by, in place of {@link System#nanoTime}. */
    public Builder leaseClock(LongSupplier nanos) {
      leaseNanos = nanos;
      return this;
    }

    /** What a node puts up with. */
    public Builder limits(ServerLimits serverLimits) {
      limits = serverLimits;
      return this;
    }

    /** Where the nodes' sockets come from. */
    public Builder security(PortSecurity portSecurity) {
      security = portSecurity;
      return this;
    }

    /** The address that the nodes listen at. */
    public Builder address(InetAddress listenAt) {
      address = listenAt;
      return this;
    }

    /** The first node's port, the others follow; 0 picks free ones. */
    public Builder firstPort(int port) {
      firstPort = port;
      return this;
    }

    /** How often an idle ledger's clock moves; 0 for never. */
    public Builder idleTickMs(long ms) {
      idleTickMs = ms;
      return this;
    }

    private WorkloadSettings workloadSettings() {
      return new WorkloadSettings(seed, mixture, maxAccounts, maxBatchRecords, nodes);
    }

    private Workload workload() {
      return replay == null
          ? new WorkloadGenerator(workloadSettings())
          : CsvReplay.open(replay, seed, maxBatchRecords);
    }

    private Cluster cluster(Path directory, CommittedLedger ledger) {
      try {
        return new Cluster(directory, clusterId, nodes, exportSettings, ledger, leaseNanos);
      } catch (RuntimeException e) {
        ledger.close();
        throw e;
      }
    }

    private NodeServer server(Cluster cluster, int node) {
      int port = firstPort == 0 ? 0 : firstPort + node;
      return new NodeServer(cluster, node, address, port, limits, security);
    }

    /**
     * Opens or begins the history, brings it to the rows asked for, and listens.
     *
     * @throws RuntimeException that names what is in the way, with nothing left running
     */
    public ReferenceCluster start() {
      boolean owns = dir == null;
      ReferenceCluster started = new ReferenceCluster(this, owns ? temporary() : dir, owns);
      try {
        started.start(rows);
        return started;
      } catch (RuntimeException e) {
        started.close();
        throw e;
      }
    }

    private static Path temporary() {
      try {
        return Files.createTempDirectory("tula-reference-");
      } catch (IOException e) {
        throw new UncheckedIOException("no temporary directory can be had", e);
      }
    }
  }
}
