package dev.tula.connect.lake.doctor;

import static dev.tula.connect.lake.doctor.Setup.CATALOG_PREFIX;
import static dev.tula.connect.lake.doctor.Setup.CREATE_PREFIX;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is particular about S3 Tables and Glue's REST endpoint. Where it is from: the user guide of
 * Amazon S3, on the S3 Tables Iceberg REST endpoint, on naming rules, and on considerations for
 * maintenance; the guide of AWS Glue, on its Iceberg REST endpoint.
 */
final class AwsChecks {
  private static final String SIGV4 = CATALOG_PREFIX + "rest.sigv4-enabled";
  private static final String SIGNING_NAME = "rest.signing-name";
  private static final String SIGNING_REGION = "rest.signing-region";
  private static final String CLIENT_REGION = "client.region";
  private static final String WAREHOUSE = "warehouse";
  private static final String NAMESPACE = "iceberg.namespace";
  private static final String COMPRESSION = "write.parquet.compression-codec";
  private static final Pattern HOST_REGION =
      Pattern.compile("https?://(?:s3tables|glue)(?:-fips)?\\.([a-z0-9-]+)\\..*");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9_]{0,253}[a-z0-9])?");

  /** A policy of these in a table's properties, if longer than its own, ends S3's. */
  private static final List<String> RETENTION =
      List.of("history.expire.max-snapshot-age-ms", "history.expire.min-snapshots-to-keep");

  private static final Set<String> NOT_COMPACTED = Set.of("brotli", "lz4");

  private AwsChecks() {}

  private static boolean isSignedFor(Setup setup) {
    return setup.kind() == CatalogKind.S3_TABLES || setup.kind() == CatalogKind.GLUE_REST;
  }

  /** Requests must be signed, and for the right service. */
  static void signing(Setup setup, Findings findings) {
    if (!isSignedFor(setup)) {
      return;
    }
    String service = setup.kind() == CatalogKind.S3_TABLES ? "s3tables" : "glue";
    if (CatalogChecks.isSigned(setup.catalog())) {
      findings.ok(SIGV4, "requests are signed");
    } else {
      findings.fail(SIGV4, "not true", "Set it to true: every request must be signed by SigV4.");
    }
    String name = setup.catalog(SIGNING_NAME).orElse("not set, which is execute-api");
    if (name.equals(service)) {
      findings.ok(CATALOG_PREFIX + SIGNING_NAME, name);
    } else {
      findings.fail(
          CATALOG_PREFIX + SIGNING_NAME,
          name,
          "Set it to " + service + ": a signature for another service is refused with 403.");
    }
  }

  /** One bucket is in one region, and each of four places may name it. */
  static void region(Setup setup, Findings findings) {
    if (!isSignedFor(setup)) {
      return;
    }
    Optional<String> ofHost = hostRegion(setup.catalog("uri").orElse(""));
    Optional<String> ofBucket =
        setup.catalog(WAREHOUSE).flatMap(S3TablesArn::parse).map(S3TablesArn::region);
    Optional<String> wanted = ofHost.or(() -> ofBucket);
    if (wanted.isEmpty()) {
      findings.skip(
          CATALOG_PREFIX + SIGNING_REGION,
          "neither the endpoint nor the warehouse names a region",
          "Compare it with the service's region yourself.");
      return;
    }
    ofBucket
        .filter(region -> !region.equals(wanted.get()))
        .ifPresent(
            region ->
                findings.fail(
                    CATALOG_PREFIX + WAREHOUSE,
                    region + ", and the endpoint is in " + wanted.get(),
                    "Set iceberg.catalog.uri to the endpoint of the bucket's region."));
    compare(setup, SIGNING_REGION, wanted.get(), findings);
    compare(setup, CLIENT_REGION, wanted.get(), findings);
    if (findings.isEmpty()) {
      findings.ok(CATALOG_PREFIX + SIGNING_REGION, wanted.get());
    }
  }

  private static Optional<String> hostRegion(String uri) {
    Matcher matcher = HOST_REGION.matcher(uri.toLowerCase(Locale.ROOT));
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  /** That it may be missing is for another check to say, of the client's. */
  private static void compare(Setup setup, String property, String wanted, Findings findings) {
    Optional<String> configured = setup.catalog(property);
    if (configured.isPresent() && !configured.get().equals(wanted)) {
      findings.fail(
          CATALOG_PREFIX + property,
          configured.get() + ", and the service is in " + wanted,
          "Set it to " + wanted + ".");
    } else if (configured.isEmpty() && property.equals(SIGNING_REGION)) {
      findings.warn(
          CATALOG_PREFIX + property,
          "not set, so it comes from the environment",
          "Set it to " + wanted + ".");
    }
  }

  static void warehouse(Setup setup, Findings findings) {
    if (setup.kind() != CatalogKind.S3_TABLES) {
      return;
    }
    String key = CATALOG_PREFIX + WAREHOUSE;
    Optional<String> configured = setup.catalog(WAREHOUSE);
    if (configured.flatMap(S3TablesArn::parse).isPresent()) {
      findings.ok(key, "a table bucket's ARN");
    } else {
      findings.fail(
          key,
          configured.orElse("not set"),
          "Set it to the table bucket's ARN, as in"
              + " arn:aws:s3tables:eu-central-1:111122223333:bucket/lake.");
    }
  }

  static void namespace(Setup setup, Findings findings) {
    if (setup.kind() != CatalogKind.S3_TABLES || setup.sink(NAMESPACE).isEmpty()) {
      return;
    }
    String namespace = setup.sink(NAMESPACE).get();
    if (NAME.matcher(namespace).matches() && !namespace.startsWith("aws")) {
      findings.ok(NAMESPACE, namespace);
    } else {
      findings.fail(
          NAMESPACE,
          namespace,
          "S3 Tables takes one level of small letters, digits and _, with a letter or digit at both"
              + " ends, that does not begin with aws: choose another before the first start.");
    }
  }

  /** S3 Tables compacts and expires by itself, unless it is kept from it. */
  static void upkeep(Setup setup, Findings findings) {
    if (setup.kind() != CatalogKind.S3_TABLES) {
      return;
    }
    for (String property : RETENTION) {
      setup
          .create(property)
          .ifPresent(
              value ->
                  findings.warn(
                      CREATE_PREFIX + property,
                      value,
                      "Leave it out, and set it in the table's maintenance configuration: S3 Tables"
                          + " stops expiring where a table's own properties keep snapshots for"
                          + " longer than that."));
    }
    setup
        .create(COMPRESSION)
        .filter(codec -> NOT_COMPACTED.contains(codec.toLowerCase(Locale.ROOT)))
        .ifPresent(
            codec ->
                findings.warn(
                    CREATE_PREFIX + COMPRESSION,
                    codec,
                    "Leave it out, which is zstd: S3 Tables does not compact files of this"
                        + " codec."));
    if (setup.cleanup().every().isPresent()) {
      findings.warn(
          "--cleanup-every",
          "a cleanup beside the service's own",
          "Schedule neither tula-lake cleanup nor compact: S3 Tables expires and compacts by itself,"
              + " and the sink bears it.");
    }
    if (findings.isEmpty()) {
      findings.ok(
          CREATE_PREFIX + "history.expire.*",
          "left to S3 Tables, as is compaction; a tag with a retention would end it");
    }
  }
}
