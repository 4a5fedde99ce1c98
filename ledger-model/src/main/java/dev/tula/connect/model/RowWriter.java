package dev.tula.connect.model;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Writes canonical rows, field by field in canonical order, into one buffer that it reuses. A field
 * put out of turn, of another type, or a required one left out is a caller's mistake and is refused
 * at once.
 *
 * <p>Not thread-safe.
 */
public final class RowWriter {
  private byte[] buffer;
  private int at;
  private RowSchema schema;
  private int next;

  /** With a small buffer that grows as needed. */
  public RowWriter() {
    this.buffer = new byte[512];
  }

  /** Begins a row. */
  public RowWriter begin(RecordKind kind) {
    schema = RowSchema.of(kind);
    next = 0;
    at = 0;
    reserve(2);
    buffer[at++] = CanonicalRow.FORMAT;
    buffer[at++] = kind.code();
    return this;
  }

  /** Puts a LONG. */
  public RowWriter putLong(long value) {
    present(FieldType.LONG, 8);
    appendLong(value);
    return this;
  }

  /** Puts a TIMESTAMP in µs since the epoch. */
  public RowWriter putTimestamp(long micros) {
    present(FieldType.TIMESTAMP, 8);
    appendLong(micros);
    return this;
  }

  /** Puts an INT. */
  public RowWriter putInt(int value) {
    present(FieldType.INT, 4);
    appendInt(value);
    return this;
  }

  /** Puts an AMOUNT that fits in a long. */
  public RowWriter putAmount(long value) {
    return putAmount(value >> 63, value);
  }

  /** Puts an AMOUNT by its halves. */
  public RowWriter putAmount(long high, long low) {
    present(FieldType.AMOUNT, 16);
    appendLong(high);
    appendLong(low);
    return this;
  }

  /**
   * Puts an AMOUNT of any size.
   *
   * @throws MalformedRecordException if it does not fit in 16 bytes
   */
  public RowWriter putAmount(BigInteger value) {
    if (value.bitLength() > 127) {
      throw new MalformedRecordException("amount " + value + " does not fit in 128 bits");
    }
    return putAmount(value.shiftRight(64).longValue(), value.longValue());
  }

  /** Puts an ID128 by its halves. */
  public RowWriter putId(long high, long low) {
    present(FieldType.ID128, 16);
    appendLong(high);
    appendLong(low);
    return this;
  }

  /**
   * Puts an ID128 or HASH256 from lower-case hex digits.
   *
   * @throws MalformedRecordException if they are not as many hex digits as the field holds
   */
  public RowWriter putHex(String hex) {
    FieldType type = schema.field(next).type();
    byte[] raw = parseHex(hex, type.fixedWidth());
    present(type == FieldType.HASH256 ? FieldType.HASH256 : FieldType.ID128, raw.length);
    append(raw);
    return this;
  }

  private byte[] parseHex(String hex, int width) {
    if (hex.length() != width * 2) {
      throw new MalformedRecordException(
          "field "
              + schema.field(next).name()
              + " must be "
              + width * 2
              + " hex digits, not \""
              + hex
              + "\"");
    }
    for (int i = 0; i < hex.length(); i++) {
      char c = hex.charAt(i);
      if (!(c >= '0' && c <= '9' || c >= 'a' && c <= 'f')) {
        throw new MalformedRecordException(
            "field "
                + schema.field(next).name()
                + " must be lower-case hex digits, not \""
                + hex
                + "\"");
      }
    }
    return HexFormat.of().parseHex(hex);
  }

  /** Puts a HASH256 of 32 raw bytes. */
  public RowWriter putHash(byte[] hash) {
    if (hash.length != 32) {
      throw new MalformedRecordException(
          "field " + schema.field(next).name() + " must be 32 bytes, not " + hash.length);
    }
    present(FieldType.HASH256, 32);
    append(hash);
    return this;
  }

  /**
   * Puts a STRING.
   *
   * @throws MalformedRecordException if it holds half a character, which UTF-8 can't express
   */
  public RowWriter putString(String value) {
    return putString(encode(value));
  }

  private byte[] encode(String value) {
    try {
      return Utf8.encode(value);
    } catch (MalformedRecordException e) {
      throw new MalformedRecordException(
          schema.kind() + " row: field " + field().name() + ": " + e.getMessage(), e);
    }
  }

  /** Puts a STRING by its UTF-8 bytes. */
  public RowWriter putString(byte[] utf8) {
    present(FieldType.STRING, 4 + utf8.length);
    appendInt(utf8.length);
    append(utf8);
    return this;
  }

  /**
   * Puts a STRING_LIST.
   *
   * @throws MalformedRecordException if an item holds half a character, which UTF-8 can't express
   */
  public RowWriter putStringList(List<String> items) {
    List<byte[]> encoded = items.stream().map(this::encode).toList();
    present(FieldType.STRING_LIST, 4);
    appendInt(encoded.size());
    for (byte[] utf8 : encoded) {
      reserve(4 + utf8.length);
      appendInt(utf8.length);
      append(utf8);
    }
    return this;
  }

  /** Leaves the next field out. */
  public RowWriter absent() {
    if (field().required()) {
      throw new MalformedRecordException(
          schema.kind() + " row: field " + field().name() + " is required");
    }
    next++;
    reserve(1);
    buffer[at++] = CanonicalRow.ABSENT;
    return this;
  }

  /** Leaves every field out that is still to come. */
  public RowWriter absentToEnd() {
    while (next < schema.size()) {
      absent();
    }
    return this;
  }

  /** Ends the row and copies it out. */
  public byte[] toByteArray() {
    checkComplete();
    return Arrays.copyOf(buffer, at);
  }

  /** Ends the row and copies it out. */
  public CanonicalRow toRow() {
    return CanonicalRow.of(toByteArray());
  }

  /** Ends the row, which then lies in {@link #buffer()} from 0. Returns its length. */
  public int end() {
    checkComplete();
    return at;
  }

  /** The buffer; overwritten by the next row. */
  public byte[] buffer() {
    return buffer;
  }

  private void checkComplete() {
    if (next != schema.size()) {
      throw new IllegalStateException(
          schema.kind() + " row: field " + field().name() + " was not put");
    }
  }

  private RowField field() {
    if (next >= schema.size()) {
      throw new IllegalStateException(schema.kind() + " row has no field after its last");
    }
    return schema.field(next);
  }

  private void present(FieldType type, int width) {
    if (field().type() != type) {
      throw new IllegalStateException(
          schema.kind()
              + " row: field "
              + field().name()
              + " is "
              + field().type()
              + ", not "
              + type);
    }
    next++;
    reserve(1 + width);
    buffer[at++] = CanonicalRow.PRESENT;
  }

  private void reserve(int more) {
    if (buffer.length - at < more) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, at + more));
    }
  }

  private void appendLong(long value) {
    CanonicalRow.writeLong(buffer, at, value);
    at += 8;
  }

  private void appendInt(int value) {
    CanonicalRow.writeInt(buffer, at, value);
    at += 4;
  }

  private void append(byte[] raw) {
    System.arraycopy(raw, 0, buffer, at, raw.length);
    at += raw.length;
  }
}
