package dev.tula.connect.source;

import static dev.tula.connect.source.SmallWorker.await;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.cluster.AckEvent;
import dev.tula.connect.refnode.cluster.ExportSettings;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A real ledger whose history is purged as soon as it may be, and whose leases run out by a clock
 * that the test moves.
 */
final class LeasedLedger implements AutoCloseable {
  private static final long TTL_MS = ExportSettings.DEFAULT.exportLeaseTtlMs();
  private static final long MORE_THAN_THE_RETENTION_MICROS = TimeUnit.HOURS.toMicros(2);

  /** One that reads and one that acks. */
  private static final int CONNECTIONS_OF_A_PARTITION = 2;

  private static final int NODES = 3;

  private final AtomicLong leaseNanos = new AtomicLong();
  final ReferenceCluster cluster;

  /** Three nodes with some thirty batches. */
  LeasedLedger(ExportSettings settings) {
    cluster =
        ReferenceCluster.builder()
            .nodes(NODES)
            .seed(31)
            .rows(400)
            .maxBatchRecords(20)
            .exportSettings(settings.withRetention(1, true))
            .leaseClock(leaseNanos::get)
            .start();
  }

  /** The configuration of a connector that reads it with N partitions. */
  Map<String, String> connector(int partitionCount) {
    Map<String, String> properties = Configs.minimal();
    properties.put(SourceConfig.PARTITION_COUNT, Integer.toString(partitionCount));
    properties.put(QueryPortConfig.HOSTS, String.join(",", cluster.addresses()));
    properties.put(QueryPortConfig.CLUSTER_ID, cluster.clusterId());
    properties.put(SourceConfig.FETCH_WAIT_MS, "50");
    return properties;
  }

  /** The leases that live. */
  List<Message.LeaseStatus> leases() {
    return cluster.cluster().status(cluster.cluster().leader()).leases();
  }

  /** The export partitions that hold a lease. */
  List<Integer> leased() {
    return leases().stream().map(Message.LeaseStatus::partition).sorted().toList();
  }

  /**
   * Lets half of the time pass for which a lease lives, and waits for those that are renewed.
   *
   * @param live how many are
   */
  void passHalfALease(int live) {
    leaseNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(TTL_MS / 2));
    awaitRenewed(live);
  }

  /** Waits until so many leases were renewed since time passed last. */
  void awaitRenewed(int live) {
    await(() -> leases().stream().filter(each -> each.expiresInMs() == TTL_MS).count() >= live);
  }

  /**
   * Lets so much time pass that the leases are over which nobody renews. A request of one that has
   * gone may still be under way: its connections have to be gone too.
   *
   * @param live how many are renewed
   */
  void outliveLeases(int live) {
    await(() -> connections() <= live * CONNECTIONS_OF_A_PARTITION);
    do {
      passHalfALease(live);
    } while (leases().size() > live);
  }

  private int connections() {
    return IntStream.range(0, NODES).map(cluster::connections).sum();
  }

  /** Lets all history become old enough, and says up to where it was purged then. */
  Position purged() {
    cluster.ledger().pass(MORE_THAN_THE_RETENTION_MICROS);
    cluster.cluster().reclaim();
    return cluster.cluster().floor();
  }

  /** The acks that were taken. */
  List<AckEvent> acks() {
    return cluster.acks().stream().filter(AckEvent::accepted).toList();
  }

  /** The last ack that was taken of a partition of pipeline p, through that batch. */
  AckEvent awaitAck(int partition, long batch) {
    return awaitAck(
        ack ->
            ack.pipeline().equals("p")
                && ack.partition() == partition
                && ack.through().equals(Position.batchEnd(batch)));
  }

  /** The last ack that was taken and is so. */
  AckEvent awaitAck(Predicate<AckEvent> wanted) {
    await(() -> acks().stream().anyMatch(wanted));
    return acks().stream().filter(wanted).reduce((first, second) -> second).orElseThrow();
  }

  /** What one export partition consists of. */
  List<CanonicalRow> truth(int partition, int partitionCount) {
    try (TruthReader reader = cluster.truth(partition, partitionCount, RecordForm.NARROW)) {
      return reader.remaining();
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
