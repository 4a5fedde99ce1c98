package dev.tula.connect.local;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a bootstrap has to seed, worked out from the engine's own records by the documented form of
 * their bytes, and with no code in common with the engine's answer or the source: of each account,
 * ledger, currency, source and member the newest change up to a batch, under that batch's time.
 *
 * <p>For one thread.
 */
final class SeededTruth {
  private static final int FIRST_SEEDED_INDEX = 1 << 30;
  private static final int TRANSACTION = 1;
  private static final int ACCOUNT_CHANGE = 2;
  private static final byte PRESENT = 1;
  private static final int HEAD = 2;
  private static final int BATCH_AT = HEAD + 1;
  private static final int BATCH_SEQ_AT = BATCH_AT + 1 + Long.BYTES;
  private static final int RECORDED_AT = BATCH_SEQ_AT + Long.BYTES + 1 + Integer.BYTES + 1 + 9;
  private static final int ENTITY_AT = RECORDED_AT + Long.BYTES;
  private static final int ID_BYTES = 16;

  private final long throughBatch;
  private final Map<Integer, Map<ByteBuffer, byte[]>> newest = new TreeMap<>();
  private long batchSeq;
  private long recordedAtMicros;

  /** The state as of the end of a batch, which must have a record. */
  SeededTruth(long throughBatch) {
    this.throughBatch = throughBatch;
  }

  /**
   * Takes the ledger's next record.
   *
   * @param row its canonical bytes, from position to limit, which stay as they are
   * @return whether it is part of the state, and not of the stream that follows
   */
  boolean take(ByteBuffer row) {
    byte[] bytes = new byte[row.remaining()];
    row.duplicate().get(bytes);
    ByteBuffer reading = ByteBuffer.wrap(bytes);
    long batch = reading.getLong(BATCH_AT);
    if (batch > throughBatch) {
      return false;
    }
    if (batch == throughBatch) {
      batchSeq = reading.getLong(BATCH_SEQ_AT);
      recordedAtMicros = reading.getLong(RECORDED_AT);
    }
    int kind = bytes[1];
    if (kind != TRANSACTION) {
      ByteBuffer entity = ByteBuffer.wrap(Arrays.copyOfRange(bytes, ENTITY_AT, entityEnd(reading)));
      newest.computeIfAbsent(kind, unused -> new LinkedHashMap<>()).put(entity, bytes);
    }
    return true;
  }

  private static int entityEnd(ByteBuffer row) {
    return row.get(1) == ACCOUNT_CHANGE ? ENTITY_AT + 1 + ID_BYTES : textEnd(row, ENTITY_AT);
  }

  private static int textEnd(ByteBuffer row, int at) {
    return at + 1 + Integer.BYTES + row.getInt(at + 1);
  }

  /** The rows that seed it, in their order. */
  List<ByteBuffer> rows() {
    if (recordedAtMicros == 0) {
      throw new StackException("batch " + throughBatch + ", which is bootstrapped, has no record");
    }
    List<ByteBuffer> rows = new ArrayList<>();
    newest.values().stream()
        .flatMap(entities -> entities.values().stream())
        .forEach(row -> rows.add(seeded(ByteBuffer.wrap(row), FIRST_SEEDED_INDEX + rows.size())));
    return Collections.unmodifiableList(rows);
  }

  private ByteBuffer seeded(ByteBuffer row, int index) {
    int changeAt = entityEnd(row);
    int ownAt = textEnd(row, textEnd(row, changeAt));
    ByteBuffer out = ByteBuffer.allocate(row.capacity() + 64);
    out.put(row.get(0)).put(row.get(1));
    out.put(PRESENT).putLong(throughBatch).put(PRESENT).putLong(batchSeq);
    out.put(PRESENT).putInt(index);
    out.put(PRESENT).putLong(recordedAtMicros).put(PRESENT).putLong(recordedAtMicros);
    out.put(row.array(), ENTITY_AT, changeAt - ENTITY_AT);
    text("seeded", out);
    text("bootstrap", out);
    out.put(row.array(), ownAt, row.capacity() - ownAt);
    return out.flip();
  }

  private static void text(String value, ByteBuffer out) {
    out.put(PRESENT).putInt(value.length());
    value.chars().forEach(each -> out.put((byte) each));
  }
}
