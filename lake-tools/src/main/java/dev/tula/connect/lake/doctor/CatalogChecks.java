package dev.tula.connect.lake.doctor;

import static dev.tula.connect.lake.doctor.Setup.CATALOG_PREFIX;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What any catalog needs. */
final class CatalogChecks {
  private static final String TYPE = CATALOG_PREFIX + "type";
  private static final String URI = "uri";
  private static final String WAREHOUSE = "warehouse";
  private static final String IO_IMPL = "io-impl";
  private static final String CLIENT_REGION = "client.region";
  private static final String SNAPSHOT_MODE = "snapshot-loading-mode";
  private static final String S3_FILE_IO = "org.apache.iceberg.aws.s3.S3FileIO";
  static final String GCS_FILE_IO = "org.apache.iceberg.gcp.gcs.GCSFileIO";
  private static final String RESOLVING_FILE_IO = "org.apache.iceberg.io.ResolvingFileIO";
  private static final Set<String> S3_SCHEMES = Set.of("s3", "s3a", "s3n", "arn");
  private static final Set<String> GCS_SCHEMES = Set.of("gs", "bl", "bq");

  private CatalogChecks() {}

  static void kind(Setup setup, Findings findings) {
    switch (setup.kind()) {
      case NESSIE, HIVE, BIG_QUERY ->
          findings.warn(
              TYPE,
              setup.kind().words() + ", whose client is not in the zip",
              "Put its jars into the plugin's lib folder and tula-lake's, or use the catalog's REST"
                  + " endpoint, if it has one; nothing was ever tried with it.");
      case HADOOP -> hadoop(setup, findings);
      case OTHER -> other(setup, findings);
      default -> findings.ok(TYPE, setup.kind().words());
    }
  }

  /** Of an object store's rename Iceberg itself says that it is not atomic. */
  private static void hadoop(Setup setup, Findings findings) {
    String scheme = scheme(setup.catalog(WAREHOUSE).orElse(""));
    String seen = "hadoop, whose commits are renames of files";
    if (S3_SCHEMES.contains(scheme) || GCS_SCHEMES.contains(scheme)) {
      findings.fail(
          TYPE,
          seen,
          "An object store's rename is not atomic, and two writers may both succeed: use another"
              + " catalog.");
    } else {
      findings.warn(
          TYPE, seen, "Use it only where every writer's file system renames atomically, as HDFS.");
    }
  }

  private static void other(Setup setup, Findings findings) {
    Optional<String> implementation = setup.catalog("catalog-impl");
    if (implementation.isPresent()) {
      findings.warn(
          CATALOG_PREFIX + "catalog-impl",
          implementation.get(),
          "Nothing is known of it here: it must swap a table's metadata atomically, and its jars"
              + " belong into the plugin's lib folder.");
    } else {
      findings.fail(
          TYPE,
          setup.catalog("type").map(type -> type + ", which Iceberg has not").orElse("not set"),
          "Set it to rest, jdbc or glue, or set iceberg.catalog.catalog-impl.");
    }
  }

  /** What the catalog can't do without. */
  static void address(Setup setup, Findings findings) {
    switch (setup.kind()) {
      case REST, S3_TABLES, BIG_LAKE, GLUE_REST -> require(setup, URI, findings);
      case JDBC -> {
        require(setup, URI, findings);
        require(setup, WAREHOUSE, findings);
      }
      case GLUE, HADOOP -> require(setup, WAREHOUSE, findings);
      default -> {
        return;
      }
    }
  }

  private static void require(Setup setup, String property, Findings findings) {
    if (setup.catalog(property).isEmpty()) {
      findings.fail(
          CATALOG_PREFIX + property,
          "not set",
          "A " + setup.kind().words() + " catalog needs it: set it.");
    } else {
      findings.ok(CATALOG_PREFIX + property, "is set");
    }
  }

  /** Storage and the class that reads and writes it must go together. */
  static void fileIo(Setup setup, Findings findings) {
    String key = CATALOG_PREFIX + IO_IMPL;
    String scheme = scheme(setup.catalog(WAREHOUSE).orElse(""));
    Optional<String> configured = setup.catalog(IO_IMPL);
    if (configured.isEmpty() || configured.get().equals(RESOLVING_FILE_IO)) {
      findings.ok(key, "follows from the scheme of each location");
      return;
    }
    String fileIo = configured.get();
    if (isS3(setup, scheme) && !fileIo.equals(S3_FILE_IO)) {
      wrong(key, fileIo, "S3", S3_FILE_IO, findings);
    } else if (isGcs(setup, scheme) && !fileIo.equals(GCS_FILE_IO)) {
      wrong(key, fileIo, "Cloud Storage", GCS_FILE_IO, findings);
    } else if (scheme.equals("file") && Set.of(S3_FILE_IO, GCS_FILE_IO).contains(fileIo)) {
      findings.fail(key, shortName(fileIo) + ", and the warehouse is on a disk", "Leave it out.");
    } else {
      findings.ok(key, shortName(fileIo));
    }
  }

