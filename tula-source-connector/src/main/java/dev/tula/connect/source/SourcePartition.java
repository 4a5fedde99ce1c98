package dev.tula.connect.source;

import dev.tula.connect.model.StreamIdentity;
import java.util.Collections;
import java.util.LinkedHashMap;
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

  /**
   * Connect's form of it; one such map serves all records. Its order is part of it: Connect finds
   * offsets again by the bytes of this map's JSON, and {@code Map.of} has another order in every
   * JVM.
   */
  Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(PIPELINE, pipeline);
    map.put(GENERATION, (long) generation);
    map.put(PARTITION, (long) partition);
    map.put(PARTITION_COUNT, (long) partitionCount);
    return Collections.unmodifiableMap(map);
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
