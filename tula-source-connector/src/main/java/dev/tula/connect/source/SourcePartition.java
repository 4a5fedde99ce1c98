package dev.tula.connect.source;

import dev.tula.connect.model.StreamIdentity;
import java.util.Map;
import java.util.Set;

/**
 * A source partition as Connect knows it.
 *
 * @param pipeline the pipeline's name
 * @param generation its generation
 * @param partition the export partition
 * @param partitionCount of so many
 */
record SourcePartition(String pipeline, int generation, int partition, int partitionCount) {
  private static final String PIPELINE = "pipeline";
  private static final String GENERATION = "generation";
  private static final String PARTITION = "partition";
  private static final String PARTITION_COUNT = "partition_count";

  static SourcePartition of(StreamIdentity identity) {
    return new SourcePartition(
        identity.pipeline(),
        identity.generation(),
        identity.partition(),
        identity.partitionCount());
  }

  /** Connect's form of it; one such map serves all records. */
  Map<String, Object> asMap() {
    return Map.of(
        PIPELINE,
        pipeline,
        GENERATION,
        (long) generation,
        PARTITION,
        (long) partition,
        PARTITION_COUNT,
        (long) partitionCount);
  }

  /**
   * Reads a partition strictly.
   *
   * @throws IllegalArgumentException naming the part at fault
   */
  static SourcePartition parse(Map<String, ?> partition) {
    StrictMap map =
        new StrictMap(
            "source partition",
            partition,
            Set.of(PIPELINE, GENERATION, PARTITION, PARTITION_COUNT));
    return new SourcePartition(
        map.text(PIPELINE),
        map.integer(GENERATION),
        map.integer(PARTITION),
        map.integer(PARTITION_COUNT));
  }
}
