package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ToolException;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;

/**
 * Files by which another engine deletes rows on read. The files that hold those rows still have
 * them, and so would files that are written from them: the rows would come back (I1).
 */
public final class DeleteFiles {
  private DeleteFiles() {}

  /**
   * Lets nothing be written from the files of a table that has any.
   *
   * @param table as it was loaded
   * @param name its name in the catalog
   * @param left what became of the table, for the message
   * @throws ToolException if it has
   */
  public static void refuse(Table table, String name, String left) {
    if (StorageCalls.manifests("looking for delete files", name, () -> areIn(table))) {
      throw ToolException.error(
          "table "
              + name
              + " has delete files of another engine, and the rows that they hide would come back."
              + " Let that engine rewrite its files without them, then run the command again. "
              + left);
    }
  }

  /** The manifests tell, as a summary need not count them. */
  private static boolean areIn(Table table) {
    Snapshot main = table.currentSnapshot();
    return main != null && main.deleteManifests(table.io()).stream().anyMatch(DeleteFiles::hasLive);
  }

  private static boolean hasLive(ManifestFile manifest) {
    return manifest.hasAddedFiles() || manifest.hasExistingFiles();
  }
}
