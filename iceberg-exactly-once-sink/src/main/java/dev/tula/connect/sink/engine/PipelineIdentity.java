package dev.tula.connect.sink.engine;

import dev.tula.connect.model.StreamIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a generation of a pipeline is (C2). It is written once, into the properties of the table
 * {@code tula_pipeline}, and held against the configuration before anything else is created or
 * claimed: a difference is code 88.
 *
 * @param clusterId the ledger cluster
 * @param pipeline the pipeline's name
 * @param generation 1 or more
 * @param partitionCount N
 * @param layout how records are spread over tables
 * @param includeMetadata whether the stream has metadata changes
 * @param fullTxnRecord whether transactions are full records
 * @param amountPrecision digits of every amount column
 * @param format the lake format's version
 */
public record PipelineIdentity(
    String clusterId,
    String pipeline,
    int generation,
    int partitionCount,
    Layout layout,
    boolean includeMetadata,
    boolean fullTxnRecord,
    int amountPrecision,
    int format) {

  /** The lake format that this code writes. */
  public static final int FORMAT = 1;

  /** The stream of one of its partitions. */
  public StreamIdentity stream(int partition) {
    return new StreamIdentity(
        clusterId, pipeline, generation, partition, partitionCount, includeMetadata, fullTxnRecord);
  }

  /** Its tables. */
  public List<LogicalTable> tables() {
    return layout.tables(includeMetadata, fullTxnRecord);
  }

  /** One flat property an item. */
  public Map<String, String> toProperties() {
    Map<String, String> properties = new TreeMap<>();
    properties.put("tula.cluster-id", clusterId);
    properties.put("tula.pipeline", pipeline);
    properties.put("tula.generation", Integer.toString(generation));
    properties.put("tula.partition-count", Integer.toString(partitionCount));
    properties.put("tula.layout", layout.configName());
    properties.put("tula.include-metadata", Boolean.toString(includeMetadata));
    properties.put("tula.full-txn-record", Boolean.toString(fullTxnRecord));
    properties.put("tula.amount-precision", Integer.toString(amountPrecision));
    properties.put("tula.format", Integer.toString(format));
    return properties;
  }

  /**
   * What {@code recorded} properties say otherwise, each as one clause; empty if they agree.
   * Properties that are not {@link #toProperties ours} are ignored.
   */
  public List<String> differencesFrom(Map<String, String> recorded) {
    List<String> differences = new ArrayList<>();
    toProperties()
        .forEach(
            (key, mine) -> {
              String theirs = recorded.get(key);
              if (!mine.equals(theirs)) {
                differences.add(
                    key
                        + " is "
                        + (theirs == null ? "not recorded" : "recorded as " + theirs)
                        + " and configured as "
                        + mine);
              }
            });
    return differences;
  }
}
