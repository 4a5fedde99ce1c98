package dev.tula.connect.sink;

import dev.tula.connect.model.config.ConfigReport;
import dev.tula.connect.model.config.FieldErrors;
import dev.tula.connect.model.config.Setting;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigException;

/**
 * Validates a configuration whole, without a network: every error at once, each on the field that
 * it belongs to.
 */
final class SinkValidator {
  private static final String TOPICS_REGEX = "topics.regex";

  /** Keys of Iceberg's own sink that can't apply here, with the reason. */
  private static final Map<String, String> REFUSED =
      Map.of(
          "iceberg.tables", "the tables follow from tula.layout",
          "iceberg.tables.dynamic-enabled", "the tables follow from tula.layout",
          "iceberg.tables.route-field", "the tables follow from tula.layout",
          "iceberg.tables.default-commit-branch",
              "rows are committed to main, where the watermark vouches for them",
          "iceberg.tables.default-id-columns", "the ledger's history is only ever appended to",
          "iceberg.tables.default-partition-by", "the lake format's tables are unpartitioned",
          "iceberg.tables.auto-create-enabled", "tables are created once, when a generation opens",
          "iceberg.tables.evolve-schema-enabled", "the lake format fixes the columns",
          "iceberg.tables.schema-force-optional", "the lake format fixes the columns",
          "iceberg.tables.schema-case-insensitive", "the lake format fixes the columns");

  /** The same for whole families of keys. */
  private static final Map<String, String> REFUSED_PREFIXES =
      Map.of(
          "iceberg.table.", "the tables follow from tula.layout",
          "iceberg.control.",
              "there is no coordinator and no control topic; see tula.commit.* for intervals and threads",
          "iceberg.coordinator.", "there is no coordinator",
          "iceberg.connect.", "no consumer group of Connect's is read");

  private SinkValidator() {}

  /** Validates what an operator gave. Never throws on account of it. */
  static Config validate(Map<String, String> properties) {
    ConfigReport report = new ConfigReport(SinkConfig.configDef(), properties);
    FieldErrors errors = new FieldErrors();
    checkKeys(properties, errors);
    checkConnectKeys(properties, errors);
    if (report.isSound()) {
      checkTogether(properties, errors);
    }
    return report.with(errors);
  }

  /**
   * Refuses what nobody reads, so that no typing error is silent, and what can't apply, with the
   * reason (I7).
   */
  static void checkKeys(Map<String, String> properties, FieldErrors errors) {
    TreeSet<String> known = new TreeSet<>(Setting.names(SinkConfig.settings()));
    known.addAll(SinkConfig.STOCK_KEYS);
    for (String key : properties.keySet()) {
      boolean ours = key.startsWith("tula.") || key.startsWith("iceberg.");
      if (!ours
          || known.contains(key)
          || SinkConfig.STOCK_PREFIXES.stream().anyMatch(key::startsWith)) {
        continue;
      }
      String reason = refusal(key);
      if (reason == null) {
        ConfigReport.refuseUnknown(key, known, errors);
      } else {
        errors.add(key, key + " of Iceberg's own sink does not apply here: " + reason);
      }
    }
  }

