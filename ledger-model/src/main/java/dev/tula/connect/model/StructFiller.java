package dev.tula.connect.model;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.connect.data.Field;

/** Puts a stream item's values into the fields of its Struct. */
final class StructFiller {
  private final List<Field> fields;
  private final BiConsumer<Field, Object> target;
  private int next;

  private StructFiller(RecordKind kind, BiConsumer<Field, Object> target) {
    this.fields = ConnectSchemas.of(kind).fields();
    this.target = target;
    put(kind.code());
  }

  static void fill(StreamItem item, BiConsumer<Field, Object> target) {
    StructFiller filler = new StructFiller(item.kind(), target);
    if (item instanceof StreamItem.Row row) {
      filler.row(row);
    } else if (item instanceof StreamItem.Coverage coverage) {
      filler.coverage(coverage);
    } else if (item instanceof StreamItem.Start start) {
      filler.start(start);
    }
  }

  private void row(StreamItem.Row item) {
    position(item.pred());
    RowReader reader = new RowReader().wrap(item.row());
    RowSchema schema = reader.schema();
    for (int i = 0; i < schema.size(); i++) {
      put(reader.isPresent(i) ? value(reader, i) : null);
    }
  }

  private static Object value(RowReader reader, int index) {
    return switch (reader.schema().field(index).type()) {
      case LONG, TIMESTAMP -> reader.longValue(index);
      case INT -> reader.intValue(index);
      case STRING -> reader.string(index);
      case ID128, HASH256 -> reader.hex(index);
      case AMOUNT -> new BigDecimal(reader.amount(index));
      case STRING_LIST -> Collections.unmodifiableList(reader.stringList(index));
    };
  }

  private void coverage(StreamItem.Coverage item) {
    position(item.from());
    position(item.to());
    put(item.closedThroughMicros());
    identity(item.identity());
  }

  private void start(StreamItem.Start item) {
    position(item.from());
    put(item.floorTimeMicros());
    identity(item.identity());
  }

  private void position(Position position) {
    put(position.globalBatchSeq());
    put(position.arrayIndex());
  }

  private void identity(StreamIdentity identity) {
    put(identity.clusterId());
    put(identity.pipeline());
    put(identity.generation());
    put(identity.partition());
    put(identity.partitionCount());
    put(identity.includeMetadata());
    put(identity.fullTxnRecord());
  }

  private void put(Object value) {
    target.accept(fields.get(next++), value);
  }
}
