package dev.tula.connect.sink.lake;

import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowReader;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/** One field of canonical rows and the Parquet column that it goes to. Not thread-safe. */
abstract class CanonicalColumn {
  final int field;
  final int valueLevel;
  private final ColumnDescriptor descriptor;
  ColumnWriter out;

  private CanonicalColumn(RowField field, ColumnDescriptor descriptor) {
    this.field = field.id() - 1;
    this.descriptor = descriptor;
    this.valueLevel = descriptor.getMaxDefinitionLevel();
  }

  static CanonicalColumn of(RowField field, ColumnDescriptor descriptor) {
    return switch (field.type()) {
      case LONG, TIMESTAMP -> new LongColumn(field, descriptor);
      case INT -> new IntColumn(field, descriptor);
      case STRING -> new StringColumn(field, descriptor);
      case ID128, HASH256 -> new HexColumn(field, descriptor);
      case AMOUNT -> new AmountColumn(field, descriptor);
      case STRING_LIST -> new StringListColumn(field, descriptor);
    };
  }

  /** Goes to another row group. */
  void open(ColumnWriteStore store) {
    out = store.getColumnWriter(descriptor);
  }

  /** Writes the row's value, or that it has none. */
  final void write(RowReader row) {
    if (row.isPresent(field)) {
      writeValue(row);
    } else {
      out.writeNull(0, 0);
    }
  }

  abstract void writeValue(RowReader row);

  private static final class LongColumn extends CanonicalColumn {
    LongColumn(RowField field, ColumnDescriptor descriptor) {
      super(field, descriptor);
    }

    @Override
    void writeValue(RowReader row) {
      out.write(row.longValue(field), 0, valueLevel);
    }
  }

  private static final class IntColumn extends CanonicalColumn {
    IntColumn(RowField field, ColumnDescriptor descriptor) {
      super(field, descriptor);
    }

    @Override
    void writeValue(RowReader row) {
      out.write(row.intValue(field), 0, valueLevel);
    }
  }

  /** Runs of one value, as most of these columns are, share one Binary. */
  private static final class StringColumn extends CanonicalColumn {
    private byte[] lastUtf8 = new byte[0];
    private Binary last = Binary.EMPTY;

    StringColumn(RowField field, ColumnDescriptor descriptor) {
      super(field, descriptor);
    }

    @Override
    void writeValue(RowReader row) {
      int from = row.valueOffset(field);
      int to = from + row.valueLength(field);
      if (!Arrays.equals(row.array(), from, to, lastUtf8, 0, lastUtf8.length)) {
        lastUtf8 = Arrays.copyOfRange(row.array(), from, to);
        last = Binary.fromConstantByteArray(lastUtf8);
      }
      out.write(last, 0, valueLevel);
    }
  }

  private static final class HexColumn extends CanonicalColumn {
    private final byte[] hex;
    private final Binary reused;

    HexColumn(RowField field, ColumnDescriptor descriptor) {
      super(field, descriptor);
      this.hex = new byte[field.type().fixedWidth() * 2];
      this.reused = Binary.fromReusedByteArray(hex);
    }

    @Override
    void writeValue(RowReader row) {
      HexDigits.write(row.array(), row.valueOffset(field), hex);
      out.write(reused, 0, valueLevel);
    }
  }

  /** A decimal of scale 0, as wide as the table's column is now. */
  private static final class AmountColumn extends CanonicalColumn {
    private static final int CANONICAL_BYTES = 16;

    private final int precision;
    private final long limitHigh;
    private final long limitLow;
    private final boolean asLong;
    private final byte[] bytes;
    private final Binary reused;

    AmountColumn(RowField field, ColumnDescriptor descriptor) {
      super(field, descriptor);
      DecimalLogicalTypeAnnotation decimal =
          (DecimalLogicalTypeAnnotation) descriptor.getPrimitiveType().getLogicalTypeAnnotation();
      this.precision = decimal.getPrecision();
      BigInteger limit = BigInteger.TEN.pow(precision);
      this.limitHigh = limit.shiftRight(64).longValueExact();
      this.limitLow = limit.longValue();
      this.asLong = descriptor.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.INT64;
      this.bytes = new byte[asLong ? 0 : descriptor.getPrimitiveType().getTypeLength()];
      this.reused = Binary.fromReusedByteArray(bytes);
    }

    @Override
    void writeValue(RowReader row) {
      checkFits(row);
      if (asLong) {
        out.write(row.amountLow(field), 0, valueLevel);
        return;
      }
      System.arraycopy(
          row.array(),
          row.valueOffset(field) + CANONICAL_BYTES - bytes.length,
          bytes,
          0,
          bytes.length);
      out.write(reused, 0, valueLevel);
    }

    /** Refuses what has more digits than the column: never cut, never rounded (I7). */
    private void checkFits(RowReader row) {
      long high = row.amountHigh(field);
      long low = row.amountLow(field);
      if (high < 0) {
        low = -low;
        high = ~high + (low == 0 ? 1 : 0);
      }
      boolean fits =
          high >= 0
              && (high != limitHigh ? high < limitHigh : Long.compareUnsigned(low, limitLow) < 0);
      if (!fits) {
        throw new UnwritableRowException(
            "has "
                + row.schema().field(field).name()
                + " "
                + row.amount(field)
                + ", which is wider than the column's "
                + precision
                + " digits; widen the decimal of that column, and the sink goes on from there");
      }
    }
  }

  private static final class StringListColumn extends CanonicalColumn {
    private static final int EMPTY_LEVEL = 1;

    StringListColumn(RowField field, ColumnDescriptor descriptor) {
      super(field, descriptor);
    }

    @Override
    void writeValue(RowReader row) {
      List<String> items = row.stringList(field);
      if (items.isEmpty()) {
        out.writeNull(0, EMPTY_LEVEL);
      }
      for (int i = 0; i < items.size(); i++) {
        out.write(Binary.fromString(items.get(i)), i == 0 ? 0 : 1, valueLevel);
      }
    }
  }
}
