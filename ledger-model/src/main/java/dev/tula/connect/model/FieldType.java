package dev.tula.connect.model;

/** How a field's value looks in canonical bytes; see {@code docs/formats.md}. */
public enum FieldType {
  /** 8 bytes, big-endian. */
  LONG(8),
  /** 4 bytes, big-endian. */
  INT(4),
  /** Microseconds since the epoch, UTC, in 8 bytes. */
  TIMESTAMP(8),
  /** A whole number of minor units in 16 bytes, two's complement. */
  AMOUNT(16),
  /** A 128-bit id in 16 raw bytes; 32 lower-case hex digits in the lake and in Structs. */
  ID128(16),
  /** 32 raw bytes; 64 lower-case hex digits in the lake and in Structs. */
  HASH256(32),
  /** Length in 4 bytes, then UTF-8. */
  STRING(-1),
  /** Count in 4 bytes, then each as a STRING. */
  STRING_LIST(-1);

  private final int fixedWidth;

  FieldType(int fixedWidth) {
    this.fixedWidth = fixedWidth;
  }

  /** Bytes of a value, without the presence byte; −1 where it depends on the value. */
  public int fixedWidth() {
    return fixedWidth;
  }
}
