package dev.tula.connect.sink.lake;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;

/** Passes everything on to another catalog, which has namespaces. */
public class ForwardingCatalog implements Catalog, SupportsNamespaces {
  private final Catalog catalog;
  private final SupportsNamespaces namespaces;

  /** For those that do one thing otherwise. */
  protected ForwardingCatalog(Catalog catalog) {
    this.catalog = catalog;
    this.namespaces = (SupportsNamespaces) catalog;
  }

  @Override
  public String name() {
    return catalog.name();
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    return catalog.listTables(namespace);
  }

  @Override
  public TableBuilder buildTable(TableIdentifier table, Schema schema) {
    return catalog.buildTable(table, schema);
  }

  @Override
  public Table loadTable(TableIdentifier table) {
    return catalog.loadTable(table);
  }

  @Override
  public boolean dropTable(TableIdentifier table, boolean purge) {
    return catalog.dropTable(table, purge);
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    catalog.renameTable(from, to);
  }

  @Override
  public void createNamespace(Namespace namespace, Map<String, String> metadata) {
    namespaces.createNamespace(namespace, metadata);
  }

  @Override
  public List<Namespace> listNamespaces(Namespace namespace) {
    return namespaces.listNamespaces(namespace);
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(Namespace namespace) {
    return namespaces.loadNamespaceMetadata(namespace);
  }

  @Override
  public boolean dropNamespace(Namespace namespace) {
    return namespaces.dropNamespace(namespace);
  }

  @Override
  public boolean setProperties(Namespace namespace, Map<String, String> properties) {
    return namespaces.setProperties(namespace, properties);
  }

  @Override
  public boolean removeProperties(Namespace namespace, Set<String> properties) {
    return namespaces.removeProperties(namespace, properties);
  }
}
