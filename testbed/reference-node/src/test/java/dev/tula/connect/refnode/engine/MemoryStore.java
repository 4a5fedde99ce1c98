package dev.tula.connect.refnode.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Keeps the engine's records in memory. */
public final class MemoryStore implements RecordStore {
  private final List<CanonicalRow> rows = new ArrayList<>();
  private final List<Byte> types = new ArrayList<>();

  @Override
  public long append(byte[] row, int length, int tailAt, int reasonAt, byte requestType) {
    rows.add(CanonicalRow.of(Arrays.copyOf(row, length)));
    types.add(requestType);
    return rows.size() - 1;
  }

  @Override
  public StoredRecord read(long locator) {
    return new StoredRecord(RequestType.ofCode(types.get((int) locator)), rows.get((int) locator));
  }

  public List<CanonicalRow> rows() {
    return rows;
  }

  byte type(int index) {
    return types.get(index);
  }

  RowReader last() {
    return new RowReader().wrap(rows.get(rows.size() - 1));
  }

  String lastOutcome() {
    return last().string(RowSchema.OUTCOME);
  }
}
