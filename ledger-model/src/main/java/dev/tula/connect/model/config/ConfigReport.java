package dev.tula.connect.model.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;

/**
 * What validation tells an operator of a connector's properties, each error on the key that it
 * belongs to. Nothing here throws on account of what an operator gave. For one thread.
 */
public final class ConfigReport {
  private static final String ERRORS_TOLERANCE = "errors.tolerance";
  private static final List<String> OUR_PREFIXES = List.of("tula.", "iceberg.");

  private final Map<String, String> properties;
  private final Map<String, ConfigValue> values = new LinkedHashMap<>();

  /** Of properties that have been checked key by key, and no further. */
  public ConfigReport(ConfigDef def, Map<String, String> properties) {
    this.properties = properties;
    def.validate(properties).forEach(value -> values.put(value.name(), value));
  }

  /** Whether every key passed by itself. */
  public boolean isSound() {
    return values.values().stream().allMatch(ConfigReport::passed);
  }

  private static boolean passed(ConfigValue value) {
    return value.errorMessages().isEmpty();
  }

  /** A key's value; null where it did not pass by itself, or has none. */
  public Object sound(String key) {
    ConfigValue value = values.get(key);
    return value != null && passed(value) ? value.value() : null;
  }

  /** All of it, with what else is wrong. */
  public Config with(FieldErrors errors) {
    errors.byField().forEach((key, messages) -> messages.forEach(value(key)::addErrorMessage));
    return new Config(new ArrayList<>(values.values()));
  }

  private ConfigValue value(String key) {
    return values.computeIfAbsent(
        key, name -> new ConfigValue(name, shown(name), List.of(), new ArrayList<>()));
  }

  /**
   * The value of a key that nobody knows may be a secret under a name with a typing error in it.
   */
  private String shown(String undefined) {
    return OUR_PREFIXES.stream().anyMatch(undefined::startsWith) ? null : properties.get(undefined);
  }

  /** Refuses to have records skipped that fail (I7). */
  public static void checkTolerance(Map<String, String> properties, FieldErrors errors) {
    if ("all".equalsIgnoreCase(properties.get(ERRORS_TOLERANCE))) {
      errors.add(
          ERRORS_TOLERANCE,
          "errors.tolerance=all skips records that fail, and a ledger row is never skipped; use none");
    }
  }

  /** Refuses a key that nobody reads, so that no typing error is silent (I7). */
  public static void refuseUnknown(String key, Collection<String> known, FieldErrors errors) {
    errors.add(
        key,
        "Unknown key "
            + key
            + NearestName.of(key, known).map(name -> "; did you mean " + name + "?").orElse("."));
  }
}
