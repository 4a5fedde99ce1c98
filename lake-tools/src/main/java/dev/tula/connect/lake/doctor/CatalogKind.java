package dev.tula.connect.lake.doctor;

import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The catalogs that are told apart, by the properties that lead to them. */
public enum CatalogKind {
  /** Amazon S3 Tables, by its own REST endpoint. */
  S3_TABLES("S3 Tables"),
  /** Google's BigLake, by its REST endpoint. */
  BIG_LAKE("BigLake"),
  /** The AWS Glue Data Catalog, by its REST endpoint. */
  GLUE_REST("Glue's REST endpoint"),
  /** The AWS Glue Data Catalog, by its own API. */
  GLUE("Glue"),
  /** Nessie, by its own API. */
  NESSIE("Nessie"),
  /** A database. */
  JDBC("JDBC"),
  /** Any other REST catalog. */
  REST("REST"),
  /** A Hive metastore. */
  HIVE("Hive"),
  /** A folder, whose renames are the commits. */
  HADOOP("Hadoop"),
  /** BigQuery's metastore, by its own API. */
  BIG_QUERY("BigQuery"),
  /** A class that nobody here knows, or none. */
  OTHER("other");

  private static final Pattern S3_TABLES_HOST =
      Pattern.compile("https?://s3tables(-fips)?\\.[^/]*amazonaws\\.com.*");
  private static final Pattern GLUE_HOST =
      Pattern.compile("https?://glue(-fips)?\\.[^/]*amazonaws\\.com.*");
  private static final Pattern BIG_LAKE_HOST =
      Pattern.compile("https?://biglake\\.([^/]*\\.)?googleapis\\.com.*");

  private static final long BIG_LAKE_METADATA_BYTES = 1L << 20;
  private static final long GLUE_METADATA_BYTES = 20L << 20;

  private final String words;

  CatalogKind(String words) {
    this.words = words;
  }

  /** As people call it. */
  public String words() {
    return words;
  }

  boolean isRest() {
    return this == S3_TABLES || this == BIG_LAKE || this == GLUE_REST || this == REST;
  }

  /**
   * The largest metadata file, in bytes, that the service says it takes. Google's page on
   * troubleshooting Lakehouse for Apache Iceberg has 1 MB for BigLake; AWS's limitations of Glue's
   * Iceberg REST API have 20 MB.
   */
  OptionalLong metadataLimitBytes() {
    return switch (this) {
      case BIG_LAKE -> OptionalLong.of(BIG_LAKE_METADATA_BYTES);
      case GLUE_REST -> OptionalLong.of(GLUE_METADATA_BYTES);
      default -> OptionalLong.empty();
    };
  }

  /**
   * Tells the kind.
   *
   * @param catalog the catalog's properties, by Iceberg's own names
   */
  static CatalogKind of(Map<String, String> catalog) {
    CatalogKind byClient = byClient(catalog);
    return byClient == REST ? ofRest(catalog) : byClient;
  }

  private static CatalogKind byClient(Map<String, String> catalog) {
    String implementation = catalog.getOrDefault("catalog-impl", "");
    String type =
        implementation.isEmpty()
            ? catalog.getOrDefault("type", "").toLowerCase(Locale.ROOT)
            : implementation;
    return switch (type) {
      case "rest", "org.apache.iceberg.rest.RESTCatalog" -> REST;
      case "jdbc", "org.apache.iceberg.jdbc.JdbcCatalog" -> JDBC;
      case "glue", "org.apache.iceberg.aws.glue.GlueCatalog" -> GLUE;
      case "nessie", "org.apache.iceberg.nessie.NessieCatalog" -> NESSIE;
      case "hive", "org.apache.iceberg.hive.HiveCatalog" -> HIVE;
      case "hadoop", "org.apache.iceberg.hadoop.HadoopCatalog" -> HADOOP;
      case "bigquery", "org.apache.iceberg.gcp.bigquery.BigQueryMetastoreCatalog" -> BIG_QUERY;
      default -> OTHER;
    };
  }

  private static CatalogKind ofRest(Map<String, String> catalog) {
    String uri = catalog.getOrDefault("uri", "").toLowerCase(Locale.ROOT);
    String signingName = catalog.getOrDefault("rest.signing-name", "");
    if (GLUE_HOST.matcher(uri).matches()) {
      return GLUE_REST;
    }
    if (S3_TABLES_HOST.matcher(uri).matches()
        || signingName.equals("s3tables")
        || S3TablesArn.isMeant(catalog.getOrDefault("warehouse", ""))) {
      return S3_TABLES;
    }
    if (BIG_LAKE_HOST.matcher(uri).matches()) {
      return BIG_LAKE;
    }
    return signingName.equals("glue") ? GLUE_REST : REST;
  }
}
