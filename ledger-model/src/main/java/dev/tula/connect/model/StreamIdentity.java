package dev.tula.connect.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Whose stream this is, and what it holds. START and coverage records carry it, and the sink checks
 * it against its own before anything is written (I6): a difference is code 88.
 *
 * @param clusterId the ledger cluster's id
 * @param pipeline the pipeline's name
 * @param generation 1 or more; a reseed opens the next
 * @param partition this export partition, from 0
 * @param partitionCount the number of export partitions, N
 * @param includeMetadata whether account, ledger, currency, source and cluster changes are part of
 *     the stream
 * @param fullTxnRecord whether transactions carry balances and the engine's own digest
 */
public record StreamIdentity(
    String clusterId,
    String pipeline,
    int generation,
    int partition,
    int partitionCount,
    boolean includeMetadata,
    boolean fullTxnRecord) {

  /**
   * @throws IllegalArgumentException if the numbers contradict each other, or a name is empty
   */
  public StreamIdentity {
    Objects.requireNonNull(clusterId, "clusterId");
    Objects.requireNonNull(pipeline, "pipeline");
    if (clusterId.isEmpty() || pipeline.isEmpty()) {
      throw new IllegalArgumentException("cluster id and pipeline must not be empty");
    }
    if (generation < 1) {
      throw new IllegalArgumentException("generation " + generation + " must be 1 or more");
    }
    if (partitionCount < 1 || partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition " + partition + " of " + partitionCount + " does not exist");
    }
    if (fullTxnRecord && !includeMetadata) {
      throw new IllegalArgumentException(
          "full transaction records require metadata to be included");
    }
  }

  /** The same pipeline's other partition. */
  public StreamIdentity withPartition(int other) {
    return new StreamIdentity(
        clusterId, pipeline, generation, other, partitionCount, includeMetadata, fullTxnRecord);
  }

  /**
   * In what this stream and another differ, for a message.
   *
   * @return such as {@code tula.pipeline is a there and b here}, where here is this one; empty if
   *     they are the same
   */
  public String differencesTo(StreamIdentity there) {
    List<String> differences = new ArrayList<>();
    addDifference(differences, "tula.cluster.id", there.clusterId, clusterId);
    addDifference(differences, "tula.pipeline", there.pipeline, pipeline);
    addDifference(differences, "tula.generation", there.generation, generation);
    addDifference(differences, "tula.partition.count", there.partitionCount, partitionCount);
    addDifference(differences, "the partition", there.partition, partition);
    addDifference(differences, "tula.include.metadata", there.includeMetadata, includeMetadata);
    addDifference(differences, "tula.full.txn.record", there.fullTxnRecord, fullTxnRecord);
    return String.join(", ", differences);
  }

  private static void addDifference(
      List<String> differences, String key, Object there, Object here) {
    if (!there.equals(here)) {
      differences.add(key + " is " + there + " there and " + here + " here");
    }
  }

  /**
   * A base topic name's form in this generation: {@code base} itself for the first, {@code
   * base.g<n>} after it.
   */
  public String topic(String base) {
    return topic(base, generation);
  }

  /** A base topic name's form in {@code generation}. */
  public static String topic(String base, int generation) {
    return generation == 1 ? base : base + ".g" + generation;
  }
}
