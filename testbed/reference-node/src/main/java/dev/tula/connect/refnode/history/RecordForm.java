package dev.tula.connect.refnode.history;

/**
 * What a reader is to see.
 *
 * @param includeMetadata metadata changes, and the caller's reason codes
 * @param fullRecord the balances after each transaction, and its digest
 */
public record RecordForm(boolean includeMetadata, boolean fullRecord) {
  /** Everything there is. */
  public static final RecordForm FULL = new RecordForm(true, true);

  /** Transactions alone, in their narrow form. */
  public static final RecordForm NARROW = new RecordForm(false, false);

  /**
   * Checks the one rule between the two.
   *
   * @throws IllegalArgumentException if full records are asked for without metadata
   */
  public RecordForm {
    if (fullRecord && !includeMetadata) {
      throw new IllegalArgumentException("full records require metadata to be included");
    }
  }
}
