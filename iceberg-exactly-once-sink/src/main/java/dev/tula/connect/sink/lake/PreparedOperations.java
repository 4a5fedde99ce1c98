package dev.tula.connect.sink.lake;

import java.util.Optional;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.io.FileIO;

/**
 * A catalog's table operations for a commit that is prepared here and sent elsewhere, together with
 * those of other tables: the transaction runs whole, validators and all, and its last step is kept
 * instead of sent. For one thread and one transaction.
 */
final class PreparedOperations extends LoadedOperations {
  private Optional<Prepared> prepared = Optional.empty();

  /**
   * What is to be sent.
   *
   * @param base the table that it stands on
   * @param updated the table as it will be
   */
  record Prepared(TableMetadata base, TableMetadata updated) {}

  PreparedOperations(TableOperations delegate, FileIO io) {
    super(delegate, io);
  }

  Prepared prepared() {
    return prepared.orElseThrow(() -> new IllegalStateException("the transaction sent nothing"));
  }

  @Override
  public void commit(TableMetadata base, TableMetadata metadata) {
    prepared = Optional.of(new Prepared(base, metadata));
  }

  @Override
  public TableMetadata current() {
    return prepared.map(Prepared::updated).orElseGet(super::current);
  }
}
