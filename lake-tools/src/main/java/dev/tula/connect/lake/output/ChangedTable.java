package dev.tula.connect.lake.output;

import java.util.Optional;

/** What a command did to a table, or would do. */
public interface ChangedTable {
  /** The export partition. */
  int partition();

  /** Its logical name. */
  String table();

  /** Its name in the catalog. */
  String name();

  /** Why nothing was done, or what is wrong now. */
  Optional<String> problem();
}
