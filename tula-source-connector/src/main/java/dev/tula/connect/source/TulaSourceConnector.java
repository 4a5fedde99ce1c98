package dev.tula.connect.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports the committed history of a TulaDB ledger to Kafka, in ledger order, one Kafka partition
 * for each export partition.
 *
 * <p>It does nothing but configure: the export partitions are dealt out to the tasks in turn, and
 * everything that talks to the engine or to Kafka happens in the tasks, or within the time limits
 * of {@link #validate} and {@link #alterOffsets}. Only {@link #start} asks Connect for source
 * offsets, as every task does, on the connector's own thread and for as long as Connect takes.
 */
public final class TulaSourceConnector extends SourceConnector {
  private static final Logger LOG = LoggerFactory.getLogger(TulaSourceConnector.class);

  private Map<String, String> properties = Map.of();

  /** For Connect. */
  public TulaSourceConnector() {}

  @Override
  public String version() {
    return PluginVersion.get();
  }

  /**
   * Takes the configuration.
   *
   * @throws dev.tula.connect.queryport.ExportFailure with 88, if the generation was exported with
   *     another N
   */
  @Override
  public void start(Map<String, String> connectorProperties) {
    SourceConfig config = new SourceConfig(connectorProperties);
    properties = new HashMap<>(connectorProperties);
    new RecordedPartitionCounts(config, context().offsetStorageReader()).requireNoOther();
    config
        .noCreditReason()
        .ifPresent(
            reason ->
                LOG.warn(
                    "The acks of pipeline {} earn no credit, because {}: the engine does not know what"
                        + " was exported, and purges history by age alone, or none at all with"
                        + " history_purge_requires_export",
                    config.pipeline(),
                    reason));
    if (config.bootstrap() && !config.includeMetadata()) {
      LOG.warn(
          "Pipeline {} has {}=initial and no {}: accounts and registries are metadata, so none are"
              + " seeded, and the stream begins where the state would be of",
          config.pipeline(),
          SourceConfig.BOOTSTRAP,
          SourceConfig.INCLUDE_METADATA);
    }
  }

  @Override
  public Class<? extends Task> taskClass() {
    return TulaSourceTask.class;
  }

  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    SourceConfig config = new SourceConfig(properties);
    int count = config.partitionCount();
    int tasks = Math.min(maxTasks, count);
    List<Map<String, String>> configs = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      int first = task;
      String partitions =
          IntStream.iterate(first, partition -> partition < count, partition -> partition + tasks)
              .mapToObj(Integer::toString)
              .collect(Collectors.joining(","));
      Map<String, String> taskProperties = new HashMap<>(properties);
      taskProperties.put(SourceConfig.TASK_INDEX, Integer.toString(task));
      taskProperties.put(SourceConfig.TASK_PARTITIONS, partitions);
      configs.add(taskProperties);
    }
    return configs;
  }

  @Override
  public void stop() {
    // It holds nothing.
    LOG.debug("Stopped");
  }

  @Override
  public ConfigDef config() {
    return SourceConfig.configDef();
  }

  @Override
  public Config validate(Map<String, String> connectorProperties) {
    return new SourceValidator(new NetworkChecks()).validate(connectorProperties);
  }

  @Override
  public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> connectorProperties) {
    return ExactlyOnceSupport.SUPPORTED;
  }

  @Override
  public ConnectorTransactionBoundaries canDefineTransactionBoundaries(
      Map<String, String> connectorProperties) {
    return ConnectorTransactionBoundaries.SUPPORTED;
  }

  /**
   * Allows offsets that the pipeline can resume from, and tombstones.
   *
   * @throws org.apache.kafka.connect.errors.ConnectException if one is malformed, not of this
   *     pipeline, or outside of what the engine still has
   */
  @Override
  public boolean alterOffsets(
      Map<String, String> connectorProperties, Map<Map<String, ?>, Map<String, ?>> offsets) {
    new OffsetAlteration(new SourceConfig(connectorProperties)).check(offsets);
    return true;
  }
}
