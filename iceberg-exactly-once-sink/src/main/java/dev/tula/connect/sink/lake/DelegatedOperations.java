package dev.tula.connect.sink.lake;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A catalog's table operations with another FileIO. It stays with them in the operations over a
 * transaction's own metadata, whose FileIO is the one that Iceberg cleans up with (C17).
 */
class DelegatedOperations implements TableOperations {
  private final TableOperations delegate;
  private final FileIO io;

  DelegatedOperations(TableOperations delegate, FileIO io) {
    this.delegate = delegate;
    this.io = io;
  }

  @Override
  public TableMetadata current() {
    return delegate.current();
  }

  @Override
  public TableMetadata refresh() {
    return delegate.refresh();
  }

  @Override
  public void commit(TableMetadata base, TableMetadata metadata) {
    delegate.commit(base, metadata);
  }

  @Override
  public FileIO io() {
    return io;
  }

  @Override
  public EncryptionManager encryption() {
    return delegate.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return delegate.metadataFileLocation(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return delegate.locationProvider();
  }

  @Override
  public TableOperations temp(TableMetadata uncommittedMetadata) {
    return new DelegatedOperations(delegate.temp(uncommittedMetadata), io);
  }

  @Override
  public long newSnapshotId() {
    return delegate.newSnapshotId();
  }
}
