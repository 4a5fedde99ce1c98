package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.LakeException;
import java.util.Arrays;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.rest.RESTCatalog;

/**
 * Whether a table that a catalog did not find is not there. A REST client takes any 404 for the
 * catalog's, also that of a proxy without a route to it, and a missing table is a halt. So it is
 * believed only of a catalog that also lists what is there.
 */
final class Absence {
  private final Catalog catalog;
  private final TableIdentifier table;
  private final RuntimeException notFound;

  Absence(Catalog catalog, TableIdentifier table, RuntimeException notFound) {
    this.catalog = catalog;
    this.table = table;
    this.notFound = notFound;
  }

  /**
   * Returns if the table is not there, as far as the catalog lets itself be asked.
   *
   * @throws LakeException passing, if the catalog lists it, or does not answer
   */
  void confirm() {
    boolean listed;
    try {
      listed = isListed();
    } catch (RuntimeException e) {
      if (e instanceof UnsupportedOperationException || LakeErrors.isDefiniteRefusal(e)) {
        return;
      }
      throw doubt("does not list what is there: " + e);
    }
    if (listed) {
      throw doubt("lists it");
    }
  }

  private LakeException doubt(String but) {
    return LakeException.passing(
        "the catalog says that table " + table + " is not there (" + notFound + "), but " + but,
        notFound);
  }

  private boolean isListed() {
    try {
      return catalog.listTables(table.namespace()).stream()
          .anyMatch(listed -> listed.name().equals(table.name()));
    } catch (NoSuchNamespaceException e) {
      return catalog instanceof RESTCatalog rest && isListed(rest, table.namespace());
    }
  }

  /** Whether the namespace is, by its parent; the root is always there. */
  private static boolean isListed(RESTCatalog rest, Namespace namespace) {
    Namespace parent =
        Namespace.of(Arrays.copyOf(namespace.levels(), Math.max(0, namespace.length() - 1)));
    try {
      return rest.listNamespaces(parent).contains(namespace);
    } catch (NoSuchNamespaceException e) {
      if (parent.isEmpty()) {
        throw e;
      }
      return isListed(rest, parent);
    }
  }
}
