package dev.tula.connect.model;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;

/**
 * A Struct that still is the stream item it stands for. Its fields are filled in when somebody
 * first looks at one, so a converter or a sink that wants the canonical bytes takes them as they
 * are, and every other consumer sees an ordinary Struct. Once a field is changed, the item is gone
 * and the fields are what counts.
 *
 * <p>Not thread-safe, as no Struct is.
 */
public final class LedgerStruct extends Struct {
  private final StreamItem item;
  private boolean filled;
  private boolean changed;

  LedgerStruct(StreamItem item) {
    super(ConnectSchemas.of(item.kind()));
    this.item = item;
  }

  /** The item that this stands for; empty once a field was changed. */
  public Optional<StreamItem> item() {
    return changed ? Optional.empty() : Optional.of(item);
  }

  private void fill() {
    if (!filled) {
      StructFiller.fill(item, (field, value) -> super.put(field, value));
      // Only now: a malformed row must be refused at every look, not read as absent at the second.
      filled = true;
    }
  }

  @Override
  public Object get(Field field) {
    fill();
    return super.get(field);
  }

  @Override
  public Object get(String fieldName) {
    fill();
    return super.get(fieldName);
  }

  @Override
  public Object getWithoutDefault(String fieldName) {
    fill();
    return super.getWithoutDefault(fieldName);
  }

  @Override
  public Byte getInt8(String fieldName) {
    fill();
    return super.getInt8(fieldName);
  }

  @Override
  public Short getInt16(String fieldName) {
    fill();
    return super.getInt16(fieldName);
  }

  @Override
  public Integer getInt32(String fieldName) {
    fill();
    return super.getInt32(fieldName);
  }

  @Override
  public Long getInt64(String fieldName) {
    fill();
    return super.getInt64(fieldName);
  }

  @Override
  public Float getFloat32(String fieldName) {
    fill();
    return super.getFloat32(fieldName);
  }

  @Override
  public Double getFloat64(String fieldName) {
    fill();
    return super.getFloat64(fieldName);
  }

  @Override
  public Boolean getBoolean(String fieldName) {
    fill();
    return super.getBoolean(fieldName);
  }

  @Override
  public String getString(String fieldName) {
    fill();
    return super.getString(fieldName);
  }

  @Override
  public byte[] getBytes(String fieldName) {
    fill();
    return super.getBytes(fieldName);
  }

  @Override
  public <T> List<T> getArray(String fieldName) {
    fill();
    return super.getArray(fieldName);
  }

  @Override
  public <K, V> Map<K, V> getMap(String fieldName) {
    fill();
    return super.getMap(fieldName);
  }

  @Override
  public Struct getStruct(String fieldName) {
    fill();
    return super.getStruct(fieldName);
  }

  @Override
  public Struct put(String fieldName, Object value) {
    fill();
    changed = true;
    return super.put(fieldName, value);
  }

  @Override
  public Struct put(Field field, Object value) {
    fill();
    changed = true;
    return super.put(field, value);
  }

  @Override
  public void validate() {
    fill();
    super.validate();
  }

  @Override
  public boolean equals(Object other) {
    fill();
    if (other instanceof LedgerStruct struct) {
      struct.fill();
    }
    return super.equals(other);
  }

  /**
   * Of the kind and the position that the item follows, which hardly two items of a stream share.
   * Connect asks for it beside every record that it sends in a transaction, and filling the fields
   * for that would cost more than sending.
   */
  @Override
  public int hashCode() {
    if (!changed) {
      Position after = item.provesAfter();
      return Objects.hash(item.kind().code(), after.globalBatchSeq(), after.arrayIndex());
    }
    return Objects.hash(leading(0), leading(1), leading(2));
  }

  /** Every kind's fields begin with its code and that position. */
  private Object leading(int index) {
    return super.get(schema().fields().get(index));
  }

  @Override
  public String toString() {
    fill();
    return super.toString();
  }
}
