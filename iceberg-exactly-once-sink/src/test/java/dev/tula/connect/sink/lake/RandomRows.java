package dev.tula.connect.sink.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.FieldType;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.sink.engine.LogicalTable;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** Rows of any kind from a seed, with the edges of each type well represented. */
final class RandomRows {
  private static final List<String> STRINGS =
      List.of(
          "",
          "USD",
          "single_phase",
          "default",
          "posted",
          "ü",
          "日本",
          "💶",
          "a\u0000b",
          "x".repeat(300));

  private final Random random;
  private final int precision;

  RandomRows(long seed, int precision) {
    this.random = new Random(seed);
    this.precision = precision;
  }

  /** Rows at rising positions after {@code from}. */
  List<CanonicalRow> rows(LogicalTable table, Position from, int count) {
    List<CanonicalRow> rows = new ArrayList<>();
    long batch = from.globalBatchSeq() + 1;
    int index = 0;
    for (int i = 0; i < count; i++) {
      rows.add(row(table, batch, index));
      if (random.nextInt(3) == 0) {
        batch += 1 + random.nextInt(3);
        index = 0;
      } else {
        index += 1 + random.nextInt(2);
      }
    }
    return rows;
  }

  /** A row at a position. */
  CanonicalRow row(LogicalTable table, long batch, int index) {
    RowWriter writer = new RowWriter().begin(table.kind());
    List<RowField> columns = LakeSchemas.columns(table);
    for (RowField field : columns) {
      switch (field.name()) {
        case "global_batch_seq" -> writer.putLong(batch);
        case "array_index" -> writer.putInt(index);
        default -> put(writer, field);
      }
    }
    return columns.size() == RowSchema.of(table.kind()).size()
        ? writer.toRow()
        : writer.absentToEnd().toRow();
  }

  private void put(RowWriter writer, RowField field) {
    if (!field.required() && random.nextInt(3) == 0) {
      writer.absent();
      return;
    }
    switch (field.type()) {
      case LONG -> writer.putLong(anyLong());
      case INT -> writer.putInt((int) anyLong());
      case TIMESTAMP -> writer.putTimestamp(anyLong());
      case AMOUNT -> writer.putAmount(amount());
      case ID128, HASH256 -> writer.putHex(hex(field.type()));
      case STRING -> writer.putString(string());
      case STRING_LIST -> writer.putStringList(strings());
    }
  }

  private long anyLong() {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> Long.MIN_VALUE;
      case 2 -> Long.MAX_VALUE;
      case 3 -> random.nextInt(100);
      default -> random.nextLong();
    };
  }

  private BigInteger amount() {
    BigInteger limit = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    return switch (random.nextInt(6)) {
      case 0 -> BigInteger.ZERO;
      case 1 -> limit;
      case 2 -> limit.negate();
      case 3 -> BigInteger.valueOf(random.nextLong()).min(limit).max(limit.negate());
      default -> new BigInteger(limit.bitLength() - 1, random).multiply(sign());
    };
  }

  private BigInteger sign() {
    return random.nextBoolean() ? BigInteger.ONE : BigInteger.ONE.negate();
  }

  private String hex(FieldType type) {
    byte[] raw = new byte[type.fixedWidth()];
    if (random.nextInt(4) > 0) {
      random.nextBytes(raw);
    }
    return HexFormat.of().formatHex(raw);
  }

  private String string() {
    return STRINGS.get(random.nextInt(STRINGS.size()));
  }

  private List<String> strings() {
    List<String> strings = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      strings.add(string());
    }
    return strings;
  }
}
