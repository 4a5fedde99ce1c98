package dev.tula.connect.refnode.history;

/**
 * A place in the history in one number: the segment above, the offset in it in the lower 32 bits.
 */
final class Locator {
  /** The largest offset: what 31 bits hold, so that it is an int as well. */
  static final long MAX_OFFSET = Integer.MAX_VALUE;

  private Locator() {}

  static long of(int segment, long offset) {
    return (long) segment << 32 | offset;
  }

  static int segment(long locator) {
    return (int) (locator >>> 32);
  }

  static long offset(long locator) {
    return locator & 0xffff_ffffL;
  }
}
