package dev.tula.connect.sink.lake;

import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/** A catalog whose tables' operations misbehave as a test wants. */
class CatalogDouble implements Catalog {
  private final Catalog delegate;
  private final UnaryOperator<TableOperations> operations;

  CatalogDouble(Catalog delegate, UnaryOperator<TableOperations> operations) {
    this.delegate = delegate;
    this.operations = operations;
  }

  @Override
  public String name() {
    return delegate.name();
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    return delegate.listTables(namespace);
  }

  @Override
  public boolean dropTable(TableIdentifier identifier, boolean purge) {
    return delegate.dropTable(identifier, purge);
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    delegate.renameTable(from, to);
  }

  @Override
  public TableBuilder buildTable(TableIdentifier identifier, Schema schema) {
    return delegate.buildTable(identifier, schema);
  }

  @Override
  public Table loadTable(TableIdentifier identifier) {
    Table table = delegate.loadTable(identifier);
    return new BaseTable(operations.apply(((HasTableOperations) table).operations()), table.name());
  }

  /** Passes everything on. */
  static class Operations extends DelegatedOperations {
    final TableOperations delegate;

    Operations(TableOperations delegate) {
      super(delegate, delegate.io());
      this.delegate = delegate;
    }

    @Override
    public TableOperations temp(TableMetadata uncommittedMetadata) {
      return delegate.temp(uncommittedMetadata);
    }
  }
}
