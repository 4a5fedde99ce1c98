package dev.tula.connect.refnode.engine;

/** The bits of an account's {@code flags}. */
public final class AccountFlags {
  /** What is available may not fall below zero. */
  public static final int NO_OVERDRAFT = 1;

  /** A settlement account: other accounts may name it as their parent. */
  public static final int SETTLEMENT = 2;

  /** Belongs to the operator of the ledger: an issuer, or the central bank. */
  public static final int SYSTEM = 4;

  private static final int ALL = NO_OVERDRAFT | SETTLEMENT | SYSTEM;

  private AccountFlags() {}

  static boolean areKnown(int flags) {
    return (flags & ~ALL) == 0;
  }
}
