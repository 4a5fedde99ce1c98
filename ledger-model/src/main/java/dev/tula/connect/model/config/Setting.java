package dev.tula.connect.model.config;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigDef;

/**
 * One configuration key, with everything that a reader of the documentation wants to know. The
 * ConfigDefs and the tables in {@code docs/} are both made from these.
 *
 * @param name the key
 * @param type its type
 * @param defaultValue {@link ConfigDef#NO_DEFAULT_VALUE} where one must be given
 * @param validator the values it takes, or null for any
 * @param importance how likely it is to be set
 * @param group the heading it stands under
 * @param change what a change of it means
 * @param doc one sentence
 */
public record Setting(
    String name,
    ConfigDef.Type type,
    Object defaultValue,
    ConfigDef.Validator validator,
    ConfigDef.Importance importance,
    String group,
    Change change,
    String doc) {

  /** What a change of a key means for a pipeline that runs. */
  public enum Change {
    /** Taken up at once. */
    LIVE("A change is taken up at once."),
    /** Connect restarts the tasks, which then use the new value. */
    RESTART("A change restarts the tasks."),
    /** The generation itself: what was written in another stays as it is. */
    GENERATION("A change opens another generation, in new topics and tables."),
    /** Part of what the pipeline is; data that was written under the old value stays refused. */
    IDENTITY("Part of the pipeline's identity: a change is refused with code 88.");

    private final String sentence;

    Change(String sentence) {
      this.sentence = sentence;
    }

    /** The sentence that documentation ends with. */
    public String sentence() {
      return sentence;
    }
  }

  /** A builder of settings in one group. */
  public static Builder in(String group) {
    return new Builder(group);
  }

  /** The ConfigDef of these settings, in their order. */
  public static ConfigDef configDef(Collection<Setting> settings) {
    ConfigDef def = new ConfigDef();
    int order = 0;
    for (Setting setting : settings) {
      setting.define(def, ++order);
    }
    return def;
  }

  private void define(ConfigDef def, int order) {
    def.define(
        name,
        type,
        defaultValue,
        validator,
        importance,
        doc + " " + change.sentence(),
        group,
        order,
        width(),
        displayName());
  }

  private ConfigDef.Width width() {
    return switch (type) {
      case LIST, CLASS, PASSWORD -> ConfigDef.Width.LONG;
      case STRING -> ConfigDef.Width.MEDIUM;
      default -> ConfigDef.Width.SHORT;
    };
  }

  private String displayName() {
    String words = name.substring(name.indexOf('.') + 1).replace('.', ' ');
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  /** Makes the settings of one group. Values that it takes can be kept and used again. */
  public static final class Builder {
    private final String group;
    private final ConfigDef.Importance importance;
    private final Change change;

    private Builder(String group) {
      this(group, ConfigDef.Importance.MEDIUM, Change.RESTART);
    }

    private Builder(String group, ConfigDef.Importance importance, Change change) {
      this.group = group;
      this.importance = importance;
      this.change = change;
    }

    /** Of another importance than medium. */
    public Builder of(ConfigDef.Importance other) {
      return new Builder(group, other, change);
    }

    /** Whose change means something else than a restart. */
    public Builder changing(Change other) {
      return new Builder(group, importance, other);
    }

    /** A key that must be given. */
    public Setting required(
        String name, ConfigDef.Type type, ConfigDef.Validator validator, String doc) {
      return with(name, type, ConfigDef.NO_DEFAULT_VALUE, validator, doc);
    }

    /** A key that takes any value of its type. */
    public Setting with(String name, ConfigDef.Type type, Object defaultValue, String doc) {
      return with(name, type, defaultValue, null, doc);
    }

    /** A key that takes some values. */
    public Setting with(
        String name,
        ConfigDef.Type type,
        Object defaultValue,
        ConfigDef.Validator validator,
        String doc) {
      return new Setting(name, type, defaultValue, validator, importance, group, change, doc);
    }
  }

  /** The names of these settings. */
  public static List<String> names(Collection<Setting> settings) {
    return settings.stream().map(Setting::name).toList();
  }
}
