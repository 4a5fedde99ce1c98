package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.sink.engine.RangeState;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.lake.RowSums;
import java.math.BigInteger;
import java.util.Optional;
import org.apache.iceberg.Table;

/** One table while it is held against the commit log. Not thread-safe. */
final class TableWork {
  private final TableReading reading;
  private final TableState state;
  private final Differences differences;
  private final TableLog log;
  private boolean unpublished;

  /**
   * @param reading the table, which has a state
   * @param log its events so far
   * @param differences where differences go
   */
  TableWork(TableReading reading, TableLog log, Differences differences) {
    this.reading = reading;
    this.state = reading.state().orElseThrow();
    this.log = log;
    this.differences = differences;
  }

  TableReading reading() {
    return reading;
  }

  TableState state() {
    return state;
  }

  TableLog log() {
    return log;
  }

  Differences differences() {
    return differences;
  }

  Table table() {
    return reading.contents().orElseThrow().table();
  }

  /** Whether its last range is above the watermark and not in the log yet. */
  boolean unpublished() {
    return unpublished;
  }

  /** What the log adds up to. */
  RowSums logged() {
    return sums(log.rows(), log.amountSum());
  }

  /** Rows, and the sum of their amounts where the table has amounts. */
  RowSums sums(long rows, BigInteger amounts) {
    return new RowSums(
        rows, reading.table().hasAmounts() ? Optional.of(amounts) : Optional.empty());
  }

  /** What the table's state says. */
  RowSums stated() {
    return new RowSums(state.totalRows(), state.totalAmountSum());
  }

  /** Takes the table's last range from its state: it is in the table and not in the log yet. */
  void takeUnpublished(RangeState range) {
    unpublished = true;
    log.extendUnpublished(range);
  }
}
