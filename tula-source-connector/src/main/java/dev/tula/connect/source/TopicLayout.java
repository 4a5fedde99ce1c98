package dev.tula.connect.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.TopicConfig;

/**
 * What matters of a topic that exists.
 *
 * @param partitions the number of its partitions
 * @param settings its configuration, defaults included
 */
record TopicLayout(int partitions, Map<String, String> settings) {
  private static final String LOG_APPEND_TIME = "LogAppendTime";
  private static final long FOR_EVER = -1;

  /** Above the largest row in any converter's form, so that no page has to be cut for it. */
  static final int MIN_MESSAGE_BYTES = 256 << 10;

  /** The settings of a data topic that is created. */
  static Map<String, String> dataTopicSettings(long retentionMs) {
    return Map.of(
        TopicConfig.CLEANUP_POLICY_CONFIG,
        TopicConfig.CLEANUP_POLICY_DELETE,
        TopicConfig.RETENTION_MS_CONFIG,
        Long.toString(retentionMs),
        TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
        LOG_APPEND_TIME);
  }

  /** What is wrong with it as the data topic of N export partitions; empty if nothing is. */
  List<String> problemsAsDataTopic(String name, int partitionCount, long retentionMs) {
    List<String> problems = new ArrayList<>();
    partitionProblem(name, partitions, partitionCount).ifPresent(problems::add);
    problems.addAll(unfitAsDataTopic(name, retentionMs));
    return problems;
  }

  /** What is wrong with it as the data topic beside the number of its partitions. */
  List<String> unfitAsDataTopic(String name, long retentionMs) {
    List<String> problems = new ArrayList<>();
    if (setting(TopicConfig.CLEANUP_POLICY_CONFIG).contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      problems.add(
          "topic "
              + name
              + " is compacted, and a ledger's records have no key to be compacted by; set its"
              + " cleanup.policy=delete");
    }
    long actualMs = number(TopicConfig.RETENTION_MS_CONFIG);
    if (actualMs != FOR_EVER && (retentionMs == FOR_EVER || actualMs < retentionMs)) {
      problems.add(
          "topic "
              + name
              + " keeps records for "
              + actualMs
              + " ms, less than "
              + SourceConfig.TOPIC_RETENTION_MS
              + "="
              + retentionMs
              + "; set the topic's retention.ms or this key");
    }
    if (actualMs != FOR_EVER
        && !setting(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG).equals(LOG_APPEND_TIME)) {
      problems.add(
          "topic "
              + name
              + " counts retention from the records' own time, so that a ledger's older history is"
              + " deleted as it arrives; set its message.timestamp.type=LogAppendTime, or"
              + " retention.ms=-1");
    }
    long messageBytes = number(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
    if (messageBytes >= 0 && messageBytes < MIN_MESSAGE_BYTES) {
      problems.add(
          "topic "
              + name
              + " takes messages of up to "
              + messageBytes
              + " bytes, and a ledger's record may need "
              + MIN_MESSAGE_BYTES
              + "; set its max.message.bytes");
    }
    return problems;
  }

  /** What is wrong with a topic's number of partitions, and what to do; empty if nothing is. */
  static Optional<String> partitionProblem(String name, int partitions, int partitionCount) {
    if (partitions == partitionCount) {
      return Optional.empty();
    }
    return Optional.of(
        "topic "
            + name
            + " has "
            + partitions
            + " partitions and must have exactly "
            + SourceConfig.PARTITION_COUNT
            + "="
            + partitionCount
            + "; N is fixed for a generation: set "
            + SourceConfig.PARTITION_COUNT
            + " to what it was, or open the next generation ("
            + SourceConfig.GENERATION
            + "), which exports the ledger anew with another N. If nothing was ever exported into"
            + " the topic, create it with the right number");
  }

  private String setting(String key) {
    return settings.getOrDefault(key, "");
  }

  private long number(String key) {
    String value = setting(key);
    return value.isEmpty() ? FOR_EVER : Long.parseLong(value);
  }
}
