package dev.tula.connect.local;

import java.util.List;
import java.util.Locale;

/** Which catalog and which storage a run's lake has. */
public enum LakeKind {
  /** A JDBC catalog in an SQLite file, and files on disk. */
  SQLITE,
  /** A JDBC catalog in a PostgreSQL server, and files on disk. */
  POSTGRES,
  /** Iceberg's REST catalog, and files on disk. */
  REST,
  /** Iceberg's REST catalog, and an S3 server. */
  REST_S3;

  /** As the command line and the names of the example files write it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The sink's file in {@code config-examples/local}. */
  String sinkFile() {
    return this == SQLITE ? "sink.json" : "sink-" + this + ".json";
  }

  /** The modules under {@code testbed} whose services it needs. */
  List<String> services() {
    return switch (this) {
      case SQLITE -> List.of();
      case POSTGRES -> List.of("catalog-postgres");
      case REST -> List.of("catalog-rest");
      case REST_S3 -> List.of("object-store", "catalog-rest");
    };
  }
}
