package dev.tula.connect.model;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;

/**
 * Between stream items and the values of Connect records in the row format. Safe for any thread.
 */
public final class ConnectRecords {
  private ConnectRecords() {}

  /** The Connect form of an item: a Struct that still carries the item. */
  public static SchemaAndValue toConnect(StreamItem item) {
    return new SchemaAndValue(ConnectSchemas.of(item.kind()), new LedgerStruct(item));
  }

  /**
   * The item in a Connect record's value.
   *
   * @throws MalformedRecordException if there is none, saying what is wrong and, where a converter
   *     is to blame, which setting cures it
   */
  public static StreamItem fromConnect(Schema schema, Object value) {
    if (value instanceof LedgerStruct struct && struct.item().isPresent()) {
      return struct.item().get();
    }
    if (value instanceof Struct struct) {
      return StructParser.parse(struct);
    }
    if (value == null) {
      throw new MalformedRecordException(
          "the record has no value: something other than the ledger's source connector wrote it to the topic");
    }
    throw new MalformedRecordException(
        "the value is a "
            + value.getClass().getSimpleName()
            + " without a schema, so types can't be told: set value.converter="
            + LedgerConverter.class.getName()
            + ", or value.converter.schemas.enable=true with the JSON converter, on both connectors");
  }
}
