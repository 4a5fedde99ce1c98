package dev.tula.connect.restcatalog;

import java.io.IOException;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.rest.RESTCatalog;

/**
 * What a foreign engine may do to a table that is not its own: it drops the first data file, rows
 * and all, in a commit like any other.
 */
public final class ForeignEngineMain {
  private ForeignEngineMain() {}

  /**
   * Drops a file.
   *
   * @param args the catalog's address, the S3 server's, the namespace, and the table
   */
  public static void main(String[] args) throws IOException {
    try (RESTCatalog catalog = new RESTCatalog()) {
      catalog.initialize(
          "foreign",
          Map.of(
              "uri", args[0],
              "io-impl", "org.apache.iceberg.aws.s3.S3FileIO",
              "s3.endpoint", args[1],
              "s3.path-style-access", "true",
              "s3.access-key-id", "foreign",
              "s3.secret-access-key", "foreign",
              "client.region", "us-east-1"));
      Table table = catalog.loadTable(TableIdentifier.of(Namespace.of(args[2]), args[3]));
      DataFile first = firstFile(table);
      table.newDelete().deleteFile(first).commit();
      System.out.println(first.location() + " with " + first.recordCount() + " rows is gone");
    }
  }

  private static DataFile firstFile(Table table) throws IOException {
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        return task.file();
      }
    }
    throw new IllegalArgumentException(table.name() + " has no files");
  }
}
