package dev.tula.connect.local;

import java.util.List;
import java.util.Optional;

/**
 * A catalog as a foreign engine asks it: which tables there are, and where the metadata of each
 * lies. Read anew with each call; safe for any thread.
 */
interface LakeCatalog {
  /** Its address, for {@code iceberg.catalog.uri}. */
  String uri();

  /** The names of a namespace's tables, in alphabetical order; none if there is no namespace. */
  List<String> tableNames(String namespace);

  /** Where the current metadata of a table lies, if there is such a table. */
  Optional<String> metadataLocation(String namespace, String table);
}
