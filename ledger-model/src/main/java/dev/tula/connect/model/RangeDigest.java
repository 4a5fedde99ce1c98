package dev.tula.connect.model;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The digest of one table's rows in one range: SHA-256 over {@code tula-range-v1}, the pipeline,
 * generation, partition, the table's logical name and the range, then each row in position order as
 * its length and canonical bytes. Two writers that agree on it have written the same rows.
 *
 * <p>Not thread-safe; one instance makes one digest.
 */
public final class RangeDigest {
  /** The bytes of a digest. */
  public static final int LENGTH = 32;

  private static final byte[] DOMAIN = "tula-range-v1".getBytes(StandardCharsets.US_ASCII);

  private final MessageDigest sha256 = sha256();
  private final byte[] number = new byte[8];

  private RangeDigest() {}

  /** Begins the digest of a table's range; the partition is the identity's. */
  public static RangeDigest begin(StreamIdentity identity, String logicalTable, Range range) {
    return begin(
        identity.pipeline(), identity.generation(), identity.partition(), logicalTable, range);
  }

  /** Begins the digest of a table's range. */
  public static RangeDigest begin(
      String pipeline, int generation, int partition, String logicalTable, Range range) {
    RangeDigest digest = new RangeDigest();
    digest.sha256.update(DOMAIN);
    digest.string(pipeline);
    digest.int32(generation);
    digest.int32(partition);
    digest.string(logicalTable);
    digest.position(range.from());
    digest.position(range.to());
    return digest;
  }

  /** Adds the next row. */
  public RangeDigest add(CanonicalRow row) {
    return add(row.array(), row.offset(), row.length());
  }

  /** Adds the next row. */
  public RangeDigest add(byte[] array, int offset, int length) {
    int32(length);
    sha256.update(array, offset, length);
    return this;
  }

  /** Adds rows that already lie one after another, each after its length in 4 bytes. */
  public RangeDigest addFramed(ByteBuffer framedRows) {
    sha256.update(framedRows);
    return this;
  }

  /** Ends it. */
  public byte[] finish() {
    return sha256.digest();
  }

  private void string(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    int32(utf8.length);
    sha256.update(utf8);
  }

  private void position(Position position) {
    CanonicalRow.writeLong(number, 0, position.globalBatchSeq());
    sha256.update(number, 0, 8);
    int32(position.arrayIndex());
  }

  private void int32(int value) {
    CanonicalRow.writeInt(number, 0, value);
    sha256.update(number, 0, 4);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
