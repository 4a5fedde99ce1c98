package dev.tula.connect.model;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads the fields of canonical rows in place: {@link #wrap} checks a row whole and notes where
 * each field lies, and the accessors read from there. One reader serves any number of rows and
 * allocates nothing for the fixed-width types.
 *
 * <p>Not thread-safe. An accessor for an absent field is a caller's mistake: ask {@link #isPresent}
 * first.
 */
public final class RowReader {
  private static final int ABSENT = -1;

  private byte[] bytes = new byte[0];
  private RowSchema schema = RowSchema.of(RecordKind.TRANSACTION);
  private final int[] valueAt = new int[32];

  /**
   * Points this reader at a row.
   *
   * @return this
   * @throws MalformedRecordException naming the field, if the bytes are cut short, run on, lack a
   *     required field, or hold text that is not UTF-8
   */
  public RowReader wrap(CanonicalRow row) {
    bytes = row.array();
    schema = RowSchema.of(row.kind());
    int at = row.offset() + 2;
    int end = row.offset() + row.length();
    for (int i = 0; i < schema.size(); i++) {
      at = noteField(i, at, end);
    }
    if (at != end) {
      throw fault("has " + (end - at) + " bytes after its last field", row);
    }
    return this;
  }

  private int noteField(int index, int at, int end) {
    if (at >= end) {
      throw malformed(index, "is cut off");
    }
    byte presence = bytes[at];
    if (presence == CanonicalRow.ABSENT) {
      if (schema.field(index).required()) {
        throw malformed(index, "is required and absent");
      }
      valueAt[index] = ABSENT;
      return at + 1;
    }
    if (presence != CanonicalRow.PRESENT) {
      throw malformed(index, "begins with " + presence + " where 0 or 1 must stand");
    }
    valueAt[index] = at + 1;
    return at + 1 + checkedWidth(index, at + 1, end);
  }

  private int checkedWidth(int index, int at, int end) {
    FieldType type = schema.field(index).type();
    int width =
        switch (type) {
          case STRING -> 4 + stringLength(index, at, end);
          case STRING_LIST -> listWidth(index, at, end);
          default -> type.fixedWidth();
        };
    if (width > end - at) {
      throw malformed(index, "is cut off");
    }
    return width;
  }

  private int stringLength(int index, int at, int end) {
    if (end - at < 4) {
      throw malformed(index, "is cut off");
    }
    int length = CanonicalRow.readInt(bytes, at);
    if (length < 0 || length > end - at - 4) {
      throw malformed(
          index, "claims " + Integer.toUnsignedString(length) + " bytes and has " + (end - at - 4));
    }
    try {
      Utf8.check(bytes, at + 4, length);
    } catch (MalformedRecordException e) {
      throw new MalformedRecordException(prefix(index) + ": " + e.getMessage(), e);
    }
    return length;
  }

  private int listWidth(int index, int at, int end) {
    if (end - at < 4) {
      throw malformed(index, "is cut off");
    }
    int count = CanonicalRow.readInt(bytes, at);
    if (count < 0 || count > (end - at - 4) / 4) {
      throw malformed(
          index,
          "claims " + Integer.toUnsignedString(count) + " items, more than its bytes can hold");
    }
    int next = at + 4;
    for (int i = 0; i < count; i++) {
      next += 4 + stringLength(index, next, end);
    }
    return next - at;
  }

  private MalformedRecordException malformed(int index, String what) {
    return new MalformedRecordException(prefix(index) + " " + what);
  }

  private String prefix(int index) {
    return schema.kind() + " row: field " + schema.field(index).name();
  }

  private static MalformedRecordException fault(String what, CanonicalRow row) {
    return new MalformedRecordException(row.kind() + " row at " + row.position() + " " + what);
  }

  /** The fields of the row in hand. */
  public RowSchema schema() {
    return schema;
  }

  /** Whether the field has a value. */
  public boolean isPresent(int index) {
    return valueAt[index] != ABSENT;
  }

  /** A LONG or TIMESTAMP. */
  public long longValue(int index) {
    return CanonicalRow.readLong(bytes, valueAt[index]);
  }

  /** An INT. */
  public int intValue(int index) {
    return CanonicalRow.readInt(bytes, valueAt[index]);
  }

  /** The upper 64 bits of an AMOUNT, with its sign. */
  public long amountHigh(int index) {
    return CanonicalRow.readLong(bytes, valueAt[index]);
  }

  /** The lower 64 bits of an AMOUNT. */
  public long amountLow(int index) {
    return CanonicalRow.readLong(bytes, valueAt[index] + 8);
  }

  /** An AMOUNT of any size. */
  public BigInteger amount(int index) {
    long low = amountLow(index);
    if (amountHigh(index) == low >> 63) {
      return BigInteger.valueOf(low);
    }
    return new BigInteger(bytes, valueAt[index], 16);
  }

  /** A STRING. */
  public String string(int index) {
    return stringAt(valueAt[index]);
  }

  private String stringAt(int at) {
    return Utf8.decode(bytes, at + 4, CanonicalRow.readInt(bytes, at));
  }

  /** A STRING_LIST. */
  public List<String> stringList(int index) {
    int at = valueAt[index];
    int count = CanonicalRow.readInt(bytes, at);
    List<String> items = new ArrayList<>(count);
    int next = at + 4;
    for (int i = 0; i < count; i++) {
      items.add(stringAt(next));
      next += 4 + CanonicalRow.readInt(bytes, next);
    }
    return items;
  }

  /** An ID128 or HASH256 as lower-case hex digits. */
  public String hex(int index) {
    int at = valueAt[index];
    return HexFormat.of().formatHex(bytes, at, at + schema.field(index).type().fixedWidth());
  }

  /** The row's backing array. */
  public byte[] array() {
    return bytes;
  }

  /** Where the value's bytes begin in {@link #array()}; for a STRING, after its length. */
  public int valueOffset(int index) {
    return schema.field(index).type() == FieldType.STRING ? valueAt[index] + 4 : valueAt[index];
  }

  /** How many bytes there are at {@link #valueOffset}. */
  public int valueLength(int index) {
    FieldType type = schema.field(index).type();
    return type == FieldType.STRING
        ? CanonicalRow.readInt(bytes, valueAt[index])
        : type.fixedWidth();
  }

  /** Whether a STRING is exactly these UTF-8 bytes. */
  public boolean stringEquals(int index, byte[] utf8) {
    int from = valueOffset(index);
    return Arrays.equals(bytes, from, from + valueLength(index), utf8, 0, utf8.length);
  }
}
