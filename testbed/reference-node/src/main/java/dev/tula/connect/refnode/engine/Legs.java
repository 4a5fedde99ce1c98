package dev.tula.connect.refnode.engine;

/**
 * The accounts that a transfer touches, as numbers in the {@link AccountTable}; {@link
 * AccountTable#NONE} where one is not known. Either settlement account is known only together with
 * the other.
 *
 * @param debit the debit account
 * @param credit the credit account
 * @param debitSettlement the settlement account behind the debit account; itself if it is one
 * @param creditSettlement the same for the credit account
 * @param indirect whether a side settles through a sponsor
 */
record Legs(int debit, int credit, int debitSettlement, int creditSettlement, boolean indirect) {
  boolean settles() {
    return debitSettlement != AccountTable.NONE;
  }

  /** Whether settlement moves money of its own, beside the transfer. */
  boolean movesSettlement() {
    return settles() && debitSettlement != creditSettlement && debitSettlement != debit;
  }

  boolean knowsDebit() {
    return debit != AccountTable.NONE;
  }

  boolean knowsCredit() {
    return credit != AccountTable.NONE;
  }
}
