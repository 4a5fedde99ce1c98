package dev.tula.connect.model.config;

import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Validators that Kafka does not have, or not on every version that the plugin loads on. */
public final class Validators {
  private static final Pattern TOPIC_NAME = Pattern.compile("[A-Za-z0-9._-]{1,230}");

  private Validators() {}

  /** Whole numbers from {@code min} to {@code max}, both included. */
  public static ConfigDef.Validator between(long min, long max) {
    return new Checked("[" + min + ",...," + max + "]") {
      @Override
      void check(String name, Object value) {
        if (value instanceof Number number
            && (number.longValue() < min || number.longValue() > max)) {
          throw new ConfigException(name, value, "Value must be " + min + " to " + max);
        }
      }
    };
  }

  /** Text that matches a pattern as a whole; {@code what} says it in words. */
  public static ConfigDef.Validator matching(Pattern pattern, String what) {
    return new Checked(what) {
      @Override
      void check(String name, Object value) {
        if (value instanceof String text && !pattern.matcher(text).matches()) {
          throw new ConfigException(name, value, "Value must be " + what);
        }
      }
    };
  }

  /** A topic's name, with room for what a generation adds to it. */
  public static ConfigDef.Validator topicName() {
    return matching(TOPIC_NAME, "a Kafka topic name of up to 230 characters");
  }

  private abstract static class Checked implements ConfigDef.Validator {
    private final String description;

    Checked(String description) {
      this.description = description;
    }

    abstract void check(String name, Object value);

    @Override
    public void ensureValid(String name, Object value) {
      check(name, value);
    }

    @Override
    public String toString() {
      return description;
    }
  }
}
