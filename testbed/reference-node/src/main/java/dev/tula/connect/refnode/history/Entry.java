package dev.tula.connect.refnode.history;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The head of an entry in a segment. Its layout, big-endian: {@code magic u32}, {@code payload
 * bytes u32}, {@code gbs u64}, {@code time i64} in µs, {@code input cursor u64}, {@code records
 * u32}, {@code metadata records u32}, {@code payload crc32c u32}, {@code crc32c u32} over all of
 * that; then the payload. A tick has no records and no number of its own: it says that no later
 * record will have a commit time at or before its own.
 *
 * <p>The payload of a batch is its records: {@code length u32}, {@code tail at u16}, {@code reason
 * at u16}, {@code request type u8}, and as many canonical bytes as the length says.
 *
 * @param tick whether this is a tick, not a batch
 * @param payloadBytes the length of what follows
 * @param globalBatchSeq the batch's number; for a tick, that of the batch before it
 * @param timeMicros the batch's commit time; what a tick closes
 * @param inputCursor how far the batch's input was used up; 0 where there is none
 * @param records the number of records
 * @param metadataRecords how many of them are metadata changes
 * @param payloadCrc over the payload
 */
record Entry(
    boolean tick,
    int payloadBytes,
    long globalBatchSeq,
    long timeMicros,
    long inputCursor,
    int records,
    int metadataRecords,
    int payloadCrc) {
  static final int BYTES = 48;

  private static final int BATCH_MAGIC = 'T' << 24 | 'B' << 16 | 'A' << 8 | 'T';
  private static final int TICK_MAGIC = 'T' << 24 | 'T' << 16 | 'I' << 8 | 'C';
  private static final int CRC_AT = BYTES - Integer.BYTES;

  void write(byte[] into, int at) {
    ByteBuffer buffer = ByteBuffer.wrap(into, at, BYTES);
    buffer.putInt(tick ? TICK_MAGIC : BATCH_MAGIC).putInt(payloadBytes);
    buffer.putLong(globalBatchSeq).putLong(timeMicros).putLong(inputCursor);
    buffer.putInt(records).putInt(metadataRecords).putInt(payloadCrc);
    buffer.putInt(crc(into, at, CRC_AT));
  }

  /**
   * Reads the head at {@code at}.
   *
   * @throws HistoryException if those bytes are none; {@code where} names the place
   */
  static Entry read(byte[] from, int at, String where) {
    ByteBuffer buffer = ByteBuffer.wrap(from, at, BYTES);
    int magic = buffer.getInt();
    int payloadBytes = buffer.getInt();
    Entry entry =
        new Entry(
            magic == TICK_MAGIC,
            payloadBytes,
            buffer.getLong(),
            buffer.getLong(),
            buffer.getLong(),
            buffer.getInt(),
            buffer.getInt(),
            buffer.getInt());
    boolean known = magic == BATCH_MAGIC || magic == TICK_MAGIC;
    if (!known || payloadBytes < 0 || buffer.getInt() != crc(from, at, CRC_AT)) {
      throw new HistoryException(
          where
              + " holds no entry: the history is damaged; restore its directory from a copy, or"
              + " delete it to begin anew");
    }
    return entry;
  }

  static int crc(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
