package dev.tula.connect.local.bench;

import java.util.Map;

/** What the data topic holds. */
enum Converter {
  /** The project's own compact bytes. */
  COMPACT(Map.of("value.converter", "dev.tula.connect.model.LedgerConverter")),

  /** JSON with the schema in every record. */
  JSON(
      Map.of(
          "value.converter",
          "org.apache.kafka.connect.json.JsonConverter",
          "value.converter.schemas.enable",
          "true"));

  private final Map<String, String> settings;

  Converter(Map<String, String> settings) {
    this.settings = settings;
  }

  /** The connector's keys that select it. */
  Map<String, String> settings() {
    return settings;
  }
}
