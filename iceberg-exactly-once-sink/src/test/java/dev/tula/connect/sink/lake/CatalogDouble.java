package dev.tula.connect.sink.lake;

import java.util.function.UnaryOperator;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;

/** A catalog whose tables' operations misbehave as a test wants. */
final class CatalogDouble extends ForwardingCatalog {
  private final UnaryOperator<TableOperations> operations;

  CatalogDouble(Catalog delegate, UnaryOperator<TableOperations> operations) {
    super(delegate);
    this.operations = operations;
  }

  @Override
  public Table loadTable(TableIdentifier identifier) {
    Table table = super.loadTable(identifier);
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
