package dev.tula.connect.sink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;

/**
 * Commits a ledger's history from its Kafka topic into Iceberg tables, each row exactly once. It
 * starts nothing itself; each task opens the partitions that it is given.
 */
public final class IcebergExactlyOnceSinkConnector extends SinkConnector {
  private Map<String, String> properties = Map.of();

  @Override
  public String version() {
    return Version.current();
  }

  @Override
  public void start(Map<String, String> props) {
    properties = Map.copyOf(props);
  }

  @Override
  public Class<? extends Task> taskClass() {
    return IcebergExactlyOnceSinkTask.class;
  }

  /** As many tasks as there are partitions, at most. */
  @Override
  public List<Map<String, String>> taskConfigs(int maxTasks) {
    int tasks = Math.min(maxTasks, new SinkConfig(properties).identity().partitionCount());
    List<Map<String, String>> configs = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      Map<String, String> task = new HashMap<>(properties);
      task.put(IcebergExactlyOnceSinkTask.TASK_ID, Integer.toString(i));
      configs.add(task);
    }
    return configs;
  }

  @Override
  public void stop() {
    properties = Map.of();
  }

  @Override
  public ConfigDef config() {
    return SinkConfig.configDef();
  }

  @Override
  public Config validate(Map<String, String> connectorConfigs) {
    return SinkValidator.validate(connectorConfigs);
  }

  /**
   * Refuses: where reading starts follows from the lake's watermark, and an offset set by hand
   * would change nothing.
   */
  @Override
  public boolean alterOffsets(
      Map<String, String> connectorConfig, Map<TopicPartition, Long> offsets) {
    throw new ConnectException(
        "The sink's offsets can't be altered: where it reads on follows from the lake's watermark. To send records again, alter"
            + " the source connector's offsets");
  }
}
