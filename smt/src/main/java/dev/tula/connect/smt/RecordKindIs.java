package dev.tula.connect.smt;

import dev.tula.connect.model.LedgerStruct;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.StreamItem;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.transforms.predicates.Predicate;

/**
 * Tells ledger records by their kind, for consumers of the data topic that want some of them:
 * without the coverage and START records, say, or accounts alone. It goes by the field {@code
 * record_kind}, in a Struct or in a map without a schema. A record without that field is of no
 * kind, so the answer is no.
 *
 * <p>It is not for the exactly-once sink, which needs every record of the topic and stops where one
 * is missing.
 *
 * <p>Configured once and then only read, so it is safe for any thread.
 *
 * @param <R> the type of record
 */
public final class RecordKindIs<R extends ConnectRecord<R>> implements Predicate<R>, Versioned {
  /** The kinds to answer yes for. */
  public static final String KINDS = "kinds";

  private static final String RECORD_KIND = "record_kind";
  private static final Map<String, RecordKind> BY_NAME = new TreeMap<>();
  private static final ConfigDef CONFIG_DEF;

  static {
    Stream.of(RecordKind.values()).forEach(kind -> BY_NAME.put(nameOf(kind), kind));
    CONFIG_DEF =
        new ConfigDef()
            .define(
                KINDS,
                ConfigDef.Type.LIST,
                ConfigDef.NO_DEFAULT_VALUE,
                new KindNames(),
                ConfigDef.Importance.HIGH,
                "The kinds of ledger record to answer yes for: any of "
                    + String.join(", ", BY_NAME.keySet())
                    + ".");
  }

  private Set<RecordKind> kinds = EnumSet.noneOf(RecordKind.class);

  /** For Connect. */
  public RecordKindIs() {}

  @Override
  public String version() {
    String version = RecordKindIs.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private static String nameOf(RecordKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public ConfigDef config() {
    return CONFIG_DEF;
  }

  /**
   * Takes the kinds.
   *
   * @throws ConfigException if there is none, or one is not known
   */
  @Override
  public void configure(Map<String, ?> configs) {
    Set<RecordKind> configured = EnumSet.noneOf(RecordKind.class);
    for (Object name : (List<?>) CONFIG_DEF.parse(configs).get(KINDS)) {
      configured.add(BY_NAME.get(name));
    }
    kinds = configured;
  }

  @Override
  public boolean test(R record) {
    return kind(record.value()).map(kinds::contains).orElse(false);
  }

  private static Optional<RecordKind> kind(Object value) {
    if (value instanceof LedgerStruct struct && struct.item().isPresent()) {
      return struct.item().map(StreamItem::kind);
    }
    if (value instanceof Struct struct) {
      Field field = struct.schema().field(RECORD_KIND);
      return field == null ? Optional.empty() : ofCode(struct.get(field));
    }
    return value instanceof Map<?, ?> map ? ofCode(map.get(RECORD_KIND)) : Optional.empty();
  }

  private static Optional<RecordKind> ofCode(Object code) {
    if (!(code instanceof Number number)) {
      return Optional.empty();
    }
    return BY_NAME.values().stream().filter(kind -> kind.code() == number.doubleValue()).findAny();
  }

  @Override
  public void close() {
    // It holds nothing.
  }

  private static final class KindNames implements ConfigDef.Validator {
    @Override
    public void ensureValid(String name, Object value) {
      List<?> names = (List<?>) value;
      if (names.isEmpty()) {
        throw new ConfigException(name, value, "Name at least one kind of " + BY_NAME.keySet());
      }
      for (Object kind : names) {
        if (!BY_NAME.containsKey(kind)) {
          throw new ConfigException(
              name, value, "Kind " + kind + " is not known; choose of " + BY_NAME.keySet());
        }
      }
    }

    @Override
    public String toString() {
      return String.join(", ", BY_NAME.keySet());
    }
  }
}
