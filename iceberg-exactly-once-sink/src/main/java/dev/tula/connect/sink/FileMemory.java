package dev.tula.connect.sink;

/**
 * How the quarter of {@code tula.memory.max.bytes} that is for files is spent. A Parquet writer
 * holds a row group before it writes it, and beside it the dictionaries of its columns, which take
 * about as much again. So
 *
 * <pre>
 * files at once = quarter / 32 MiB, from 1 to tula.commit.threads
 * row group     = quarter / files at once / 2
 * </pre>
 *
 * @param filesAtOnce how many files a task writes at the same time, over all its partitions
 * @param rowGroupBytes about the most that a row group takes before it is written
 */
record FileMemory(int filesAtOnce, long rowGroupBytes) {
  private static final int QUARTERS = 4;
  private static final long FILE_BYTES = 32L << 20;

  /** What a budget leaves for files. */
  static FileMemory of(long maxBytes, int threads) {
    long quarter = maxBytes / QUARTERS;
    int files = (int) Math.max(1, Math.min(quarter / FILE_BYTES, threads));
    return new FileMemory(files, quarter / files / 2);
  }
}
