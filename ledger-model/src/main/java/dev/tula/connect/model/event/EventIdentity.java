package dev.tula.connect.model.event;

import dev.tula.connect.model.StreamIdentity;

/**
 * Whose event this is. A reader takes only those of its own (C20).
 *
 * @param pipeline the pipeline's name
 * @param clusterId the ledger cluster
 * @param generation 1 or more
 * @param partition the export partition
 * @param partitionCount of so many
 */
public record EventIdentity(
    String pipeline, String clusterId, int generation, int partition, int partitionCount) {
  /** The event identity of a stream. */
  public static EventIdentity of(StreamIdentity identity) {
    return new EventIdentity(
        identity.pipeline(),
        identity.clusterId(),
        identity.generation(),
        identity.partition(),
        identity.partitionCount());
  }

  static EventIdentity read(EventReader reader) {
    return new EventIdentity(
        reader.text("pipeline"),
        reader.text("cluster_id"),
        reader.integer("generation"),
        reader.integer("partition"),
        reader.integer("partition_count"));
  }
}
