package dev.tula.connect.source;

import dev.tula.connect.model.config.FieldErrors;
import dev.tula.connect.model.config.NearestName;
import dev.tula.connect.model.config.Setting;
import dev.tula.connect.queryport.QueryPortConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;

/**
 * Validates a configuration whole: first everything that needs no network, with every error on the
 * field that it belongs to; and only if there is none, the engine's nodes and the topics, within
 * time limits.
 */
final class SourceValidator {
  private static final String TULA_PREFIX = "tula.";
  private static final String ERRORS_TOLERANCE = "errors.tolerance";

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
    Map<String, ConfigValue> values = new LinkedHashMap<>();
    SourceConfig.configDef().validate(properties).forEach(value -> values.put(value.name(), value));
    FieldErrors errors = new FieldErrors();
    checkUnknownKeys(properties, errors);
    checkTolerance(properties, errors);
    SoundValues sound = new SoundValues(values);
    checkAcross(sound, errors);
    TopicCreationRules.check(
        properties,
        sound.of(SourceConfig.PARTITION_COUNT),
        sound.of(SourceConfig.TOPIC_RETENTION_MS),
        errors);
    if (errors.isEmpty() && values.values().stream().allMatch(SoundValues::isSound)) {
      checkOnline(properties, errors);
    }
    errors.byField().forEach((field, messages) -> add(values, properties, field, messages));
    return new Config(new ArrayList<>(values.values()));
  }

  private void checkOnline(Map<String, String> properties, FieldErrors errors) {
    try {
      online.check(new SourceConfig(properties), errors);
    } catch (ConfigException e) {
      // Every key passed by itself; what is left are settings of the Kafka clients.
      errors.add(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, e.getMessage());
    }
  }

  private static void add(
      Map<String, ConfigValue> values,
      Map<String, String> properties,
      String field,
      List<String> messages) {
    // The value of a key that nobody knows may be a secret under a name with a typing error in it.
    ConfigValue value =
        values.computeIfAbsent(
            field,
            name ->
                new ConfigValue(
                    name,
                    name.startsWith(TULA_PREFIX) ? null : properties.get(name),
                    List.of(),
                    new ArrayList<>()));
    messages.forEach(value::addErrorMessage);
  }

  /** Refuses keys under {@code tula.} that nobody reads, so that no typing error is silent (I7). */
  static void checkUnknownKeys(Map<String, String> properties, FieldErrors errors) {
    TreeSet<String> known = new TreeSet<>(Setting.names(SourceConfig.settings()));
    for (String key : properties.keySet()) {
      boolean ours = key.startsWith(TULA_PREFIX) && !key.startsWith(SourceConfig.KAFKA_PREFIX);
      if (ours && !known.contains(key)) {
        errors.add(
            key,
            "Unknown key "
                + key
                + NearestName.of(key, known)
                    .map(name -> "; did you mean " + name + "?")
                    .orElse("."));
      }
    }
  }

  private static void checkTolerance(Map<String, String> properties, FieldErrors errors) {
    if ("all".equalsIgnoreCase(properties.get(ERRORS_TOLERANCE))) {
      errors.add(
          ERRORS_TOLERANCE,
          "errors.tolerance=all skips records that fail, and a ledger row is never skipped; use none");
    }
  }

  private static void checkAcross(SoundValues values, FieldErrors errors) {
    if (Boolean.TRUE.equals(values.of(SourceConfig.FULL_TXN_RECORD))
        && Boolean.FALSE.equals(values.of(SourceConfig.INCLUDE_METADATA))) {
      errors.add(
          SourceConfig.FULL_TXN_RECORD, "It requires " + SourceConfig.INCLUDE_METADATA + "=true");
    }
    Object topic = values.of(SourceConfig.TOPIC);
    if (topic != null && topic.equals(values.of(SourceConfig.CHECKPOINTS_TOPIC))) {
      errors.add(SourceConfig.CHECKPOINTS_TOPIC, "It must be another topic than the data topic");
    }
    if (values.of(SourceConfig.PAGE_MAX_BYTES) instanceof Integer pageBytes
        && values.of(QueryPortConfig.FRAME_MAX_BYTES) instanceof Integer frameBytes
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

  /** The values that passed by themselves. */
  private record SoundValues(Map<String, ConfigValue> values) {
    static boolean isSound(ConfigValue value) {
      return value.errorMessages().isEmpty();
    }

    Object of(String name) {
      ConfigValue value = values.get(name);
      return value != null && isSound(value) ? value.value() : null;
    }
  }
}
