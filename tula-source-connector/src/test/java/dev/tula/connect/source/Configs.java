package dev.tula.connect.source;

import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.QueryPortConfig;
import java.util.HashMap;
import java.util.Map;

/** Configurations for tests. */
final class Configs {
  private Configs() {}

  /** The least that is valid, for the fake engine's nodes. */
  static Map<String, String> minimal() {
    Map<String, String> properties = new HashMap<>();
    properties.put(SourceConfig.NAME, "source");
    properties.put("connector.class", TulaSourceConnector.class.getName());
    properties.put(QueryPortConfig.HOSTS, "a:1,b:2,c:3");
    properties.put(QueryPortConfig.CLUSTER_ID, FakeEngine.CLUSTER);
    properties.put(SourceConfig.PIPELINE, "p");
    properties.put(SourceConfig.TOPIC, "data");
    properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, "broker:9092");
    return properties;
  }

  /** Those of a task that owns these export partitions. */
  static Map<String, String> ofTask(int partitionCount, String partitions) {
    Map<String, String> properties = minimal();
    properties.put(SourceConfig.PARTITION_COUNT, Integer.toString(partitionCount));
    properties.put(SourceConfig.TASK_PARTITIONS, partitions);
    properties.put(SourceConfig.TASK_INDEX, "0");
    return properties;
  }
}
