package dev.tula.connect.sink.engine;

import dev.tula.connect.model.RecordKind;

/**
 * A table of a layout by its logical name, the one that digests and events use. Its physical name
 * has the generation and partition behind it.
 *
 * @param name the logical name
 * @param kind the kind of record that its rows are
 * @param fullTxnRecord whether transactions have their full-record columns
 */
public record LogicalTable(String name, RecordKind kind, boolean fullTxnRecord) {
  /** Whether amounts are summed for it. */
  public boolean hasAmounts() {
    return kind == RecordKind.TRANSACTION;
  }
}
