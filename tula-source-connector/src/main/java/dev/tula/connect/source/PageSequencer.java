package dev.tula.connect.source;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import java.util.List;

/**
 * Turns pages into the stream of one export partition: holds every page against the protocol's
 * promises, chains each record to the position proven before it, and closes with a coverage record
 * what a page covered beyond its last row (C12). Pure: no I/O, no clock.
 *
 * <p>Not thread-safe. After a failure it is of no further use.
 */
final class PageSequencer {
  private final StreamIdentity identity;
  private final boolean strict;
  private Position proven;
  private long closedThroughMicros;
  private long recordedAtMicros;
  private long regressions;

  /** Takes the items of a page, in order. */
  @FunctionalInterface
  interface ItemSink {
    /**
     * The next item.
     *
     * @param item a row, or a coverage record
     * @param provesTo what it proves; where a restart would go on
     */
    void accept(StreamItem item, Position provesTo);
  }

  /**
   * Continues a stream.
   *
   * @param identity whose
   * @param proven the position up to which it was handed over
   * @param closedThroughMicros the time that is closed there, µs
   * @param strict whether a closed time that goes back stops the export
   */
  PageSequencer(
      StreamIdentity identity, Position proven, long closedThroughMicros, boolean strict) {
    this.identity = identity;
    this.proven = proven;
    this.closedThroughMicros = closedThroughMicros;
    this.recordedAtMicros = Long.MIN_VALUE;
    this.strict = strict;
  }

  /** The position up to which the stream was handed over; what the next page is asked after. */
  Position proven() {
    return proven;
  }

  /** The time that is closed at {@link #proven}, µs. */
  long closedThroughMicros() {
    return closedThroughMicros;
  }

  /** How often the engine took back a time that it had declared closed. */
  long closedThroughRegressions() {
    return regressions;
  }

  /**
   * Takes a page that was asked for after {@link #proven}.
   *
   * @throws ExportFailure if it breaks a promise of the protocol
   */
  void accept(Message.Page page, ItemSink sink) {
    checkCoverage(page);
    Position before = proven;
    List<CanonicalRow> rows = page.records();
    for (int i = 0; i < rows.size(); i++) {
      acceptRow(rows.get(i), page, sink);
    }
    boolean closedFurther = noteClosedThrough(page.closedThroughMicros());
    if (page.coveredTo().isAfter(proven)) {
      cover(page.coveredTo(), sink);
    } else if (proven.equals(before) && closedFurther) {
      // An idle ledger: nothing new lies behind us, but time has closed.
      cover(proven, sink);
    }
  }

  private void checkCoverage(Message.Page page) {
    if (!page.coveredFrom().equals(proven)) {
      throw broken(
          "a page after "
              + proven
              + " was asked for, and one after "
              + page.coveredFrom()
              + " came");
    }
    if (proven.isAfter(page.coveredTo())) {
      throw broken("a page after " + proven + " covers only to " + page.coveredTo());
    }
    if (page.coveredTo().globalBatchSeq() > page.head().globalBatchSeq()) {
      throw broken("a page covers to " + page.coveredTo() + ", beyond its head " + page.head());
    }
  }

  private void acceptRow(CanonicalRow row, Message.Page page, ItemSink sink) {
    Position position = row.position();
    if (!position.isAfter(proven)) {
      throw broken("row " + position + " comes after " + proven);
    }
    if (position.isAfter(page.coveredTo())) {
      throw broken("row " + position + " lies beyond the page's end " + page.coveredTo());
    }
    if (position.exportPartition(identity.partitionCount()) != identity.partition()) {
      throw broken("row " + position + " belongs to another export partition");
    }
    if (row.kind().isMetadata() && !identity.includeMetadata()) {
      throw broken("row " + position + " is a " + row.kind() + ", which was not asked for");
    }
    checkRecordedAt(row, position);
    StreamItem item = new StreamItem.Row(proven, row);
    proven = position;
    sink.accept(item, position);
  }

  private void checkRecordedAt(CanonicalRow row, Position position) {
    long micros = row.recordedAtMicros();
    if (micros < recordedAtMicros || micros <= closedThroughMicros) {
      regressed(
          "row "
              + position
              + " was recorded at "
              + micros
              + " µs, after "
              + Math.max(recordedAtMicros, closedThroughMicros)
              + " µs was reached");
    }
    recordedAtMicros = Math.max(recordedAtMicros, micros);
  }

  private boolean noteClosedThrough(long micros) {
    if (micros < closedThroughMicros) {
      regressed(
          "closed-through went back from " + closedThroughMicros + " µs to " + micros + " µs");
    }
    boolean further = micros > closedThroughMicros;
    closedThroughMicros = Math.max(closedThroughMicros, micros);
    return further;
  }

  private void regressed(String what) {
    regressions++;
    if (strict) {
      throw broken(
          what
              + "; a time that was declared closed is not, and reads of the lake as of it may change."
              + " "
              + SourceConfig.STRICT_CLOSED_THROUGH
              + "=false goes on regardless");
    }
  }

  private void cover(Position to, ItemSink sink) {
    StreamItem item = new StreamItem.Coverage(proven, to, closedThroughMicros, identity);
    proven = to;
    sink.accept(item, to);
  }

  private ExportFailure broken(String what) {
    return new ExportFailure(
        FailureCode.CONTRACT,
        "the engine broke its promises to pipeline "
            + identity.pipeline()
            + ", partition "
            + identity.partition()
            + ": "
            + what);
  }
}
