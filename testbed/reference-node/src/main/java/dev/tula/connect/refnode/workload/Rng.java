package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.Mix;

/** SplitMix64. Not for secrets. Not thread-safe. */
final class Rng {
  private static final long GAMMA = 0x9e3779b97f4a7c15L;

  private long state;

  /** The stream that belongs to a number of the seed's. */
  Rng(long seed, long number) {
    state = Mix.mix(seed + GAMMA) ^ Mix.mix(number * GAMMA + 1);
  }

  long next() {
    state += GAMMA;
    return Mix.mix(state);
  }

  /** From 0 to below {@code bound}. */
  int below(int bound) {
    return (int) (((next() >>> 32) * bound) >>> 32);
  }

  boolean oneIn(int n) {
    return below(n) == 0;
  }

  /** From 1 to below 2^{@code maxBits}, each order of magnitude as likely as the next. */
  long logarithmic(int maxBits) {
    int bits = 1 + below(maxBits);
    return 1L << (bits - 1) | next() >>> (Long.SIZE - (bits - 1)) & (1L << (bits - 1)) - 1;
  }

  Id128 id() {
    return new Id128(next(), next());
  }
}
