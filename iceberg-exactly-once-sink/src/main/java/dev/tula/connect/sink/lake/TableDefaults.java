package dev.tula.connect.sink.lake;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.types.Types.NestedField;

/** The properties that tables are created with; each can be overridden. */
final class TableDefaults {
  /** Zero-padded ids: bounds cut to 16 of their digits would never prune. */
  private static final Set<String> ID_COLUMNS =
      Set.of(
          "transfer_id",
          "txn_id",
          "debit_account_id",
          "credit_account_id",
          "settlement_id",
          "debit_settlement_account_id",
          "credit_settlement_account_id",
          "entity_id",
          "parent_id");

  private TableDefaults() {}

  static Map<String, String> of(Schema schema, Map<String, String> overrides) {
    Map<String, String> properties = new HashMap<>();
    properties.put(TableProperties.FORMAT_VERSION, "2");
    properties.put(TableProperties.DEFAULT_FILE_FORMAT, "parquet");
    properties.put(TableProperties.PARQUET_COMPRESSION, "zstd");
    properties.put(TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
    for (NestedField column : schema.columns()) {
      if (ID_COLUMNS.contains(column.name())) {
        properties.put(TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX + column.name(), "full");
      }
    }
    properties.putAll(overrides);
    return properties;
  }
}