  private static String refusal(String key) {
    if (REFUSED.containsKey(key)) {
      return REFUSED.get(key);
    }
    return REFUSED_PREFIXES.entrySet().stream()
        .filter(entry -> key.startsWith(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  private static void checkConnectKeys(Map<String, String> properties, FieldErrors errors) {
    ConfigReport.checkTolerance(properties, errors);
    String topics = properties.getOrDefault(SinkConfig.TOPICS, "");
    if (properties.containsKey(TOPICS_REGEX)) {
      errors.add(TOPICS_REGEX, "The sink reads one data topic: name it in topics");
    } else if (topics.isBlank() || topics.contains(",")) {
      errors.add(SinkConfig.TOPICS, "The sink reads exactly one data topic of one generation");
    }
  }

  private static void checkTogether(Map<String, String> properties, FieldErrors errors) {
    SinkConfig config = new SinkConfig(properties);
    if (config.getBoolean(SinkConfig.FULL_TXN_RECORD)
        && !config.getBoolean(SinkConfig.INCLUDE_METADATA)) {
      errors.add(
          SinkConfig.FULL_TXN_RECORD, "It requires " + SinkConfig.INCLUDE_METADATA + "=true");
    }
    if (config.getInt(SinkConfig.REPLAY_WINDOW_ROWS) / 2
        < config.getInt(SinkConfig.COMMIT_MAX_ROWS)) {
      errors.add(
          SinkConfig.REPLAY_WINDOW_ROWS,
          "It must be at least twice "
              + SinkConfig.COMMIT_MAX_ROWS
              + ", as no row above the watermark may be forgotten");
    }
    if (config.getBoolean(SinkConfig.FENCING_ENABLED)
        && config.getString(SinkConfig.FENCING_URL) == null) {
      errors.add(
          SinkConfig.FENCING_URL,
          "With " + SinkConfig.FENCING_ENABLED + "=true it must say where leases are kept");
    }
    checkMemory(config, errors);
    checkTopics(properties, config, errors);
    checkCatalog(properties, config, errors);
  }

  /** One partition's own limits have to fit, or they would never be what decides. */
  private static void checkMemory(SinkConfig config, FieldErrors errors) {
    long memory = config.memoryMaxBytes();
    long range = config.getLong(SinkConfig.COMMIT_MAX_BYTES);
    long queue = config.queueMaxBytes();
    long window = SinkConfig.WINDOW_ROW_BYTES * config.getInt(SinkConfig.REPLAY_WINDOW_ROWS);
    long needed = MemoryBudget.leastFor(range + queue + window);
    if (memory < needed) {
      errors.add(
          SinkConfig.MEMORY_MAX_BYTES,
          String.format(
              "Three quarters of it are for rows, %d bytes, and one partition alone may take %s=%d, %s=%d and, with %s=%d,"
                  + " %d: set it to %d or more, or lower these",
              MemoryBudget.rowBytes(memory),
              SinkConfig.COMMIT_MAX_BYTES,
              range,
              SinkConfig.QUEUE_MAX_BYTES,
              queue,
              SinkConfig.REPLAY_WINDOW_ROWS,
              config.getInt(SinkConfig.REPLAY_WINDOW_ROWS),
              window,
              needed));
    }
  }

  private static void checkTopics(
      Map<String, String> properties, SinkConfig config, FieldErrors errors) {
    String data = properties.getOrDefault(SinkConfig.TOPICS, "").trim();
    if (config.checkpointsTopic().equals(config.commitsTopic())) {
      errors.add(SinkConfig.CHECKPOINTS_TOPIC, "It must be another topic than the commits topic");
    }
    if (data.equals(config.commitsTopic()) || data.equals(config.checkpointsTopic())) {
      errors.add(SinkConfig.TOPICS, "The data topic must not be the commits or checkpoints topic");
    }
    int generation = config.getInt(SinkConfig.GENERATION);
    if (generation > 1 && !data.isEmpty() && !data.endsWith(".g" + generation)) {
      errors.add(
          SinkConfig.TOPICS,
          "Generation " + generation + " is read from a topic whose name ends in .g" + generation);
    }
  }

  private static boolean isRest(Map<String, String> properties) {
    return "rest".equalsIgnoreCase(properties.get("iceberg.catalog.type"))
        || "org.apache.iceberg.rest.RESTCatalog"
            .equals(properties.get("iceberg.catalog.catalog-impl"));
  }

  private static void checkCatalog(
      Map<String, String> properties, SinkConfig config, FieldErrors errors) {
    boolean catalog =
        properties.keySet().stream().anyMatch(key -> key.startsWith("iceberg.catalog."));
    if (!catalog) {
      errors.add(
          "iceberg.catalog.type",
          "The catalog is not configured: set iceberg.catalog.type or .catalog-impl, and its uri");
      return;
    }
    if (config.multiTable() && !isRest(properties)) {
      errors.add(
          SinkConfig.MULTI_TABLE,
          "Only a REST catalog commits several tables at once: set iceberg.catalog.type=rest, or leave this false");
    }
    try {
      checkCatalogClass(SinkConfig.stock(properties, config.identity()).catalogProps(), errors);
    } catch (ConfigException | IllegalArgumentException e) {
      errors.add(
          "iceberg.catalog.type", "Iceberg refuses the catalog's configuration: " + e.getMessage());
    }
  }

  /** Hive's and Nessie's clients are not in the zip. */
  private static void checkCatalogClass(Map<String, String> catalogProps, FieldErrors errors) {
    String key =
        "iceberg.catalog." + (catalogProps.containsKey("catalog-impl") ? "catalog-impl" : "type");
    IcebergCatalogs.missingClass(catalogProps)
        .ifPresent(name -> errors.add(key, "Its " + IcebergCatalogs.advice(name)));
  }
}
