package dev.tula.connect.sink.lake;

import java.util.Map;
import org.apache.iceberg.TableProperties;

/**
 * Caps what a Parquet writer holds. Its row group is what it may buffer; pages and dictionaries are
 * made for each column apart, so they are kept a small part of it: with some 50 columns, all their
 * first pages and dictionaries fit into about as much memory again.
 *
 * @param maxRowGroupBytes the most that a row group takes, but for the rows between two looks at it
 */
record ParquetMemory(long maxRowGroupBytes) {
  private static final int COLUMN_PART = 128;
  private static final int MIN_PAGE_BYTES = 8 << 10;

  /** Lowers what properties say, or leave to Iceberg's defaults, of sizes that cost memory. */
  void cap(Map<String, String> properties) {
    cap(
        properties,
        TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES,
        TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES_DEFAULT,
        maxRowGroupBytes);
    long column = Math.max(MIN_PAGE_BYTES, maxRowGroupBytes / COLUMN_PART);
    cap(
        properties,
        TableProperties.PARQUET_PAGE_SIZE_BYTES,
        TableProperties.PARQUET_PAGE_SIZE_BYTES_DEFAULT,
        column);
    cap(
        properties,
        TableProperties.PARQUET_DICT_SIZE_BYTES,
        TableProperties.PARQUET_DICT_SIZE_BYTES_DEFAULT,
        column);
  }

  private static void cap(Map<String, String> properties, String key, long byDefault, long cap) {
    String set = properties.get(key);
    long value = set == null ? byDefault : Long.parseLong(set);
    if (value > cap) {
      properties.put(key, Long.toString(cap));
    }
  }
}
