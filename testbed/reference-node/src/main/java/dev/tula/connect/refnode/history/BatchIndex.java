package dev.tula.connect.refnode.history;

import java.util.Arrays;

/**
 * Where each batch lies, by number from 1: 28 bytes a batch. One thread adds; any thread may look
 * up a batch whose number it learned from {@link History#head()}, which is published after the
 * batch is in here.
 */
final class BatchIndex {
  private static final int CHUNK_BITS = 12;
  private static final int CHUNK = 1 << CHUNK_BITS;

  private volatile Chunk[] chunks = new Chunk[0];
  private long size;

  void add(long locator, Entry entry) {
    int chunk = (int) (size >>> CHUNK_BITS);
    if (chunk == chunks.length) {
      Chunk[] more = Arrays.copyOf(chunks, chunk + 1);
      more[chunk] = new Chunk();
      chunks = more;
    }
    chunks[chunk].put((int) (size & (CHUNK - 1)), locator, entry);
    size++;
  }

  long size() {
    return size;
  }

  /** The place of the batch's entry. */
  long locator(long gbs) {
    return chunk(gbs).locators[at(gbs)];
  }

  long recordedAtMicros(long gbs) {
    return chunk(gbs).recordedAt[at(gbs)];
  }

  int records(long gbs) {
    return chunk(gbs).records[at(gbs)];
  }

  int metadataRecords(long gbs) {
    return chunk(gbs).metadataRecords[at(gbs)];
  }

  int payloadBytes(long gbs) {
    return chunk(gbs).payloadBytes[at(gbs)];
  }

  private Chunk chunk(long gbs) {
    return chunks[(int) ((gbs - 1) >>> CHUNK_BITS)];
  }

  private static int at(long gbs) {
    return (int) ((gbs - 1) & (CHUNK - 1));
  }

  private static final class Chunk {
    final long[] locators = new long[CHUNK];
    final long[] recordedAt = new long[CHUNK];
    final int[] records = new int[CHUNK];
    final int[] metadataRecords = new int[CHUNK];
    final int[] payloadBytes = new int[CHUNK];

    void put(int at, long locator, Entry entry) {
      locators[at] = locator;
      recordedAt[at] = entry.timeMicros();
      records[at] = entry.records();
      metadataRecords[at] = entry.metadataRecords();
      payloadBytes[at] = entry.payloadBytes();
    }
  }
}
