package dev.tula.connect.sink.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RangeDigest;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One table's rows of an open range, in position order, as the canonical bytes that they came in.
 * Each row lies after its length in 4 bytes, just as the digest runs over it, so digest and file
 * are made of the same bytes (I8).
 *
 * <p>Rows are held because the digest begins with the range's end, which is known only at the cut.
 * Written by one thread; once handed over, read by any.
 */
public final class TableRows {
  private static final int FIRST_CHUNK_BYTES = 8 * 1024;
  private static final int CHUNK_BYTES = 256 * 1024;
  private static final int LENGTH_BYTES = 4;

  private final List<Chunk> chunks = new ArrayList<>();
  private Chunk last;
  private long rows;
  private long bytes;
  private long heldBytes;
  private BigInteger carriedAmount = BigInteger.ZERO;
  private long amountHigh;
  private long amountLow;

  private static final class Chunk {
    private final byte[] data;
    private int used;

    Chunk(int capacity) {
      this.data = new byte[capacity];
    }
  }

  /** Adds a row that has no amount to sum. */
  public void add(CanonicalRow row) {
    add(row, 0, 0);
  }

  /**
   * Adds a row, and its amount to the sum.
   *
   * @param high the amount's upper 64 bits
   * @param low the amount's lower 64 bits
   */
  public void add(CanonicalRow row, long high, long low) {
    int framed = LENGTH_BYTES + row.length();
    if (last == null || last.data.length - last.used < framed) {
      last = new Chunk(Math.max(nextChunkBytes(), framed));
      chunks.add(last);
      heldBytes += last.data.length;
    }
    ByteBuffer.wrap(last.data, last.used, LENGTH_BYTES).putInt(row.length());
    System.arraycopy(row.array(), row.offset(), last.data, last.used + LENGTH_BYTES, row.length());
    last.used += framed;
    rows++;
    bytes += framed;
    addAmount(high, low);
  }

  /** As much again as there is, so that a table of few rows takes little. */
  private int nextChunkBytes() {
    return (int) Math.min(CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, bytes));
  }

  private void addAmount(long high, long low) {
    long sumLow = amountLow + low;
    long carry = Long.compareUnsigned(sumLow, low) < 0 ? 1 : 0;
    long sumHigh = amountHigh + high + carry;
    // Two's complement: a sum of two halves of one sign has that sign, or does not fit.
    boolean overflows = ((amountHigh ^ sumHigh) & (high ^ sumHigh)) < 0;
    if (overflows) {
      carriedAmount = amountSum();
      amountHigh = high;
      amountLow = low;
      return;
    }
    amountHigh = sumHigh;
    amountLow = sumLow;
  }

  /** How many rows there are. */
  public long rows() {
    return rows;
  }

  /** The bytes that they take. */
  public long bytes() {
    return bytes;
  }

  /** The memory that they are held in, which is more by what is free in the last piece. */
  public long heldBytes() {
    return heldBytes;
  }

  /** The sum of their amounts. */
  public BigInteger amountSum() {
    return BigInteger.valueOf(amountHigh)
        .shiftLeft(64)
        .add(new BigInteger(Long.toUnsignedString(amountLow)))
        .add(carriedAmount);
  }

  /** Shows each row, in order, as a slice that stays valid. */
  public void forEach(Consumer<CanonicalRow> action) {
    for (Chunk chunk : chunks) {
      int at = 0;
      while (at < chunk.used) {
        int length = ByteBuffer.wrap(chunk.data, at, LENGTH_BYTES).getInt();
        action.accept(CanonicalRow.of(chunk.data, at + LENGTH_BYTES, length));
        at += LENGTH_BYTES + length;
      }
    }
  }

  /** Adds every row to a digest. */
  public void addTo(RangeDigest digest) {
    for (Chunk chunk : chunks) {
      digest.addFramed(ByteBuffer.wrap(chunk.data, 0, chunk.used));
    }
  }
}
