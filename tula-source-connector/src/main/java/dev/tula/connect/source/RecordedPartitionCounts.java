package dev.tula.connect.source;

import dev.tula.connect.model.config.PipelineSettings;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.connect.storage.OffsetStorageReader;

/**
 * The N with which Connect has source offsets of a pipeline's generation. It is part of each source
 * partition, so with another N none would be found, and the ledger be exported anew beside what is
 * there.
 */
final class RecordedPartitionCounts {
  private final SourceConfig config;
  private final OffsetStorageReader offsets;

  RecordedPartitionCounts(SourceConfig config, OffsetStorageReader offsets) {
    this.config = config;
    this.offsets = offsets;
  }

  /**
   * Demands that no offset is of another N.
   *
   * @throws ExportFailure with 88, if one is
   */
  void requireNoOther() {
    Map<Map<String, Object>, Integer> firstPartitions =
        IntStream.rangeClosed(1, PipelineSettings.MAX_PARTITION_COUNT)
            .filter(count -> count != config.partitionCount())
            .boxed()
            .collect(Collectors.toMap(this::firstPartition, Function.identity()));
    offsets
        .offsets(firstPartitions.keySet())
        .forEach(
            (partition, offset) -> {
              if (offset != null) {
                throw changed(firstPartitions.get(partition), offset);
              }
            });
  }

  private Map<String, Object> firstPartition(int count) {
    return new SourcePartition(config.pipeline(), config.generation(), 0, count).asMap();
  }

  private ExportFailure changed(int recorded, Map<String, Object> offset) {
    return new ExportFailure(
        FailureCode.IDENTITY,
        "pipeline "
            + config.pipeline()
            + ", generation "
            + config.generation()
            + ", was exported with "
            + SourceConfig.PARTITION_COUNT
            + "="
            + recorded
            + " (partition 0 up to batch "
            + offset.get(SourceOffset.GLOBAL_BATCH_SEQ)
            + "), and the configuration says "
            + config.partitionCount()
            + "; N is fixed for a generation: set it back, or open the next generation ("
            + SourceConfig.GENERATION
            + "), which exports the ledger anew with another N. If that export was thrown away, topics"
            + " and tables with it, remove its offsets first (DELETE /connectors/<name>/offsets)");
  }
}
