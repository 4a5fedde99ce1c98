package dev.tula.connect.refnode.engine;

import dev.tula.connect.model.CanonicalRow;

/** Where the engine puts its records, and finds an earlier one again. */
public interface RecordStore {
  /**
   * Takes the next record of the open batch.
   *
   * @param row holds the canonical bytes, from 0: the full form, with the digest absent
   * @param length how many
   * @param tailAt where the fields of the full record begin; 0 for a metadata change
   * @param reasonAt where {@code reason_code} begins; 0 for a metadata change
   * @param requestType the code of the request that led to it; 0 for a metadata change
   * @return a locator for {@link #read}
   */
  long append(byte[] row, int length, int tailAt, int reasonAt, byte requestType);

  /** A record that was appended before, in an earlier batch or in this one. */
  StoredRecord read(long locator);

  /**
   * A record and what led to it.
   *
   * @param requestType the request's type
   * @param row the full form, with the digest absent
   */
  record StoredRecord(RequestType requestType, CanonicalRow row) {}
}
