package dev.tula.connect.source;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** Connect's life cycle around a {@link StartedSourceTask}. */
public final class TulaSourceTask extends SourceTask {
  private volatile StartedSourceTask started;

  /** For Connect. */
  public TulaSourceTask() {}

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> properties) {
    SourceConfig config = new SourceConfig(properties);
    started =
        StartedSourceTask.start(
            config,
            offsets(config),
            Optional.ofNullable(context.transactionContext()),
            Collaborators.of(config));
  }

  /** The offsets are Connect's, as they are now; none is ever part of a task's configuration. */
  private Map<Integer, SourceOffset> offsets(SourceConfig config) {
    Map<Map<String, Object>, Integer> partitions = new HashMap<>();
    for (int partition : config.taskPartitions()) {
      partitions.put(SourcePartition.of(config.identity(partition)).asMap(), partition);
    }
    Map<Integer, SourceOffset> offsets = new HashMap<>();
    context
        .offsetStorageReader()
        .offsets(partitions.keySet())
        .forEach(
            (partition, offset) -> {
              if (offset != null) {
                offsets.put(partitions.get(partition), parsed(partition, offset));
              }
            });
    return offsets;
  }

  private static SourceOffset parsed(Map<String, ?> partition, Map<String, Object> offset) {
    try {
      return SourceOffset.parse(offset);
    } catch (IllegalArgumentException e) {
      throw new ConnectException(
          "the stored offset of source partition "
              + partition
              + " can't be read: "
              + e.getMessage()
              + "; set it right through the REST API",
          e);
    }
  }

  @Override
  public List<SourceRecord> poll() throws InterruptedException {
    return started.poll();
  }

  @Override
  public void stop() {
    StartedSourceTask running = started;
    if (running != null) {
      running.stop();
    }
  }
}
