package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.queryport.RetryClassifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * Checks source offsets that an operator wants to set through Connect's REST API. A tombstone is
 * always allowed, for whatever partition: it removes what may have been left by another N or
 * generation. Any other offset must be one that this pipeline can resume from.
 *
 * <p>Refusals are {@link ConnectException}s, because of any other exception Connect tells the
 * operator no more than that there was one.
 */
final class OffsetAlteration {
  private final SourceConfig config;

  OffsetAlteration(SourceConfig config) {
    this.config = config;
  }

  /**
   * Checks all of them before any is set.
   *
   * @throws ConnectException saying which one is refused and why
   */
  void check(Map<Map<String, ?>, Map<String, ?>> offsets) {
    Map<SourcePartition, Position> positions = new HashMap<>();
    offsets.forEach(
        (partition, offset) -> {
          if (offset != null) {
            SourcePartition own = ownPartition(partition);
            Position position = ownPosition(own, offset);
            checkSeeding(own, position);
            positions.put(own, position);
          }
        });
    if (!positions.isEmpty()) {
      Message.StatusOk status = engineStatus();
      positions.forEach((partition, position) -> checkWithinLedger(partition, position, status));
    }
  }

  private SourcePartition ownPartition(Map<String, ?> map) {
    SourcePartition partition;
    try {
      partition = SourcePartition.parse(map);
    } catch (IllegalArgumentException e) {
      throw new ConnectException(e.getMessage(), e);
    }
    boolean exists = partition.partition() >= 0 && partition.partition() < config.partitionCount();
    if (!exists || !partition.equals(SourcePartition.of(config.identity(partition.partition())))) {
      throw new ConnectException(
          "source partition "
              + map
              + " is none of this connector's: it reads pipeline "
              + config.pipeline()
              + ", generation "
              + config.generation()
              + ", partition_count "
              + config.partitionCount()
              + ", and of these partition 0 to "
              + (config.partitionCount() - 1)
              + "; write one of them");
    }
    checkOrder(map, partition);
    return partition;
  }

  /** In any other order it would be another key to Connect, and the offset never be found. */
  private static void checkOrder(Map<String, ?> map, SourcePartition partition) {
    List<String> order = List.copyOf(partition.asMap().keySet());
    if (!List.copyOf(map.keySet()).equals(order)) {
      throw new ConnectException(
          "source partition "
              + map
              + ": Connect finds offsets by the order of a partition's keys too; write them in the"
              + " order "
              + order);
    }
  }

  private Position ownPosition(SourcePartition own, Map<String, ?> map) {
    SourceOffset offset;
    try {
      offset = SourceOffset.parse(map);
    } catch (IllegalArgumentException e) {
      throw new ConnectException(e.getMessage(), e);
    }
    if (!offset.clusterId().equals(config.queryPort().clusterId())) {
      throw new ConnectException(
          "source offset "
              + map
              + " is of another cluster than tula.cluster.id="
              + config.queryPort().clusterId()
              + "; write an offset of that one");
    }
    try {
      offset.requireOf(config.identity(own.partition()));
    } catch (ExportFailure e) {
      throw new ConnectException(e.getMessage(), e);
    }
    return offset.position();
  }

  /** An offset among a bootstrap's rows is of use only where they are emitted. */
  private void checkSeeding(SourcePartition partition, Position position) {
    boolean seeds =
        config.includeMetadata()
            && position.exportPartition(config.partitionCount()) == partition.partition();
    if (position.isAmongSeeded() && !seeds) {
      throw new ConnectException(
          "offset "
              + position
              + " lies among the rows of a bootstrap, which partition "
              + partition.partition()
              + " does not emit; write "
              + position.endOfBatch());
    }
  }

  /** What the engine has to have for it: among seeded rows, what follows their batch. */
  private static Position resumesFrom(Position position) {
    return position.isAmongSeeded() ? position.endOfBatch() : position;
  }

  private Message.StatusOk engineStatus() {
    try (LeaderClient client =
        LeaderClient.builder(
                config.queryPort().forValidation(), config.connectorName() + "-offsets")
            .followerReads(config.followerReads())
            .build()) {
      return client.status();
    } catch (ExportFailure e) {
      throw new ConnectException(
          "offsets are held against the engine's floor before they are set, and it can't be asked: "
              + e.getMessage(),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConnectException("interrupted while the engine was asked for its floor", e);
    }
  }

  private static void checkWithinLedger(
      SourcePartition partition, Position position, Message.StatusOk status) {
    if (status.reclaimFloor().isAfter(resumesFrom(position))) {
      ExportFailure failure =
          RetryClassifier.reclaimed(new Range(position, status.reclaimFloor()), null);
      throw new ConnectException(failure.getMessage(), failure);
    }
    if (position.globalBatchSeq() > status.head().globalBatchSeq()) {
      throw new ConnectException(
          "offset "
              + position
              + " of partition "
              + partition.partition()
              + " lies beyond the ledger's end "
              + status.head()
              + "; write that or one before it");
    }
  }
}
