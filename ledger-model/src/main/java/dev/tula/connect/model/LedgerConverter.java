package dev.tula.connect.model;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.Converter;

/**
 * The compact binary form of the row format: version, kind, predecessor, then the canonical bytes
 * as they are. Set it as {@code value.converter} of both connectors; keys are null and pass any
 * converter.
 *
 * <p>Safe for any thread. Bytes that are not such a record are a {@link DataException}.
 */
public final class LedgerConverter implements Converter, Versioned {
  /** The version byte that every value begins with. */
  static final byte VERSION = 0x01;

  private static final int PREFIX = 2;
  private static final int POSITION = 12;

  @Override
  public String version() {
    String version = LedgerConverter.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public ConfigDef config() {
    return new ConfigDef();
  }

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    // It has nothing to configure.
  }

  @Override
  public byte[] fromConnectData(String topic, Schema schema, Object value) {
    if (value == null) {
      return null;
    }
    try {
      return encode(
          ConnectRecords.fromConnect(schema, value instanceof Struct ? value : refuse(value)));
    } catch (MalformedRecordException e) {
      throw new DataException("topic " + topic + ": " + e.getMessage(), e);
    }
  }

  private static Object refuse(Object value) {
    throw new MalformedRecordException(
        "LedgerConverter writes ledger records only, not " + value.getClass().getSimpleName());
  }

  @Override
  public SchemaAndValue toConnectData(String topic, byte[] value) {
    if (value == null) {
      return SchemaAndValue.NULL;
    }
    try {
      return ConnectRecords.toConnect(decode(value));
    } catch (MalformedRecordException e) {
      throw new DataException("topic " + topic + ": " + e.getMessage(), e);
    }
  }

  /** The bytes of an item. */
  public static byte[] encode(StreamItem item) {
    if (item instanceof StreamItem.Row row) {
      return encodeRow(row);
    }
    return item instanceof StreamItem.Coverage coverage
        ? encodeCoverage(coverage)
        : encodeStart((StreamItem.Start) item);
  }

  /**
   * The item in bytes that {@link #encode} made. A row stays a slice of {@code bytes}.
   *
   * @throws MalformedRecordException if they are anything else
   */
  public static StreamItem decode(byte[] bytes) {
    if (bytes.length < PREFIX + POSITION || bytes[0] != VERSION) {
      throw new MalformedRecordException(
          "the value does not begin as a compact ledger record of version "
              + VERSION
              + ": the topic was written with another converter than this one");
    }
    RecordKind kind = RecordKind.ofCode(bytes[1]);
    if (kind.isRow()) {
      return decodeRow(bytes, kind);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, PREFIX, bytes.length - PREFIX);
    try {
      StreamItem item = kind == RecordKind.COVERAGE ? decodeCoverage(buffer) : decodeStart(buffer);
      if (buffer.hasRemaining()) {
        throw new MalformedRecordException(
            kind + " record has " + buffer.remaining() + " bytes after its end");
      }
      return item;
    } catch (BufferUnderflowException e) {
      throw new MalformedRecordException(kind + " record is cut off", e);
    } catch (IllegalArgumentException e) {
      throw new MalformedRecordException(kind + " record is malformed: " + e.getMessage(), e);
    }
  }

  private static byte[] encodeRow(StreamItem.Row item) {
    CanonicalRow row = item.row();
    byte[] bytes = new byte[PREFIX + POSITION + row.length()];
    bytes[0] = VERSION;
    bytes[1] = row.array()[row.offset() + 1];
    CanonicalRow.writeLong(bytes, PREFIX, item.pred().globalBatchSeq());
    CanonicalRow.writeInt(bytes, PREFIX + 8, item.pred().arrayIndex());
    System.arraycopy(row.array(), row.offset(), bytes, PREFIX + POSITION, row.length());
    return bytes;
  }

