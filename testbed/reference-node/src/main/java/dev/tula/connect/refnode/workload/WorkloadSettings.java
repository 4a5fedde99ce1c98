package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.LedgerEngine;

/**
 * What a generated workload depends on. The same settings lead to the same history, byte for byte.
 *
 * @param seed any number
 * @param mixture what it is made of
 * @param maxAccounts how many accounts it creates at most
 * @param maxBatchRecords the most records in a batch
 * @param members how many members the cluster has, by the ledger's own record
 */
public record WorkloadSettings(
    long seed, Mixture mixture, int maxAccounts, int maxBatchRecords, int members) {
  /** The most accounts that may be asked for. */
  public static final int MAX_ACCOUNTS = 10_000_000;

  /** A mixture of everything with these. */
  public static WorkloadSettings of(long seed) {
    return new WorkloadSettings(seed, Mixture.DEFAULT, 10_000, 1000, 3);
  }

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the one that is wrong
   */
  public WorkloadSettings {
    requireBatchSize(maxBatchRecords);
    if (maxAccounts < Genesis.ACCOUNTS || maxAccounts > MAX_ACCOUNTS) {
      throw new IllegalArgumentException(
          "max accounts "
              + maxAccounts
              + " is not between "
              + Genesis.ACCOUNTS
              + " and "
              + MAX_ACCOUNTS);
    }
    if (members < 1) {
      throw new IllegalArgumentException("a cluster of " + members + " members does not exist");
    }
  }

  static void requireBatchSize(int records) {
    if (records < 1 || records > LedgerEngine.MAX_BATCH_RECORDS) {
      throw new IllegalArgumentException(
          "max batch records "
              + records
              + " is not between 1 and "
              + LedgerEngine.MAX_BATCH_RECORDS);
    }
  }

  /** The text that is kept beside a history, so that no other workload continues it. */
  public String fingerprint() {
    return "seed="
        + seed
        + ";mix="
        + mixture
        + ";accounts="
        + maxAccounts
        + ";batch="
        + maxBatchRecords
        + ";members="
        + members;
  }
}
