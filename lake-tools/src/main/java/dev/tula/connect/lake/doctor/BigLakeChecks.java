package dev.tula.connect.lake.doctor;

import static dev.tula.connect.lake.doctor.Setup.CATALOG_PREFIX;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What is particular about BigLake. Where it is from: Google's pages on the Iceberg REST catalog
 * endpoint of the Lakehouse runtime catalog, and the properties that they name for Spark.
 */
final class BigLakeChecks {
  private static final String HEADER = "header.x-goog-user-project";
  private static final String AUTH = "rest.auth.type";
  private static final String WAREHOUSE = CATALOG_PREFIX + "warehouse";
  private static final String DELEGATION = "header.x-iceberg-access-delegation";
  private static final Set<String> GOOGLE =
      Set.of("google", "org.apache.iceberg.gcp.auth.googleauthmanager");
  private static final Pattern BUCKET = Pattern.compile("gs://[^/]+/?");
  private static final Pattern CATALOG = Pattern.compile("bl://projects/[^/]+/catalogs/[^/]+/?");

  private BigLakeChecks() {}

  /** Without it the API refuses the first request already. */
  static void project(Setup setup, Findings findings) {
    if (setup.kind() != CatalogKind.BIG_LAKE) {
      return;
    }
    Optional<String> project =
        setup.catalog().entrySet().stream()
            .filter(entry -> entry.getKey().toLowerCase(Locale.ROOT).equals(HEADER))
            .map(Map.Entry::getValue)
            .filter(value -> !value.isBlank())
            .findFirst();
    if (project.isPresent()) {
      findings.ok(CATALOG_PREFIX + HEADER, project.get());
    } else {
      findings.fail(
          CATALOG_PREFIX + HEADER,
          "not set",
          "Set it to the Google Cloud project that the requests are charged to: BigLake refuses"
              + " those without.");
    }
  }

  static void authentication(Setup setup, Findings findings) {
    if (setup.kind() != CatalogKind.BIG_LAKE) {
      return;
    }
    String key = CATALOG_PREFIX + AUTH;
    Optional<String> type = setup.catalog(AUTH);
    if (type.filter(value -> GOOGLE.contains(value.toLowerCase(Locale.ROOT))).isPresent()) {
      findings.ok(key, type.get());
    } else if (setup.catalog("token").isPresent() && setup.catalog("credential").isEmpty()) {
      findings.fail(
          key,
          "a fixed token",
          "Set it to google: Google's tokens end after an hour, and nothing here renews this one.");
    } else if (setup.catalog("credential").isPresent()) {
      findings.warn(
          key,
          type.orElse("not set, which is oauth2"),
          "Set it to google, which takes the machine's own credentials and renews them; another way"
              + " was never tried.");
    } else {
      findings.fail(
          key,
          type.orElse("not set, and no credential"),
          "Set it to google, which takes the machine's own credentials and renews them.");
    }
  }

  static void warehouse(Setup setup, Findings findings) {
    if (setup.kind() != CatalogKind.BIG_LAKE) {
      return;
    }
    Optional<String> warehouse = setup.catalog("warehouse");
    if (warehouse.filter(BigLakeChecks::isCatalog).isPresent()) {
      findings.ok(WAREHOUSE, warehouse.get());
    } else {
      findings.fail(
          WAREHOUSE,
          warehouse.orElse("not set"),
          "Set it to the catalog's bucket, as in gs://lake, without a folder, or to"
              + " bl://projects/<project>/catalogs/<catalog> for a catalog of several buckets.");
    }
  }

  private static boolean isCatalog(String warehouse) {
    return BUCKET.matcher(warehouse).matches() || CATALOG.matcher(warehouse).matches();
  }

  /** Storage tokens that the catalog hands out, which Google says only GCSFileIO takes. */
  static void vendedCredentials(Setup setup, Findings findings) {
    boolean vended =
        setup.catalog().entrySet().stream()
            .anyMatch(
                entry ->
                    entry.getKey().toLowerCase(Locale.ROOT).equals(DELEGATION)
                        && entry.getValue().contains("vended-credentials"));
    if (setup.kind() != CatalogKind.BIG_LAKE || !vended) {
      return;
    }
    String key = CATALOG_PREFIX + "io-impl";
    if (setup.catalog("io-impl").filter(CatalogChecks.GCS_FILE_IO::equals).isPresent()) {
      findings.ok(key, "takes the storage tokens that the catalog hands out");
    } else {
      findings.warn(
          key,
          setup.catalog("io-impl").orElse("not set"),
          "Set it to " + CatalogChecks.GCS_FILE_IO + ", which vended credentials need.");
    }
  }
}