  private static StreamItem decodeRow(byte[] bytes, RecordKind kind) {
    CanonicalRow row = CanonicalRow.of(bytes, PREFIX + POSITION, bytes.length - PREFIX - POSITION);
    if (row.kind() != kind) {
      throw new MalformedRecordException(
          "record of kind " + kind + " holds a row of kind " + row.kind());
    }
    long globalBatchSeq = CanonicalRow.readLong(bytes, PREFIX);
    int arrayIndex = CanonicalRow.readInt(bytes, PREFIX + 8);
    try {
      return new StreamItem.Row(new Position(globalBatchSeq, arrayIndex), row);
    } catch (IllegalArgumentException e) {
      throw new MalformedRecordException(
          "row at " + row.position() + ": predecessor: " + e.getMessage(), e);
    }
  }

  private static byte[] encodeCoverage(StreamItem.Coverage item) {
    ByteBuffer buffer = begin(item, 2 * POSITION + 8, item.identity());
    put(buffer, item.from());
    put(buffer, item.to());
    buffer.putLong(item.closedThroughMicros());
    put(buffer, item.identity());
    return buffer.array();
  }

  private static StreamItem decodeCoverage(ByteBuffer buffer) {
    return new StreamItem.Coverage(
        position(buffer), position(buffer), buffer.getLong(), identity(buffer));
  }

  private static byte[] encodeStart(StreamItem.Start item) {
    ByteBuffer buffer = begin(item, POSITION + 8, item.identity());
    put(buffer, item.from());
    buffer.putLong(item.floorTimeMicros());
    put(buffer, item.identity());
    return buffer.array();
  }

  private static StreamItem decodeStart(ByteBuffer buffer) {
    return new StreamItem.Start(position(buffer), buffer.getLong(), identity(buffer));
  }

  private static ByteBuffer begin(StreamItem item, int width, StreamIdentity identity) {
    int strings = utf8(identity.clusterId()).length + utf8(identity.pipeline()).length;
    ByteBuffer buffer = ByteBuffer.allocate(PREFIX + width + 2 * 4 + strings + 3 * 4 + 1);
    return buffer.put(VERSION).put(item.kind().code());
  }

  private static void put(ByteBuffer buffer, Position position) {
    buffer.putLong(position.globalBatchSeq()).putInt(position.arrayIndex());
  }

  private static Position position(ByteBuffer buffer) {
    return new Position(buffer.getLong(), buffer.getInt());
  }

  private static void put(ByteBuffer buffer, StreamIdentity identity) {
    put(buffer, identity.clusterId());
    put(buffer, identity.pipeline());
    buffer
        .putInt(identity.generation())
        .putInt(identity.partition())
        .putInt(identity.partitionCount());
    buffer.put((byte) ((identity.includeMetadata() ? 1 : 0) | (identity.fullTxnRecord() ? 2 : 0)));
  }

  private static StreamIdentity identity(ByteBuffer buffer) {
    String clusterId = string(buffer);
    String pipeline = string(buffer);
    int generation = buffer.getInt();
    int partition = buffer.getInt();
    int partitionCount = buffer.getInt();
    byte flags = buffer.get();
    if ((flags & ~3) != 0) {
      throw new IllegalArgumentException("flags " + flags + " are not known");
    }
    return new StreamIdentity(
        clusterId,
        pipeline,
        generation,
        partition,
        partitionCount,
        (flags & 1) != 0,
        (flags & 2) != 0);
  }

  private static void put(ByteBuffer buffer, String value) {
    byte[] utf8 = utf8(value);
    buffer.putInt(utf8.length).put(utf8);
  }

  private static String string(ByteBuffer buffer) {
    int length = buffer.getInt();
    if (length < 0 || length > buffer.remaining()) {
      throw new IllegalArgumentException(
          "a string claims " + Integer.toUnsignedString(length) + " bytes");
    }
    int at = buffer.position();
    buffer.position(at + length);
    return Utf8.decode(buffer.array(), at, length);
  }

  private static byte[] utf8(String value) {
    return Utf8.encode(value);
  }
}
