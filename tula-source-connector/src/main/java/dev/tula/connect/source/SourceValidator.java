package dev.tula.connect.source;

import dev.tula.connect.model.config.ConfigReport;
import dev.tula.connect.model.config.FieldErrors;
import dev.tula.connect.model.config.Setting;
import dev.tula.connect.queryport.QueryPortConfig;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigException;

/**
 * Validates a configuration whole: first everything that needs no network, with every error on the
 * field that it belongs to; and only if there is none, the engine's nodes and the topics, within
 * time limits.
 */
final class SourceValidator {
  private static final String TULA_PREFIX = "tula.";

  /** What a page's frame holds beside its records, generously. */
  private static final int FRAME_RESERVE_BYTES = 64 << 10;

  /** The smallest page that may be asked for. */
  static final int MIN_PAGE_BYTES = 1_024;

  private final OnlineChecks online;

  /** With the checks that need a network. */
  SourceValidator(OnlineChecks online) {
    this.online = online;
  }

  /** The checks that need a network. */
  @FunctionalInterface
  interface OnlineChecks {
    /** Adds to {@code errors} what is wrong. Bounded in time. */
    void check(SourceConfig config, FieldErrors errors);
  }

  /** Validates what an operator gave. Never throws on account of it. */
  Config validate(Map<String, String> properties) {
    ConfigReport report = new ConfigReport(SourceConfig.configDef(), properties);
    FieldErrors errors = new FieldErrors();
    checkUnknownKeys(properties, errors);
    ConfigReport.checkTolerance(properties, errors);
    checkAcross(report, errors);
    TopicCreationRules.check(
        properties,
        report.sound(SourceConfig.PARTITION_COUNT),
        report.sound(SourceConfig.TOPIC_RETENTION_MS),
        errors);
    if (errors.isEmpty() && report.isSound()) {
      checkOnline(properties, errors);
    }
    return report.with(errors);
  }

  private void checkOnline(Map<String, String> properties, FieldErrors errors) {
    try {
      online.check(new SourceConfig(properties), errors);
    } catch (ConfigException e) {
      // Every key passed by itself; what is left are settings of the Kafka clients.
      errors.add(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, e.getMessage());
    }
  }

  /** Refuses keys under {@code tula.} that nobody reads, so that no typing error is silent (I7). */
  static void checkUnknownKeys(Map<String, String> properties, FieldErrors errors) {
    TreeSet<String> known = new TreeSet<>(Setting.names(SourceConfig.settings()));
    for (String key : properties.keySet()) {
      boolean ours = key.startsWith(TULA_PREFIX) && !key.startsWith(SourceConfig.KAFKA_PREFIX);
      if (ours && !known.contains(key)) {
        ConfigReport.refuseUnknown(key, known, errors);
      }
    }
  }

  private static void checkAcross(ConfigReport report, FieldErrors errors) {
    if (Boolean.TRUE.equals(report.sound(SourceConfig.FULL_TXN_RECORD))
        && Boolean.FALSE.equals(report.sound(SourceConfig.INCLUDE_METADATA))) {
      errors.add(
          SourceConfig.FULL_TXN_RECORD, "It requires " + SourceConfig.INCLUDE_METADATA + "=true");
    }
    Object topic = report.sound(SourceConfig.TOPIC);
    if (topic != null && topic.equals(report.sound(SourceConfig.CHECKPOINTS_TOPIC))) {
      errors.add(SourceConfig.CHECKPOINTS_TOPIC, "It must be another topic than the data topic");
    }
    if (report.sound(SourceConfig.PAGE_MAX_BYTES) instanceof Integer pageBytes
        && report.sound(QueryPortConfig.FRAME_MAX_BYTES) instanceof Integer frameBytes
        && pageBytes > Math.max(MIN_PAGE_BYTES, frameBytes - FRAME_RESERVE_BYTES)) {
      errors.add(
          SourceConfig.PAGE_MAX_BYTES,
          "A page has to fit into a frame: at most "
              + QueryPortConfig.FRAME_MAX_BYTES
              + " less "
              + FRAME_RESERVE_BYTES
              + ", which is "
              + (frameBytes - FRAME_RESERVE_BYTES));
    }
  }
}
