package dev.tula.connect.lake.doctor;

import java.util.List;

/**
 * Examines a pipeline's configurations without a network. The checks are independent of each other,
 * and each says everything that it finds.
 */
public final class Doctor {
  private static final List<Check> CHECKS =
      List.of(
          new Check("sink.config", OwnValidation::sink),
          new Check("source.config", OwnValidation::source),
          new Check("pair.identity", PairChecks::identity),
          new Check("pair.topics", PairChecks::topics),
          new Check("pair.converter", PairChecks::converter),
          new Check("pair.transforms", PairChecks::transforms),
          new Check("catalog.kind", CatalogChecks::kind),
          new Check("catalog.address", CatalogChecks::address),
          new Check("catalog.file-io", CatalogChecks::fileIo),
          new Check("catalog.region", CatalogChecks::region),
          new Check("catalog.snapshot-loading", CatalogChecks::snapshotLoading),
          new Check("catalog.sqlite", CatalogChecks::sqlite),
          new Check("aws.signing", AwsChecks::signing),
          new Check("aws.region", AwsChecks::region),
          new Check("s3tables.warehouse", AwsChecks::warehouse),
          new Check("s3tables.namespace", AwsChecks::namespace),
          new Check("s3tables.upkeep", AwsChecks::upkeep),
          new Check("biglake.project", BigLakeChecks::project),
          new Check("biglake.authentication", BigLakeChecks::authentication),
          new Check("biglake.warehouse", BigLakeChecks::warehouse),
          new Check("biglake.vended-credentials", BigLakeChecks::vendedCredentials),
          new Check("snapshots.metadata", RetentionChecks::metadata),
          new Check("snapshots.garbage", RetentionChecks::garbage),
          new Check("snapshots.pins", RetentionChecks::pins),
          new Check("topics.retention", TopicChecks::retention),
          new Check("topics.replicas", TopicChecks::replicas),
          new Check("sink.isolation", WorkerChecks::isolation),
          new Check("source.transaction-timeout", WorkerChecks::transactionTimeout),
          new Check("worker.exactly-once", WorkerChecks::exactlyOnce),
          new Check("worker.override-policy", WorkerChecks::overridePolicy),
          new Check("worker.plugin-discovery", WorkerChecks::pluginDiscovery),
          new Check("worker.plugin-path", WorkerChecks::pluginPath),
          new Check("worker.storage", WorkerChecks::storage),
          new Check("worker.offset-flush", WorkerChecks::offsetFlush));

  private Doctor() {}

  /** The ids of all checks, in their order. */
  public static List<String> checks() {
    return CHECKS.stream().map(Check::id).toList();
  }

  /** What every check that applies to a setup finds, in the checks' order. */
  public static List<Finding> examine(Setup setup) {
    return CHECKS.stream().flatMap(check -> check.examine(setup).stream()).toList();
  }
}
