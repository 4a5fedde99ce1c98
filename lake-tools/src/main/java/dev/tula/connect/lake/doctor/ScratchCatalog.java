package dev.tula.connect.lake.doctor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NamespaceNotEmptyException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A catalog in which every table's name begins with a prefix that the user does not see, so that a
 * trial can't touch any other. It remembers what it may have created, and drops that again. For one
 * thread at a time.
 */
final class ScratchCatalog implements Catalog, SupportsNamespaces {
  private static final Logger LOG = LoggerFactory.getLogger(ScratchCatalog.class);

  private final Catalog catalog;
  private final String prefix;
  private final List<TableIdentifier> tables = new ArrayList<>();
  private final Deque<Namespace> namespaces = new ArrayDeque<>();

  /**
   * @param catalog the real one, the caller's to close
   * @param prefix what every table's name begins with
   */
  ScratchCatalog(Catalog catalog, String prefix) {
    this.catalog = catalog;
    this.prefix = prefix;
  }

  /**
   * Drops tables, files and all, and namespaces that were created here.
   *
   * @return the names of what could not be dropped
   */
  List<String> drop() {
    List<String> left = new ArrayList<>();
    for (TableIdentifier table : tables) {
      if (!isDropped(table)) {
        left.add(table.toString());
      }
    }
    if (left.isEmpty() && catalog instanceof SupportsNamespaces real) {
      namespaces.forEach(namespace -> drop(real, namespace, left));
    }
    return left;
  }

  /** S3 Tables drops no table without its files, and other catalogs need not offer that. */
  private boolean isDropped(TableIdentifier table) {
    try {
      catalog.dropTable(table, true);
      return true;
    } catch (RuntimeException e) {
      LOG.debug("Table {} could not be dropped with its files", table, e);
    }
    try {
      catalog.dropTable(table, false);
      return true;
    } catch (RuntimeException e) {
      LOG.warn("Table {} could not be dropped", table, e);
      return false;
    }
  }

  private static void drop(SupportsNamespaces catalog, Namespace namespace, List<String> left) {
    try {
      catalog.dropNamespace(namespace);
    } catch (NamespaceNotEmptyException e) {
      LOG.info("Namespace {} is somebody's meanwhile", namespace);
    } catch (RuntimeException e) {
      LOG.warn("Namespace {} could not be dropped", namespace, e);
      left.add("namespace " + namespace);
    }
  }

  private TableIdentifier real(TableIdentifier table) {
    return TableIdentifier.of(table.namespace(), prefix + table.name());
  }

  @Override
  public String name() {
    return catalog.name();
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    return catalog.listTables(namespace).stream()
        .filter(table -> table.name().startsWith(prefix))
        .map(table -> TableIdentifier.of(namespace, table.name().substring(prefix.length())))
        .toList();
  }

  /** What fails to be created may be there all the same, so it is remembered before. */
  @Override
  public TableBuilder buildTable(TableIdentifier table, Schema schema) {
    tables.add(real(table));
    return catalog.buildTable(real(table), schema);
  }

  @Override
  public Table createTable(
      TableIdentifier table,
      Schema schema,
      PartitionSpec spec,
      String location,
      Map<String, String> properties) {
    throw new UnsupportedOperationException("a trial builds its tables");
  }

  @Override
  public Transaction newCreateTableTransaction(
      TableIdentifier table,
      Schema schema,
      PartitionSpec spec,
      String location,
      Map<String, String> properties) {
    throw new UnsupportedOperationException("a trial builds its tables");
  }

  @Override
  public Table loadTable(TableIdentifier table) {
    return catalog.loadTable(real(table));
  }

  @Override
  public void invalidateTable(TableIdentifier table) {
    catalog.invalidateTable(real(table));
  }

  @Override
  public boolean dropTable(TableIdentifier table, boolean purge) {
    throw new UnsupportedOperationException("a trial's tables are dropped at its end");
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    throw new UnsupportedOperationException("a trial renames nothing");
  }

  /** The deepest first, so that they can be dropped in this order. */
  @Override
  public void createNamespace(Namespace namespace, Map<String, String> metadata) {
    if (catalog instanceof SupportsNamespaces real) {
      real.createNamespace(namespace, metadata);
      namespaces.push(namespace);
    }
  }

  @Override
  public List<Namespace> listNamespaces(Namespace namespace) {
    return catalog instanceof SupportsNamespaces real ? real.listNamespaces(namespace) : List.of();
  }

  @Override
  public boolean namespaceExists(Namespace namespace) {
    return !(catalog instanceof SupportsNamespaces real) || real.namespaceExists(namespace);
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(Namespace namespace) {
    return catalog instanceof SupportsNamespaces real
        ? real.loadNamespaceMetadata(namespace)
        : Map.of();
  }

  @Override
  public boolean dropNamespace(Namespace namespace) {
    throw new UnsupportedOperationException("a trial's namespaces are dropped at its end");
  }

  @Override
  public boolean setProperties(Namespace namespace, Map<String, String> properties) {
    throw new UnsupportedOperationException("a trial changes no namespace");
  }

  @Override
  public boolean removeProperties(Namespace namespace, Set<String> properties) {
    throw new UnsupportedOperationException("a trial changes no namespace");
  }
}
