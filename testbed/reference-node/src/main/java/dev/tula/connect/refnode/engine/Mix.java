package dev.tula.connect.refnode.engine;

/** The finaliser of SplitMix64: spreads 64 bits over 64 bits, one to one. */
public final class Mix {
  private Mix() {}

  /** The mixed value. */
  public static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
