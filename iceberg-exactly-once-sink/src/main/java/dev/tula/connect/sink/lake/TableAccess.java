package dev.tula.connect.sink.lake;

import java.util.Optional;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/** One table by its place in the catalog. Safe for any thread if the catalog is. */
final class TableAccess {
  private final Catalog catalog;
  private final TableIdentifier identifier;

  TableAccess(Catalog catalog, TableIdentifier identifier) {
    this.catalog = catalog;
    this.identifier = identifier;
  }

  /**
   * A table as it was loaded.
   *
   * @param table for files and scans
   * @param operations the catalog's own
   * @param metadata as loaded
   */
  record Loaded(Table table, TableOperations operations, TableMetadata metadata) {}

  TableIdentifier identifier() {
    return identifier;
  }

  /** Its name, for messages. */
  String name() {
    return identifier.toString();
  }

  /**
   * Loads it past every cache; absent if there is none.
   *
   * @throws dev.tula.connect.sink.engine.LakeException passing, if the catalog did not find it and
   *     does not bear that out
   */
  Optional<Loaded> load() {
    catalog.invalidateTable(identifier);
    Table table;
    try {
      table = catalog.loadTable(identifier);
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      new Absence(catalog, identifier, e).confirm();
      return Optional.empty();
    }
    if (!(table instanceof HasTableOperations withOperations)) {
      throw new UnsupportedOperationException(
          "catalog " + catalog.name() + " gives read-only tables; the sink can't commit to them");
    }
    TableOperations operations = withOperations.operations();
    return Optional.of(new Loaded(table, operations, operations.current()));
  }
}
