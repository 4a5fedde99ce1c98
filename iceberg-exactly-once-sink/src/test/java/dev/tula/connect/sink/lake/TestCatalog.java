package dev.tula.connect.sink.lake;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.catalog.Catalog;

/** The catalogs and stores that the lake's adapter is tested on. */
enum TestCatalog {
  /** A JDBC catalog in an SQLite file, files on disk. */
  SQLITE {
    @Override
    Opened open(Path folder) {
      return new Opened(SqliteCatalog.properties(folder), () -> {});
    }
  },
  /** A JDBC catalog in PostgreSQL, files on disk. */
  POSTGRES {
    @Override
    Opened open(Path folder) {
      String name = UUID.randomUUID().toString(); // a JDBC catalog keeps its tables under its name
      return new Opened(
          name,
          Map.of(
              "type",
              "jdbc",
              "uri",
              TestPostgres.sharedUrl(),
              "jdbc.schema-version",
              "V1",
              "warehouse",
              folder.resolve("warehouse").toUri().toString()),
          () -> {});
    }
  },
  /** Iceberg's REST catalog, files on disk. */
  REST {
    @Override
    Opened open(Path folder) throws Exception {
      Opened backend = SQLITE.open(folder);
      RestServer server = new RestServer(backend.client());
      return new Opened(
          rest(server, Map.of("io-impl", LocalFileIo.class.getName())),
          () -> {
            server.close();
            backend.close();
          });
    }
  },
  /** Iceberg's REST catalog, files in S3. */
  REST_S3 {
    @Override
    Opened open(Path folder) throws Exception {
      Map<String, String> s3 = new HashMap<>(ObjectStore.running().clientProperties());
      s3.put("io-impl", S3FileIO.class.getName());
      Map<String, String> behind = new HashMap<>(SqliteCatalog.properties(folder));
      behind.putAll(s3);
      behind.put("warehouse", "s3://" + ObjectStore.BUCKET + "/" + UUID.randomUUID());
      Opened backend = new Opened(behind, () -> {});
      RestServer server = new RestServer(backend.client());
      return new Opened(
          rest(server, s3),
          () -> {
            server.close();
            backend.close();
          });
    }
  },
  /** A JDBC catalog in an SQLite file, files in GCS. */
  GCS {
    @Override
    Opened open(Path folder) {
      Map<String, String> properties = new HashMap<>(SqliteCatalog.properties(folder));
      properties.put("io-impl", InMemoryGcsFileIo.class.getName());
      properties.put("warehouse", "gs://lake/" + UUID.randomUUID());
      return new Opened(properties, () -> {});
    }
  };

  /** A new, empty catalog. */
  abstract Opened open(Path folder) throws Exception;

  private static Map<String, String> rest(RestServer server, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("type", "rest");
    properties.put("uri", server.uri());
    return properties;
  }

  /** A catalog that is there until it is closed. For one thread. */
  static final class Opened implements Closeable {
    private final String name;
    private final Map<String, String> properties;
    private final Closeable behind;
    private final Deque<Catalog> clients = new ArrayDeque<>();

    Opened(Map<String, String> properties, Closeable behind) {
      this("lake", properties, behind);
    }

    Opened(String name, Map<String, String> properties, Closeable behind) {
      this.name = name;
      this.properties = properties;
      this.behind = behind;
    }

    /** A client of its own. */
    Catalog client() {
      Catalog client = IcebergCatalogs.build(name, properties, Map.of(), Optional.empty());
      clients.push(client);
      return client;
    }

    @Override
    public void close() throws IOException {
      for (Catalog client : clients) {
        if (client instanceof Closeable closeable) {
          closeable.close();
        }
      }
      behind.close();
    }
  }
}
