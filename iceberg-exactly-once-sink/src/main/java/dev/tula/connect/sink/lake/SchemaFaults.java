package dev.tula.connect.sink.lake;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * Holds a table's columns and partitioning against what was created (I6). Columns bind by name;
 * comments, a sort order, added optional columns, a column made optional and a widened decimal are
 * fine.
 */
final class SchemaFaults {
  private SchemaFaults() {}

  /** Everything that is wrong, as one clause after another; empty if nothing is. */
  static Optional<String> of(TableMetadata table, Schema expected) {
    List<String> faults = new ArrayList<>();
    if (!table.spec().isUnpartitioned()) {
      faults.add(
          "it is partitioned by " + table.spec().fields() + " and was created unpartitioned");
    }
    Schema actual = table.schema();
    for (NestedField column : expected.columns()) {
      addColumnFault(faults, column, actual.asStruct().field(column.name()));
    }
    for (NestedField column : actual.columns()) {
      if (column.isRequired() && expected.asStruct().field(column.name()) == null) {
        faults.add("column " + column.name() + " was added as required, and no record has it");
      }
    }
    return faults.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", faults));
  }

  private static void addColumnFault(
      List<String> faults, NestedField expected, NestedField actual) {
    if (actual == null) {
      faults.add("column " + expected.name() + " is missing");
    } else if (!fits(expected.type(), actual.type())) {
      faults.add(
          "column "
              + expected.name()
              + " is "
              + actual.type()
              + " and was created as "
              + expected.type());
    } else if (expected.isOptional() && actual.isRequired()) {
      faults.add("column " + expected.name() + " became required and was created as optional");
    }
  }

  private static boolean fits(Type expected, Type actual) {
    if (expected instanceof Types.DecimalType was && actual instanceof Types.DecimalType is) {
      return is.scale() == was.scale() && is.precision() >= was.precision();
    }
    if (expected.isListType() && actual.isListType()) {
      return fits(expected.asListType().elementType(), actual.asListType().elementType());
    }
    return expected.equals(actual);
  }
}
