package dev.tula.connect.model;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;

/**
 * Makes a stream item of a Struct that any converter or transform produced. A field too many, too
 * few, or of another type is refused: nothing is dropped and nothing is guessed (I7).
 */
final class StructParser {
  private final Struct struct;
  private final RecordKind kind;

  private StructParser(Struct struct, RecordKind kind) {
    this.struct = struct;
    this.kind = kind;
  }

  static StreamItem parse(Struct struct) {
    Field kindField = struct.schema().field(ConnectSchemas.RECORD_KIND);
    Object code = kindField == null ? null : struct.get(kindField);
    if (!(code instanceof Byte value)) {
      throw new MalformedRecordException(
          "value with schema "
              + struct.schema().name()
              + " has no int8 field record_kind, so it is not a ledger record");
    }
    StructParser parser = new StructParser(struct, RecordKind.ofCode(value));
    parser.checkVersion();
    parser.checkFieldNames();
    return parser.item();
  }

  /** A later version may have the same fields with another meaning. */
  private void checkVersion() {
    Integer version = struct.schema().version();
    if (version != null && version != ConnectSchemas.VERSION) {
      throw new MalformedRecordException(
          kind
              + " record has schema version "
              + version
              + "; this version of the connectors reads "
              + ConnectSchemas.VERSION
              + ": upgrade the sink first");
    }
  }

  private void checkFieldNames() {
    List<Field> known = ConnectSchemas.of(kind).fields();
    if (struct.schema().fields().size() == known.size()
        && known.stream().allMatch(field -> struct.schema().field(field.name()) != null)) {
      return;
    }
    String unknown =
        struct.schema().fields().stream()
            .map(Field::name)
            .filter(name -> ConnectSchemas.of(kind).field(name) == null)
            .collect(Collectors.joining(", "));
    String missing =
        known.stream()
            .map(Field::name)
            .filter(name -> struct.schema().field(name) == null)
            .collect(Collectors.joining(", "));
    throw new MalformedRecordException(
        kind
            + " record does not have its fields:"
            + (missing.isEmpty() ? "" : " missing " + missing + ";")
            + (unknown.isEmpty() ? "" : " unknown " + unknown + ";")
            + " remove the transform that changed them");
  }

  private StreamItem item() {
    return switch (kind) {
      case COVERAGE ->
          new StreamItem.Coverage(
              position(ConnectSchemas.FROM_GLOBAL_BATCH_SEQ, ConnectSchemas.FROM_ARRAY_INDEX),
              position(ConnectSchemas.TO_GLOBAL_BATCH_SEQ, ConnectSchemas.TO_ARRAY_INDEX),
              required(ConnectSchemas.CLOSED_THROUGH, Long.class),
              identity());
      case START ->
          new StreamItem.Start(
              position(ConnectSchemas.FROM_GLOBAL_BATCH_SEQ, ConnectSchemas.FROM_ARRAY_INDEX),
              required(ConnectSchemas.FLOOR_TIME, Long.class),
              identity());
      default ->
          new StreamItem.Row(
              position(ConnectSchemas.PRED_GLOBAL_BATCH_SEQ, ConnectSchemas.PRED_ARRAY_INDEX),
              row());
    };
  }

  private CanonicalRow row() {
    RowWriter writer = new RowWriter().begin(kind);
    for (RowField field : RowSchema.of(kind).fields()) {
      put(writer, field);
    }
    return writer.toRow();
  }

  private void put(RowWriter writer, RowField field) {
    if (value(field.name()) == null) {
      writer.absent();
      return;
    }
    switch (field.type()) {
      case LONG -> writer.putLong(required(field.name(), Long.class));
      case TIMESTAMP -> writer.putTimestamp(required(field.name(), Long.class));
      case INT -> writer.putInt(required(field.name(), Integer.class));
      case STRING -> writer.putString(required(field.name(), String.class));
      case ID128, HASH256 -> writer.putHex(required(field.name(), String.class));
      case AMOUNT -> writer.putAmount(wholeAmount(field.name()).toBigIntegerExact());
      case STRING_LIST -> writer.putStringList(strings(field.name()));
    }
  }

  private BigDecimal wholeAmount(String name) {
    BigDecimal amount = required(name, BigDecimal.class);
    if (amount.scale() != 0) {
      throw fault(name, "is " + amount + ": amounts are whole minor units, Decimal of scale 0");
    }
    return amount;
  }

  private List<String> strings(String name) {
    List<?> items = required(name, List.class);
    return items.stream()
        .map(
            item -> {
              if (item instanceof String text) {
                return text;
              }
              throw fault(name, "holds an item that is not a string");
            })
        .toList();
  }

  private Position position(String globalBatchSeq, String arrayIndex) {
    try {
      return new Position(
          required(globalBatchSeq, Long.class), required(arrayIndex, Integer.class));
    } catch (IllegalArgumentException e) {
      throw new MalformedRecordException(kind + " record: " + e.getMessage(), e);
    }
  }

  private StreamIdentity identity() {
    try {
      return new StreamIdentity(
          required(ConnectSchemas.CLUSTER_ID, String.class),
          required(ConnectSchemas.PIPELINE, String.class),
          required(ConnectSchemas.GENERATION, Integer.class),
          required(ConnectSchemas.PARTITION, Integer.class),
          required(ConnectSchemas.PARTITION_COUNT, Integer.class),
          required(ConnectSchemas.INCLUDE_METADATA, Boolean.class),
          required(ConnectSchemas.FULL_TXN_RECORD, Boolean.class));
    } catch (IllegalArgumentException e) {
      throw new MalformedRecordException(kind + " record: " + e.getMessage(), e);
    }
  }

  private Object value(String name) {
    return struct.getWithoutDefault(name);
  }

  private <T> T required(String name, Class<T> type) {
    Object value = value(name);
    if (!type.isInstance(value)) {
      throw fault(
          name,
          "must be "
              + type.getSimpleName()
              + ", not "
              + (value == null ? "null" : value.getClass().getSimpleName()));
    }
    return type.cast(value);
  }

  private MalformedRecordException fault(String name, String what) {
    return new MalformedRecordException(kind + " record: field " + name + " " + what);
  }
}
