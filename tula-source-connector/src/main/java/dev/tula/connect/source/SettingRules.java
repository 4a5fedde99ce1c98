package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import java.util.List;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Validators of single keys that only the source has. */
final class SettingRules {
  private SettingRules() {}

  /** A choice of which this version has one; the others are refused by name. */
  static ConfigDef.Validator only(String available, String... later) {
    List<String> planned = List.of(later);
    return named(
        available,
        (name, value) -> {
          if (planned.contains(value)) {
            throw new ConfigException(
                name, value, "It is not available in this version; use " + available);
          }
          if (!available.equals(value)) {
            throw new ConfigException(name, value, "Value must be " + available);
          }
        });
  }

  /** earliest, floor, or the end of a batch. */
  static ConfigDef.Validator startPosition() {
    return named(
        "earliest, floor or <batch>:" + Position.BATCH_END_INDEX,
        (name, value) -> {
          if (!SourceConfig.EARLIEST.equals(value) && !SourceConfig.FLOOR.equals(value)) {
            requireBatchEnd(name, String.valueOf(value));
          }
        });
  }

  private static void requireBatchEnd(String name, String value) {
    Position position;
    try {
      position = Position.parse(value);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          name,
          value,
          "Value must be earliest, floor or the end of a batch, such as 42:"
              + Position.BATCH_END_INDEX);
    }
    if (!position.isBatchEnd()) {
      throw new ConfigException(
          name, value, "A generation begins after a whole batch: write " + position.endOfBatch());
    }
  }

  private static ConfigDef.Validator named(String description, ConfigDef.Validator rule) {
    return new ConfigDef.Validator() {
      @Override
      public void ensureValid(String name, Object value) {
        rule.ensureValid(name, value);
      }

      @Override
      public String toString() {
        return description;
      }
    };
  }
}
