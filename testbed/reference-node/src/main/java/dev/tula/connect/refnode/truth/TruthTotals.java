package dev.tula.connect.refnode.truth;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a truth adds up to.
 *
 * @param rows the number of records
 * @param tables the records of each logical table
 * @param last the position of the last record; the origin where there is none
 * @param sha256 over each record's length, as u32, and canonical bytes, in order
 */
public record TruthTotals(long rows, Map<String, TableTotal> tables, Position last, String sha256) {
  /**
   * The records of one table.
   *
   * @param rows how many
   * @param amountSum the sum of {@code amount}; zero for a change log
   */
  public record TableTotal(long rows, BigInteger amountSum) {
    private static final TableTotal NONE = new TableTotal(0, BigInteger.ZERO);

    private TableTotal plus(BigInteger amount) {
      return new TableTotal(rows + 1, amountSum.add(amount));
    }
  }

  /** Reads a truth to its end. */
  public static TruthTotals of(TruthReader truth, Layout layout) {
    MessageDigest sha256 = newSha256();
    RowReader reader = new RowReader();
    Map<String, TableTotal> tables = new TreeMap<>();
    long rows = 0;
    Position last = Position.ORIGIN;
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    while (truth.next()) {
      CanonicalRow row = truth.row();
      reader.wrap(row);
      BigInteger amount =
          row.kind() == RecordKind.TRANSACTION
              ? reader.amount(RowSchema.AMOUNT_FIELD)
              : BigInteger.ZERO;
      String table = layout.table(row, reader);
      tables.put(table, tables.getOrDefault(table, TableTotal.NONE).plus(amount));
      sha256.update(length.putInt(0, row.length()).array());
      sha256.update(row.array(), row.offset(), row.length());
      last = row.position();
      rows++;
    }
    return new TruthTotals(rows, tables, last, HexFormat.of().formatHex(sha256.digest()));
  }

  private static MessageDigest newSha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
