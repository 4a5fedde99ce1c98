package dev.tula.connect.model;

import java.util.Objects;

/**
 * What a data topic holds, one item a Kafka record in the row format. An item proves a stretch of
 * positions complete: a row {@code (pred, pos]}, a coverage record {@code (from, to]} (C12).
 */
public sealed interface StreamItem {
  /** The kind of item. */
  RecordKind kind();

  /** The position after which this item proves the stream complete. */
  Position provesAfter();

  /** The position up to which this item proves the stream complete. */
  Position provesTo();

  /**
   * A ledger record.
   *
   * @param pred the position that the source had proven before it; beside the row, not part of its
   *     canonical bytes
   * @param row the record
   */
  record Row(Position pred, CanonicalRow row) implements StreamItem {
    /**
     * @throws MalformedRecordException if the predecessor does not lie before the row
     */
    public Row {
      Objects.requireNonNull(pred, "pred");
      if (!row.position().isAfter(pred)) {
        throw new MalformedRecordException(
            "row at " + row.position() + " names " + pred + " as its predecessor");
      }
    }

    @Override
    public RecordKind kind() {
      return row.kind();
    }

    @Override
    public Position provesAfter() {
      return pred;
    }

    @Override
    public Position provesTo() {
      return row.position();
    }
  }

  /**
   * Says that a stretch of the ledger was covered, with or without rows in it.
   *
   * @param from exclusive; equal to {@code to} where a task session opens
   * @param to inclusive
   * @param closedThroughMicros every record with {@code recorded_at} at or before this time, in µs,
   *     is at or below {@code to}
   * @param identity whose stream this is
   */
  record Coverage(Position from, Position to, long closedThroughMicros, StreamIdentity identity)
      implements StreamItem {
    /**
     * @throws MalformedRecordException if it runs backwards
     */
    public Coverage {
      Objects.requireNonNull(identity, "identity");
      if (from.isAfter(to)) {
        throw new MalformedRecordException("coverage (" + from + ", " + to + "] runs backwards");
      }
    }

    @Override
    public RecordKind kind() {
      return RecordKind.COVERAGE;
    }

    @Override
    public Position provesAfter() {
      return from;
    }

    @Override
    public Position provesTo() {
      return to;
    }
  }

  /**
   * Opens a generation.
   *
   * @param from where the stream begins, exclusive: the end of a batch, the origin, or the place
   *     {@linkplain Position#beforeSeeded before} the rows that a bootstrap seeds
   * @param floorTimeMicros every record with {@code recorded_at} at or before this time, in µs
   *     since the epoch, lies at or below {@code from} and is not part of the stream
   * @param identity whose stream this is
   */
  record Start(Position from, long floorTimeMicros, StreamIdentity identity) implements StreamItem {
    /** Checks that the parts are there. */
    public Start {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(identity, "identity");
    }

    @Override
    public RecordKind kind() {
      return RecordKind.START;
    }

    @Override
    public Position provesAfter() {
      return from;
    }

    @Override
    public Position provesTo() {
      return from;
    }
  }
}
