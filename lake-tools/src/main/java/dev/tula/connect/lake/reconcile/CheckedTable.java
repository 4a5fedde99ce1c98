package dev.tula.connect.lake.reconcile;

import java.util.List;

/** What a table was found to be, however it was looked at. */
public interface CheckedTable {
  /** Its logical name. */
  String table();

  /** Its name in the catalog. */
  String name();

  /** What differs. */
  List<String> differences();
}
