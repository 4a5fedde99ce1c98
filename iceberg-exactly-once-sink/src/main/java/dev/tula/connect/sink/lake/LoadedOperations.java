package dev.tula.connect.sink.lake;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.io.FileIO;

/**
 * A catalog's table operations for one transaction on a table that was just loaded, and judged as
 * it was loaded. Iceberg refreshes a table when a transaction begins and again before it is sent;
 * the first of these is answered with what was loaded, which spares one call for each commit, and
 * the second, over which the validator runs (C14), goes to the catalog. For one thread and one
 * transaction.
 */
class LoadedOperations extends DelegatedOperations {
  private boolean begun;

  LoadedOperations(TableOperations delegate, FileIO io) {
    super(delegate, io);
  }

  @Override
  public TableMetadata refresh() {
    if (begun) {
      return super.refresh();
    }
    begun = true;
    return current();
  }
}