  private static boolean isS3(Setup setup, String scheme) {
    return setup.kind() == CatalogKind.S3_TABLES || S3_SCHEMES.contains(scheme);
  }

  private static boolean isGcs(Setup setup, String scheme) {
    return setup.kind() == CatalogKind.BIG_LAKE || GCS_SCHEMES.contains(scheme);
  }

  private static void wrong(
      String key, String fileIo, String storage, String wanted, Findings findings) {
    String seen = shortName(fileIo) + ", and the tables are in " + storage;
    String advice = "Set it to " + wanted + ", or leave it out.";
    if (Set.of(S3_FILE_IO, GCS_FILE_IO).contains(fileIo)) {
      findings.fail(key, seen, advice);
    } else {
      findings.warn(key, seen, advice + " Its jars are not in the zip, and it was never tried.");
    }
  }

  private static String shortName(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  /** The SDK takes the region from its environment where nobody names it. */
  static void region(Setup setup, Findings findings) {
    boolean aws =
        setup.kind() == CatalogKind.GLUE
            || setup.kind() == CatalogKind.S3_TABLES
            || S3_SCHEMES.contains(scheme(setup.catalog(WAREHOUSE).orElse("")))
            || setup.catalog(IO_IMPL).filter(S3_FILE_IO::equals).isPresent();
    if (!aws) {
      return;
    }
    String key = CATALOG_PREFIX + CLIENT_REGION;
    Optional<String> region = setup.catalog(CLIENT_REGION);
    if (region.isPresent()) {
      findings.ok(key, region.get());
    } else {
      findings.warn(
          key,
          "not set",
          "Set it, or see to it that every worker, and whoever runs tula-lake, has AWS_REGION.");
    }
  }

  static void snapshotLoading(Setup setup, Findings findings) {
    if (!setup.kind().isRest()) {
      return;
    }
    String key = CATALOG_PREFIX + SNAPSHOT_MODE;
    Optional<String> configured = setup.catalog(SNAPSHOT_MODE);
    String mode = configured.orElse("all").toLowerCase(Locale.ROOT);
    if (mode.equals("all") || mode.equals("refs")) {
      findings.ok(
          key,
          mode.equals("all")
              ? "all snapshots with each load"
              : "referenced snapshots with each load, the others when they are needed");
    } else {
      findings.fail(key, configured.get(), "Iceberg knows all and refs: set one, or leave it out.");
    }
  }

  /** SQLite has one writer at a time, and a waiting one must be told to wait. */
  static void sqlite(Setup setup, Findings findings) {
    Optional<String> uri = setup.catalog(URI).filter(value -> value.startsWith("jdbc:sqlite:"));
    if (setup.kind() != CatalogKind.JDBC || uri.isEmpty()) {
      return;
    }
    if (!uri.get().contains("busy_timeout=")) {
      findings.warn(
          CATALOG_PREFIX + URI,
          "SQLite without busy_timeout",
          "Add ?busy_timeout=20000 to it, or commits fail while another one runs.");
    }
    if (!setup.catalog("clients").orElse("").equals("1")) {
      findings.warn(
          CATALOG_PREFIX + "clients",
          setup.catalog("clients").orElse("not set, which is 2"),
          "Set it to 1: SQLite locks the whole file, and connections of one pool wait for each"
              + " other.");
    }
    if (findings.isEmpty()) {
      findings.ok(CATALOG_PREFIX + URI, "SQLite with one connection that waits");
    }
  }

  /** What a location begins with, in small letters; {@code file} for a plain path. */
  static String scheme(String location) {
    int colon = location.indexOf(':');
    if (location.startsWith("/")) {
      return "file";
    }
    return colon < 0 ? "" : location.substring(0, colon).toLowerCase(Locale.ROOT);
  }

  /** Whether requests are signed by SigV4, by either of the two keys that Iceberg takes for it. */
  static boolean isSigned(Map<String, String> catalog) {
    return "true".equalsIgnoreCase(catalog.get("rest.sigv4-enabled"))
        || "sigv4".equalsIgnoreCase(catalog.get("rest.auth.type"))
        || "org.apache.iceberg.aws.RESTSigV4AuthManager".equals(catalog.get("rest.auth.type"));
  }
}
