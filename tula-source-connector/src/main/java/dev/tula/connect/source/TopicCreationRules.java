package dev.tula.connect.source;

import dev.tula.connect.model.config.FieldErrors;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Holds Connect's own settings for topics and producers against what the data topic has to be. The
 * source creates its topic itself, so that {@code topic.creation.*} must not say anything else; the
 * worker would follow it if it came first.
 */
final class TopicCreationRules {
  private static final Pattern KEY = Pattern.compile("topic\\.creation\\.([^.]+)\\.(.+)");
  private static final String PARTITIONS = "partitions";
  private static final String BROKER_DEFAULT = "-1";
  private static final String MAX_REQUEST_SIZE = "producer.override.max.request.size";

  private TopicCreationRules() {}

  /** Adds what does not fit, each on its own key. */
  static void check(
      Map<String, String> properties, Object count, Object retentionMs, FieldErrors errors) {
    properties.forEach(
        (key, value) -> {
          Matcher matcher = KEY.matcher(key);
          if (matcher.matches() && value != null) {
            checkGroup(key, matcher.group(2), value.trim(), count, retentionMs, errors);
          }
        });
    String requestBytes = properties.get(MAX_REQUEST_SIZE);
    if (requestBytes != null && isBelow(requestBytes.trim(), TopicLayout.MIN_MESSAGE_BYTES)) {
      errors.add(
          MAX_REQUEST_SIZE,
          "A ledger's record may need " + TopicLayout.MIN_MESSAGE_BYTES + " bytes; set it higher");
    }
  }

  private static void checkGroup(
      String key,
      String setting,
      String value,
      Object count,
      Object retentionMs,
      FieldErrors errors) {
    if (setting.equals(PARTITIONS)
        && count != null
        && !value.equals(BROKER_DEFAULT)
        && !value.equals(count.toString())) {
      errors.add(key, "The data topic has exactly " + SourceConfig.PARTITION_COUNT + "=" + count);
    } else if (setting.equals(TopicConfig.CLEANUP_POLICY_CONFIG)
        && value.contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      errors.add(key, "A ledger's records have no key to be compacted by; use delete");
    } else if (setting.equals(TopicConfig.RETENTION_MS_CONFIG)
        && retentionMs instanceof Long demanded
        && !value.equals(BROKER_DEFAULT)
        && (demanded < 0 || isBelow(value, demanded))) {
      errors.add(
          key,
          "The data topic keeps records for " + SourceConfig.TOPIC_RETENTION_MS + "=" + demanded);
    } else if (setting.equals(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
        && isBelow(value, TopicLayout.MIN_MESSAGE_BYTES)) {
      errors.add(key, "A ledger's record may need " + TopicLayout.MIN_MESSAGE_BYTES + " bytes");
    }
  }

  /** Whether it is a number, and too low; what is none is for Connect to refuse. */
  private static boolean isBelow(String value, long limit) {
    try {
      return Long.parseLong(value) < limit;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
