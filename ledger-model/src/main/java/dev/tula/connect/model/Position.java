package dev.tula.connect.model;

import java.util.Objects;

/**
 * A place in the ledger's own order: {@code (global_batch_seq, array_index)}, ordered
 * lexicographically, written {@code gbs:idx}.
 *
 * <p>An index below {@link #FIRST_SEEDED_INDEX} belongs to a streamed record, from there on to a
 * row that a bootstrap seeded, and {@link #BATCH_END_INDEX} to no record at all: it names the end
 * of a batch. The {@link #ORIGIN} is before every record.
 *
 * @param globalBatchSeq the batch's number, 0 only in the origin
 * @param arrayIndex the record's index in its batch
 */
public record Position(long globalBatchSeq, int arrayIndex) implements Comparable<Position> {
  /**
   * The index that stands for the end of a batch: 2³¹−1, so that an index always fits an Iceberg
   * int.
   */
  public static final int BATCH_END_INDEX = Integer.MAX_VALUE;

  /** The first index of the rows that a bootstrap seeds: 2³⁰. No streamed record reaches it. */
  public static final int FIRST_SEEDED_INDEX = 1 << 30;

  /** Before the first record of every ledger. */
  public static final Position ORIGIN = new Position(0, BATCH_END_INDEX);

  /**
   * @throws IllegalArgumentException if a part is negative, or the batch is 0 and this is not the
   *     origin
   */
  public Position {
    if (globalBatchSeq < 0 || arrayIndex < 0) {
      throw new IllegalArgumentException(
          "position "
              + globalBatchSeq
              + ":"
              + arrayIndex
              + " is out of range: both parts must be 0 or more");
    }
    if (globalBatchSeq == 0 && arrayIndex != BATCH_END_INDEX) {
      throw new IllegalArgumentException(
          "position 0:"
              + arrayIndex
              + " does not exist: batches are numbered from 1; the origin is 0:"
              + BATCH_END_INDEX);
    }
  }

  /** The end of batch {@code globalBatchSeq}; of batch 0, the origin. */
  public static Position batchEnd(long globalBatchSeq) {
    return new Position(globalBatchSeq, BATCH_END_INDEX);
  }

  /**
   * Reads the text form {@code gbs:idx}.
   *
   * @throws IllegalArgumentException naming the text, if it is not a position
   */
  public static Position parse(String text) {
    Objects.requireNonNull(text, "text");
    int colon = text.indexOf(':');
    if (colon <= 0 || colon == text.length() - 1) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a position: write global_batch_seq:array_index, as in 42:7");
    }
    try {
      return new Position(
          digits(text.substring(0, colon)), Math.toIntExact(digits(text.substring(colon + 1))));
    } catch (NumberFormatException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a position: write global_batch_seq:array_index, as in 42:7", e);
    }
  }

  private static long digits(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        throw new NumberFormatException("not a digit: " + text.charAt(i));
      }
    }
    return Long.parseLong(text);
  }

  /** Whether this names the end of a batch, as every W and every D does. */
  public boolean isBatchEnd() {
    return arrayIndex == BATCH_END_INDEX;
  }

  /**
   * Where the rows of a bootstrap begin that seeds the state as of the end of a batch: after every
   * record that was streamed of it, before the first that is seeded.
   */
  public static Position beforeSeeded(long globalBatchSeq) {
    return new Position(globalBatchSeq, FIRST_SEEDED_INDEX - 1);
  }

  /** Whether this names the place {@linkplain #beforeSeeded before a batch's seeded rows}. */
  public boolean isBeforeSeeded() {
    return arrayIndex == FIRST_SEEDED_INDEX - 1;
  }

  /** Whether this is where a bootstrap has begun and not ended: before its rows, or one of them. */
  public boolean isAmongSeeded() {
    return arrayIndex >= FIRST_SEEDED_INDEX - 1 && !isBatchEnd();
  }

  /** The end of the batch that this lies in. */
  public Position endOfBatch() {
    return isBatchEnd() ? this : batchEnd(globalBatchSeq);
  }

  /** The export partition, of {@code partitionCount}, that holds this position. */
  public int exportPartition(int partitionCount) {
    return (int) (globalBatchSeq % partitionCount);
  }

  @Override
  public int compareTo(Position other) {
    int byBatch = Long.compare(globalBatchSeq, other.globalBatchSeq);
    return byBatch != 0 ? byBatch : Integer.compare(arrayIndex, other.arrayIndex);
  }

  /** Whether this is strictly after {@code other}. */
  public boolean isAfter(Position other) {
    return compareTo(other) > 0;
  }

  /** Whether this is {@code other} or before it. */
  public boolean isAtOrBelow(Position other) {
    return compareTo(other) <= 0;
  }

  /** The later of the two. */
  public static Position max(Position a, Position b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  /** The earlier of the two. */
  public static Position min(Position a, Position b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /** The text form, {@code gbs:idx}. */
  @Override
  public String toString() {
    return globalBatchSeq + ":" + arrayIndex;
  }
}
