package dev.tula.connect.source;

import java.util.List;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * The records of one page, or a part of them.
 *
 * @param records in order, never empty
 * @param endsPage whether the page's last record is among them
 */
record RecordBatch(List<SourceRecord> records, boolean endsPage) {
  SourceRecord last() {
    return records.get(records.size() - 1);
  }
}
