package dev.tula.connect.refnode;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.refnode.cluster.ExportSettings;
import dev.tula.connect.refnode.server.ServerLimits;
import dev.tula.connect.refnode.workload.Mixture;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves until the process is ended. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Serves a ledger until the process is ended.",
      "When it listens it prints one line of JSON with the addresses."
    })
final class ServeCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = {"--dir", "--history.dir"},
      required = true,
      description = "Where the history lies. An existing one is continued.")
  private Path directory;

  @ArgGroup(validate = false, heading = "%nCluster%n")
  private final ClusterOptions nodes = new ClusterOptions();

  @ArgGroup(validate = false, heading = "%nWorkload%n")
  private final WorkloadOptions workload = new WorkloadOptions();

  @ArgGroup(validate = false, heading = "%nExport%n")
  private final ExportOptions export = new ExportOptions();

  static final class ClusterOptions {
    @Option(names = "--cluster-id", description = "Default: ${DEFAULT-VALUE}.")
    private String clusterId = ReferenceCluster.DEFAULT_CLUSTER_ID;

    @Option(names = "--nodes", description = "1 to 3; the first leads. Default: ${DEFAULT-VALUE}.")
    private int count = 1;

    @Option(
        names = "--host",
        description = "Where the nodes listen; a loopback address. Default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(
        names = "--port",
        description =
            "The first node's port, the others follow; 0 picks free ones. Default: ${DEFAULT-VALUE}.")
    private int port = Message.DEFAULT_PORT;

    @Option(
        names = "--admin-port",
        description = "The admin port; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
    private int adminPort = 7810;

    @Option(
        names = "--lag-batches",
        description = "How far followers lag behind. Default: ${DEFAULT-VALUE}.")
    private long lagBatches;

    @Option(
        names = "--max-frame-bytes",
        description = "The largest frame. Default: ${DEFAULT-VALUE}.")
    private int maxFrameBytes = Message.DEFAULT_MAX_FRAME_BYTES;

    @Option(names = "--max-connections", description = "Per node. Default: ${DEFAULT-VALUE}.")
    private int maxConnections = ServerLimits.DEFAULT.maxConnections();

    @Option(
        names = "--frame-timeout-ms",
        description =
            "How long a frame may take from its first byte to its last. Default: ${DEFAULT-VALUE}.")
    private int frameTimeoutMs = ServerLimits.DEFAULT.frameTimeoutMs();
  }

  static final class WorkloadOptions {
    @Option(
        names = "--seed",
        description = "What the generated workload depends on. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Option(
        names = "--rows",
        description =
            "The load ends when the ledger has so many records. Default: ${DEFAULT-VALUE}.")
    private long rows;

    @Option(
        names = "--rate",
        description = "Records a second; 0 for as fast as it goes. Default: ${DEFAULT-VALUE}.")
    private double rate;

    @Option(
        names = "--mix",
        description = "What the workload is made of. Default: ${DEFAULT-VALUE}.")
    private String mix = Mixture.DEFAULT.toString();

    @Option(
        names = "--accounts",
        description = "The most accounts that it creates. Default: ${DEFAULT-VALUE}.")
    private int accounts = 10_000;

    @Option(
        names = "--max-batch-records",
        description = "The most records in a batch, up to 8190. Default: ${DEFAULT-VALUE}.")
    private int maxBatchRecords = 1000;

    @Option(
        names = "--replay",
        description = {
          "Replays a CSV file of transfers instead. Columns: type, ledger_id, currency, txn_id,",
          "debit_account, credit_account, amount; optional: source_id, reason_code, mode, exponent,",
          "debit_settlement_account, credit_settlement_account, batch, recorded_at."
        })
    private Path replay;

    @Option(
        names = "--idle-tick-ms",
        description =
            "How often the clock of an idle ledger moves; 0 for never. Default: ${DEFAULT-VALUE}.")
    private long idleTickMs = 1000;
  }

  static final class ExportOptions {
    @Option(
        names = "--export_lease_ttl_ms",
        description = "How long a lease lives; 0 turns leases off. Default: ${DEFAULT-VALUE}.")
    private long leaseTtlMs = ExportSettings.DEFAULT.exportLeaseTtlMs();

    @Option(
        names = "--export_lease_max_hold_batches",
        description = "How far behind the head a lease still holds. Default: ${DEFAULT-VALUE}.")
    private long leaseMaxHoldBatches = ExportSettings.DEFAULT.exportLeaseMaxHoldBatches();

    @Option(
        names = "--export_lease_table_size",
        description = "The most leases at one time. Default: ${DEFAULT-VALUE}.")
    private int leaseTableSize = ExportSettings.DEFAULT.exportLeaseTableSize();

    @Option(
        names = "--export_lease_durable",
        arity = "1",
        description = "Whether leases survive a restart. Default: ${DEFAULT-VALUE}.")
    private boolean leaseDurable = ExportSettings.DEFAULT.exportLeaseDurable();

    @Option(
        names = "--history_retention_hours",
        description =
            "The age at which history is reclaimed; 0 for never. Default: ${DEFAULT-VALUE}.")
    private long retentionHours = ExportSettings.DEFAULT.historyRetentionHours();

    @Option(
        names = "--history_purge_requires_export",
        arity = "1",
        description = "Whether only what was acked is reclaimed. Default: ${DEFAULT-VALUE}.")
    private boolean purgeRequiresExport = ExportSettings.DEFAULT.historyPurgeRequiresExport();

    private ExportSettings settings() {
      return new ExportSettings(
          leaseTtlMs,
          leaseMaxHoldBatches,
          leaseTableSize,
          leaseDurable,
          retentionHours,
          purgeRequiresExport);
    }
  }

  @Override
  public Integer call() throws InterruptedException, UnknownHostException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              ended.countDown();
              try {
                closed.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "shutdown");
    try (ReferenceCluster cluster = builder().start();
        AdminServer admin = new AdminServer(cluster, nodes.adminPort)) {
      Runtime.getRuntime().addShutdownHook(hook);
      for (int node = 1; node < nodes.count; node++) {
        cluster.faults().lag(node, nodes.lagBatches);
      }
      spec.commandLine().getOut().println(readyLine(cluster, admin));
      spec.commandLine().getOut().flush();
      cluster.startLoad(targetRows(), workload.rate);
      ended.await();
    } finally {
      closed.countDown();
    }
    return 0;
  }

  /** A replay runs to the end of its file, unless it is told a number of records. */
  private long targetRows() {
    return workload.replay != null && workload.rows == 0 ? Long.MAX_VALUE : workload.rows;
  }

  private ReferenceCluster.Builder builder() throws UnknownHostException {
    ReferenceCluster.Builder builder =
        ReferenceCluster.builder()
            .dir(directory)
            .clusterId(nodes.clusterId)
            .nodes(nodes.count)
            .address(InetAddress.getByName(nodes.host))
            .firstPort(nodes.port)
            .limits(
                ServerLimits.DEFAULT
                    .withMaxFrameBytes(nodes.maxFrameBytes)
                    .withMaxConnections(nodes.maxConnections)
                    .withFrameTimeoutMs(nodes.frameTimeoutMs))
            .seed(workload.seed)
            .mix(Mixture.parse(workload.mix))
            .maxAccounts(workload.accounts)
            .maxBatchRecords(workload.maxBatchRecords)
            .idleTickMs(workload.idleTickMs)
            .exportSettings(export.settings());
    return workload.replay == null ? builder : builder.replay(workload.replay);
  }

  private String readyLine(ReferenceCluster cluster, AdminServer admin) {
    ObjectNode ready = new ObjectMapper().createObjectNode();
    ready.put("ready", true);
    ready.put("cluster_id", cluster.clusterId());
    ready.put("dir", directory.toAbsolutePath().toString());
    ready.put("admin", "127.0.0.1:" + admin.port());
    ready.put("admin_port", admin.port());
    ArrayNode addresses = ready.putArray("addresses");
    cluster.addresses().forEach(addresses::add);
    ready.put("leader", cluster.leaderAddress());
    ready.put("term", cluster.cluster().term());
    ready.put("rows", cluster.rows());
    ready.put("head", cluster.head().toString());
    return ready.toString();
  }
}
