package dev.tula.connect.lake.doctor;

import static dev.tula.connect.lake.doctor.Verdict.FAIL;
import static dev.tula.connect.lake.doctor.Verdict.OK;
import static dev.tula.connect.lake.doctor.Verdict.SKIPPED;
import static dev.tula.connect.lake.doctor.Verdict.WARN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.config.ResolvedConfigs;
import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import dev.tula.connect.source.TulaSourceConnector;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** For each check a configuration that passes it, and those that do not. */
class DoctorTest {
  private static final String ARN = "arn:aws:s3tables:eu-central-1:111122223333:bucket/lake";
  private static final String CREATE = "iceberg.tables.auto-create-props.";

  /**
   * A change of a sound configuration, and what one check then says.
   *
   * @param base the catalog
   * @param changes each {@code sink:key=value}, {@code source:…} or {@code worker:…}; without a
   *     value the key goes; {@code no source} and {@code no worker}; {@code every=…} and {@code
   *     olderThan=…} in ISO's form
   * @param check its id
   * @param key which it names
   * @param verdict what it comes to
   */
  record Case(Base base, List<String> changes, String check, String key, Verdict verdict) {
    @Override
    public String toString() {
      return check + " on " + base + " with " + changes + ": " + verdict + " at " + key;
    }

    Setup setup() {
      return base.setup(changes);
    }
  }

  private static Case on(Base base, String check, String key, Verdict verdict, String... changes) {
    return new Case(base, List.of(changes), check, key, verdict);
  }

  /** Sound configurations, as docs/deploy.md has them. */
  enum Base {
    JDBC("type=jdbc", "uri=jdbc:postgresql://db/iceberg", "warehouse=s3://lake", "client.region=x"),
    SQLITE(
        "type=jdbc",
        "uri=jdbc:sqlite:/lake.db?busy_timeout=20000",
        "clients=1",
        "warehouse=file:///lake"),
    REST("type=rest", "uri=https://catalog.example.com", "warehouse=s3://lake", "client.region=x"),
    GLUE("type=glue", "warehouse=s3://lake", "client.region=eu-central-1"),
    GLUE_REST(
        "type=rest",
        "uri=https://glue.eu-central-1.amazonaws.com/iceberg",
        "warehouse=111122223333",
        "rest.sigv4-enabled=true",
        "rest.signing-name=glue",
        "rest.signing-region=eu-central-1"),
    S3_TABLES(
        "type=rest",
        "uri=https://s3tables.eu-central-1.amazonaws.com/iceberg",
        "warehouse=" + ARN,
        "rest.sigv4-enabled=true",
        "rest.signing-name=s3tables",
        "rest.signing-region=eu-central-1",
        "io-impl=org.apache.iceberg.aws.s3.S3FileIO",
        "client.region=eu-central-1"),
    BIG_LAKE(
        "type=rest",
        "uri=https://biglake.googleapis.com/iceberg/v1/restcatalog",
        "warehouse=gs://lake",
        "rest.auth.type=google",
        "header.x-goog-user-project=our-project",
        "io-impl=org.apache.iceberg.gcp.gcs.GCSFileIO");

    private final List<String> catalog;

    Base(String... catalog) {
      this.catalog = List.of(catalog);
    }

    Setup setup(List<String> changes) {
      Map<String, String> sink = new HashMap<>(SINK);
      catalog.forEach(property -> put(sink, "iceberg.catalog." + property));
      Map<String, String> source = new HashMap<>(SOURCE);
      Map<String, String> worker = new HashMap<>(WORKER);
      changes.forEach(
          change -> {
            Map<String, Map<String, String>> of =
                Map.of("sink", sink, "source", source, "worker", worker);
            int colon = change.indexOf(':');
            if (colon > 0 && of.containsKey(change.substring(0, colon))) {
              put(of.get(change.substring(0, colon)), change.substring(colon + 1));
            }
          });
      return new Setup(
          new ResolvedConfigs(
              sink,
              changes.contains("no source") ? Optional.empty() : Optional.of(source),
              changes.contains("no worker") ? Optional.empty() : Optional.of(worker)),
          plan(changes));
    }

    private static void put(Map<String, String> properties, String assignment) {
      int equals = assignment.indexOf('=');
      if (equals < 0) {
        properties.remove(assignment);
      } else {
        properties.put(assignment.substring(0, equals), assignment.substring(equals + 1));
      }
    }

    private static CleanupPlan plan(List<String> changes) {
      return new CleanupPlan(
          option(changes, "every="), option(changes, "olderThan=").orElse(Duration.ofDays(5)), 10);
    }

    private static Optional<Duration> option(List<String> changes, String prefix) {
      return changes.stream()
          .filter(change -> change.startsWith(prefix))
          .map(change -> Duration.parse(change.substring(prefix.length())))
          .findFirst();
    }
  }

  private static final Map<String, String> SINK =
      Map.ofEntries(
          Map.entry("name", "tula-sink"),
          Map.entry("connector.class", IcebergExactlyOnceSinkConnector.class.getName()),
          Map.entry("topics", "ledger.data"),
          Map.entry("value.converter", "dev.tula.connect.model.LedgerConverter"),
          Map.entry("consumer.override.isolation.level", "read_committed"),
          Map.entry("iceberg.namespace", "ledger"),
          Map.entry("tula.cluster.id", "cluster-1"),
          Map.entry("tula.pipeline", "ledger"));

  private static final Map<String, String> SOURCE =
      Map.ofEntries(
          Map.entry("name", "tula-source"),
          Map.entry("connector.class", TulaSourceConnector.class.getName()),
          Map.entry("value.converter", "dev.tula.connect.model.LedgerConverter"),
          Map.entry("exactly.once.support", "required"),
          Map.entry("transaction.boundary", "interval"),
          Map.entry("transaction.boundary.interval.ms", "500"),
          Map.entry("tula.hosts", "127.0.0.1:1"),
          Map.entry("tula.cluster.id", "cluster-1"),
          Map.entry("tula.pipeline", "ledger"),
          Map.entry("tula.topic", "ledger.data"),
          Map.entry("tula.kafka.bootstrap.servers", "127.0.0.1:1"));

  private static final Map<String, String> WORKER =
      Map.of(
          "bootstrap.servers", "127.0.0.1:1",
          "group.id", "connect",
          "plugin.path", "/opt/connect/plugins",
          "plugin.discovery", "service_load",
          "exactly.once.source.support", "enabled",
          "connector.client.config.override.policy", "All");

  static Stream<Case> cases() {
    return Stream.of(connectors(), catalogs(), aws(), bigLake(), snapshots(), topics(), workers())
        .flatMap(List::stream);
  }

  private static List<Case> connectors() {
    String same = "pair.identity";
    String topics = "pair.topics";
    String converter = "value.converter";
    String json = "=org.apache.kafka.connect.json.JsonConverter";
    return List.of(
        on(Base.JDBC, "sink.config", "tula.*, iceberg.*", OK),
        on(Base.JDBC, "sink.config", "tula.generation", FAIL, "sink:tula.generation=0"),
        on(Base.JDBC, "sink.config", "tula.layuot", FAIL, "sink:tula.layuot=shared"),
        on(Base.JDBC, "source.config", "tula.*", OK),
        on(Base.JDBC, "source.config", "tula.*", SKIPPED, "no source"),
        on(Base.JDBC, "source.config", "tula.hosts", FAIL, "source:tula.hosts"),
        on(Base.JDBC, "source.config", "errors.tolerance", FAIL, "source:errors.tolerance=all"),
        on(Base.JDBC, "source.config", "connector.class", FAIL, "source:connector.class=Other"),
        on(Base.JDBC, same, "tula.pipeline", OK),
        on(Base.JDBC, same, "tula.pipeline", SKIPPED, "no source"),
        on(Base.JDBC, same, "tula.pipeline", SKIPPED, "sink:tula.generation=0"),
        on(Base.JDBC, same, "tula.pipeline", FAIL, "source:tula.pipeline=other"),
        on(Base.JDBC, same, "tula.cluster.id", FAIL, "sink:tula.cluster.id=other"),
        on(Base.JDBC, same, "tula.partition.count", FAIL, "sink:tula.partition.count=2"),
        on(Base.JDBC, same, "tula.include.metadata", FAIL, "sink:tula.include.metadata=true"),
        on(Base.JDBC, topics, "topics", OK),
        on(Base.JDBC, topics, "tula.checkpoints.topic", OK),
        on(Base.JDBC, topics, "topics", FAIL, "sink:topics=other"),
        on(
            Base.JDBC,
            topics,
            "tula.checkpoints.topic",
            FAIL,
            "source:tula.checkpoints.topic=other"),
        on(
            Base.JDBC,
            topics,
            "topics",
            OK,
            "source:tula.generation=2",
            "sink:tula.generation=2",
            "sink:topics=ledger.data.g2"),
        on(Base.JDBC, "pair.converter", converter, OK),
        on(Base.JDBC, "pair.converter", converter, OK, "source:value.converter=Ledger"),
        on(Base.JDBC, "pair.converter", converter, FAIL, "source:value.converter" + json),
        on(
            Base.JDBC,
            "pair.converter",
            converter + ".schemas.enable",
            FAIL,
            "sink:value.converter" + json,
            "sink:value.converter.schemas.enable=false"),
        on(Base.JDBC, "pair.converter", converter, FAIL, "sink:value.converter=StringConverter"),
        on(
            Base.JDBC,
            "pair.converter",
            converter,
            FAIL,
            "sink:value.converter",
            "worker:value.converter" + json),
        on(Base.JDBC, "pair.converter", converter, SKIPPED, "sink:value.converter"),
        on(Base.JDBC, "pair.transforms", "transforms", OK),
        on(Base.JDBC, "pair.transforms", "transforms", WARN, "sink:transforms=mask"),
        on(Base.JDBC, "pair.transforms", "transforms", WARN, "source:transforms=mask"));
  }

  private static List<Case> catalogs() {
    String type = "iceberg.catalog.type";
    String fileIo = "iceberg.catalog.io-impl";
    String s3 = "sink:" + fileIo + "=org.apache.iceberg.aws.s3.S3FileIO";
    String gcs = "sink:" + fileIo + "=org.apache.iceberg.gcp.gcs.GCSFileIO";
    String hadoop = "sink:" + fileIo + "=org.apache.iceberg.hadoop.HadoopFileIO";
    String mode = "iceberg.catalog.snapshot-loading-mode";
    return List.of(
        on(Base.REST, "catalog.kind", type, OK),
        on(Base.REST, "catalog.kind", type, WARN, "sink:iceberg.catalog.type=nessie"),
        on(Base.REST, "catalog.kind", type, FAIL, "sink:iceberg.catalog.type=hadoop"),
        on(
            Base.SQLITE,
            "catalog.kind",
            type,
            WARN,
            "sink:iceberg.catalog.type=hadoop",
            "sink:iceberg.catalog.warehouse=hdfs://nn/lake"),
        on(Base.REST, "catalog.kind", type, FAIL, "sink:iceberg.catalog.type=rset"),
        on(Base.REST, "catalog.kind", type, FAIL, "sink:iceberg.catalog.type"),
        on(
            Base.REST,
            "catalog.kind",
            "iceberg.catalog.catalog-impl",
            WARN,
            "sink:iceberg.catalog.catalog-impl=com.example.Own"),
        on(Base.JDBC, "catalog.address", "iceberg.catalog.uri", OK),
        on(Base.REST, "catalog.address", "iceberg.catalog.uri", FAIL, "sink:iceberg.catalog.uri"),
        on(
            Base.JDBC,
            "catalog.address",
            "iceberg.catalog.warehouse",
            FAIL,
            "sink:iceberg.catalog.warehouse"),
        on(
            Base.GLUE,
            "catalog.address",
            "iceberg.catalog.warehouse",
            FAIL,
            "sink:iceberg.catalog.warehouse="),
        on(Base.REST, "catalog.file-io", fileIo, OK),
        on(Base.S3_TABLES, "catalog.file-io", fileIo, OK),
        on(Base.S3_TABLES, "catalog.file-io", fileIo, FAIL, gcs),
        on(Base.BIG_LAKE, "catalog.file-io", fileIo, FAIL, s3),
        on(Base.SQLITE, "catalog.file-io", fileIo, FAIL, s3),
        on(Base.REST, "catalog.file-io", fileIo, WARN, hadoop),
        on(Base.GLUE, "catalog.region", "iceberg.catalog.client.region", OK),
        on(
            Base.GLUE,
            "catalog.region",
            "iceberg.catalog.client.region",
            WARN,
            "sink:iceberg.catalog.client.region"),
        on(Base.REST, "catalog.snapshot-loading", mode, OK),
        on(Base.REST, "catalog.snapshot-loading", mode, OK, "sink:" + mode + "=REFS"),
        on(Base.REST, "catalog.snapshot-loading", mode, FAIL, "sink:" + mode + "=ref"),
        on(Base.SQLITE, "catalog.sqlite", "iceberg.catalog.uri", OK),
        on(
            Base.SQLITE,
            "catalog.sqlite",
            "iceberg.catalog.uri",
            WARN,
            "sink:iceberg.catalog.uri=jdbc:sqlite:/lake.db"),
        on(
            Base.SQLITE,
            "catalog.sqlite",
            "iceberg.catalog.clients",
            WARN,
            "sink:iceberg.catalog.clients"));
  }

  private static List<Case> aws() {
    String sigv4 = "iceberg.catalog.rest.sigv4-enabled";
    String name = "iceberg.catalog.rest.signing-name";
    String region = "iceberg.catalog.rest.signing-region";
    String warehouse = "iceberg.catalog.warehouse";
    String maxAge = CREATE + "history.expire.max-snapshot-age-ms";
    String codec = CREATE + "write.parquet.compression-codec";
    return List.of(
        on(Base.S3_TABLES, "aws.signing", sigv4, OK),
        on(Base.S3_TABLES, "aws.signing", name, OK),
        on(Base.GLUE_REST, "aws.signing", name, OK),
        on(Base.S3_TABLES, "aws.signing", sigv4, FAIL, "sink:" + sigv4),
        on(
            Base.S3_TABLES,
            "aws.signing",
            sigv4,
            OK,
            "sink:" + sigv4,
            "sink:iceberg.catalog.rest.auth.type=sigv4"),
        on(Base.S3_TABLES, "aws.signing", name, FAIL, "sink:" + name),
        on(Base.S3_TABLES, "aws.signing", name, FAIL, "sink:" + name + "=s3"),
        on(Base.GLUE_REST, "aws.signing", name, FAIL, "sink:" + name + "=execute-api"),
        on(Base.S3_TABLES, "aws.region", region, OK),
        on(Base.S3_TABLES, "aws.region", region, FAIL, "sink:" + region + "=us-east-1"),
        on(Base.S3_TABLES, "aws.region", region, WARN, "sink:" + region),
        on(
            Base.S3_TABLES,
            "aws.region",
            "iceberg.catalog.client.region",
            FAIL,
            "sink:iceberg.catalog.client.region=us-east-1"),
        on(
            Base.S3_TABLES,
            "aws.region",
            warehouse,
            FAIL,
            "sink:" + warehouse + "=" + ARN.replace("eu-central-1", "us-east-1")),
        on(
            Base.S3_TABLES,
            "aws.region",
            region,
            SKIPPED,
            "sink:iceberg.catalog.uri=https://proxy.example.com",
            "sink:" + warehouse),
        on(Base.S3_TABLES, "s3tables.warehouse", warehouse, OK),
        on(Base.S3_TABLES, "s3tables.warehouse", warehouse, FAIL, "sink:" + warehouse),
        on(Base.S3_TABLES, "s3tables.warehouse", warehouse, FAIL, "sink:" + warehouse + "=s3://x"),
        on(
            Base.S3_TABLES,
            "s3tables.warehouse",
            warehouse,
            FAIL,
            "sink:" + warehouse + "=" + ARN + "/table/x"),
        on(Base.S3_TABLES, "s3tables.namespace", "iceberg.namespace", OK),
        on(
            Base.S3_TABLES,
            "s3tables.namespace",
            "iceberg.namespace",
            FAIL,
            "sink:iceberg.namespace=lake.ledger"),
        on(
            Base.S3_TABLES,
            "s3tables.namespace",
            "iceberg.namespace",
            FAIL,
            "sink:iceberg.namespace=Ledger"),
        on(
            Base.S3_TABLES,
            "s3tables.namespace",
            "iceberg.namespace",
            FAIL,
            "sink:iceberg.namespace=aws_ledger"),
        on(Base.S3_TABLES, "s3tables.upkeep", CREATE + "history.expire.*", OK),
        on(Base.S3_TABLES, "s3tables.upkeep", maxAge, WARN, "sink:" + maxAge + "=1"),
        on(Base.S3_TABLES, "s3tables.upkeep", codec, WARN, "sink:" + codec + "=LZ4"),
        on(Base.S3_TABLES, "s3tables.upkeep", "--cleanup-every", WARN, "every=PT1H"));
  }

  private static List<Case> bigLake() {
    String project = "iceberg.catalog.header.x-goog-user-project";
    String auth = "iceberg.catalog.rest.auth.type";
    String warehouse = "iceberg.catalog.warehouse";
    String fileIo = "iceberg.catalog.io-impl";
    String vended = "sink:iceberg.catalog.header.X-Iceberg-Access-Delegation=vended-credentials";
    return List.of(
        on(Base.BIG_LAKE, "biglake.project", project, OK),
        on(Base.BIG_LAKE, "biglake.project", project, FAIL, "sink:" + project),
        on(Base.BIG_LAKE, "biglake.project", project, FAIL, "sink:" + project + "= "),
        on(
            Base.BIG_LAKE,
            "biglake.project",
            project,
            OK,
            "sink:" + project,
            "sink:iceberg.catalog.header.X-Goog-User-Project=our-project"),
        on(Base.BIG_LAKE, "biglake.authentication", auth, OK),
        on(
            Base.BIG_LAKE,
            "biglake.authentication",
            auth,
            OK,
            "sink:" + auth + "=org.apache.iceberg.gcp.auth.GoogleAuthManager"),
        on(Base.BIG_LAKE, "biglake.authentication", auth, FAIL, "sink:" + auth),
        on(
            Base.BIG_LAKE,
            "biglake.authentication",
            auth,
            FAIL,
            "sink:" + auth,
            "sink:iceberg.catalog.token=ya29"),
        on(
            Base.BIG_LAKE,
            "biglake.authentication",
            auth,
            WARN,
            "sink:" + auth,
            "sink:iceberg.catalog.credential=a:b"),
        on(Base.BIG_LAKE, "biglake.warehouse", warehouse, OK),
        on(
            Base.BIG_LAKE,
            "biglake.warehouse",
            warehouse,
            OK,
            "sink:" + warehouse + "=bl://projects/p/catalogs/c"),
        on(Base.BIG_LAKE, "biglake.warehouse", warehouse, FAIL, "sink:" + warehouse),
        on(Base.BIG_LAKE, "biglake.warehouse", warehouse, FAIL, "sink:" + warehouse + "=gs://l/f"),
        on(Base.BIG_LAKE, "biglake.vended-credentials", fileIo, OK, vended),
        on(Base.BIG_LAKE, "biglake.vended-credentials", fileIo, WARN, vended, "sink:" + fileIo));
  }

  private static List<Case> snapshots() {
    String interval = "tula.commit.interval.ms";
    String metadata = "snapshots.metadata";
    String gc = CREATE + "gc.enabled";
    String age = CREATE + "history.expire.max-ref-age-ms";
    return List.of(
        on(Base.BIG_LAKE, metadata, interval, WARN),
        on(Base.BIG_LAKE, metadata, interval, FAIL, "every=PT1H"),
        on(Base.BIG_LAKE, metadata, interval, OK, "every=PT1H", "olderThan=PT30M"),
        on(Base.BIG_LAKE, metadata, interval, FAIL, "every=PT12H", "olderThan=PT30M"),
        on(
            Base.BIG_LAKE,
            metadata,
            interval,
            OK,
            "every=PT12H",
            "olderThan=PT30M",
            "sink:" + interval + "=600000"),
        on(
            Base.BIG_LAKE,
            metadata,
            interval,
            FAIL,
            "every=PT1M",
            "olderThan=PT1M",
            "sink:" + interval + "=100"),
        on(
            Base.BIG_LAKE,
            metadata,
            interval,
            FAIL,
            "every=PT1H",
            "olderThan=PT30M",
            "sink:" + CREATE + "write.metadata.previous-versions-max=5000"),
        on(Base.BIG_LAKE, metadata, interval, SKIPPED, "sink:tula.generation=0"),
        on(Base.GLUE_REST, metadata, interval, WARN),
        on(Base.S3_TABLES, metadata, interval, OK),
        on(Base.JDBC, metadata, interval, SKIPPED),
        on(Base.JDBC, metadata, interval, WARN, "every=P1D"),
        on(Base.JDBC, metadata, interval, OK, "every=PT12H", "olderThan=P1D"),
        on(Base.JDBC, "snapshots.garbage", gc, OK, "sink:" + gc + "=true"),
        on(Base.JDBC, "snapshots.garbage", gc, FAIL, "sink:" + gc + "=false"),
        on(Base.JDBC, "snapshots.pins", age, OK),
        on(Base.JDBC, "snapshots.pins", age, WARN, "sink:" + age + "=86400000"));
  }

  private static List<Case> topics() {
    String retention = "tula.topic.retention.ms";
    String factor = "tula.topic.replication.factor";
    return List.of(
        on(Base.JDBC, "topics.retention", retention, OK),
        on(Base.JDBC, "topics.retention", retention, OK, "source:" + retention + "=-1"),
        on(Base.JDBC, "topics.retention", retention, WARN, "source:" + retention + "=3600000"),
        on(Base.JDBC, "topics.retention", retention, FAIL, "source:" + retention + "=700000"),
        on(Base.JDBC, "topics.retention", retention, SKIPPED, "no source"),
        on(Base.JDBC, "topics.retention", retention, SKIPPED, "source:tula.generation=0"),
        on(Base.JDBC, "topics.replicas", factor, OK),
        on(Base.JDBC, "topics.replicas", factor, OK, "sink:" + factor + "=3"),
        on(Base.JDBC, "topics.replicas", factor, WARN, "sink:" + factor + "=1"),
        on(Base.JDBC, "topics.replicas", factor, WARN, "source:" + factor + "=2"),
        on(
            Base.JDBC,
            "topics.replicas",
            "tula.topic.min.insync.replicas",
            WARN,
            "source:tula.topic.min.insync.replicas=1"));
  }

  private static List<Case> workers() {
    String isolation = "consumer.override.isolation.level";
    String boundary = "transaction.boundary.interval.ms";
    String timeout = "source.transaction-timeout";
    String eos = "exactly.once.source.support";
    String policy = "connector.client.config.override.policy";
    String discovery = "plugin.discovery";
    return List.of(
        on(Base.JDBC, "sink.isolation", isolation, OK),
        on(Base.JDBC, "sink.isolation", isolation, WARN, "sink:" + isolation),
        on(Base.JDBC, "sink.isolation", isolation, WARN, "sink:" + isolation, "no worker"),
        on(
            Base.JDBC,
            "sink.isolation",
            isolation,
            WARN,
            "sink:" + isolation + "=read_uncommitted",
            "worker:consumer.isolation.level=read_committed"),
        on(
            Base.JDBC,
            "sink.isolation",
            isolation,
            OK,
            "sink:" + isolation,
            "worker:consumer.isolation.level=read_committed"),
        on(Base.JDBC, timeout, boundary, OK),
        on(Base.JDBC, timeout, boundary, FAIL, "source:" + boundary + "=60000"),
        on(Base.JDBC, timeout, boundary, WARN, "source:" + boundary + "=40000"),
        on(Base.JDBC, timeout, boundary + ", offset.flush.interval.ms", FAIL, "source:" + boundary),
        on(
            Base.JDBC,
            timeout,
            boundary + ", offset.flush.interval.ms",
            OK,
            "source:" + boundary,
            "worker:offset.flush.interval.ms=5000"),
        on(
            Base.JDBC,
            timeout,
            boundary,
            FAIL,
            "source:producer.override.transaction.timeout.ms=400"),
        on(Base.JDBC, timeout, "producer.override.transaction.timeout.ms", SKIPPED, "no source"),
        on(Base.JDBC, "worker.exactly-once", eos, OK),
        on(Base.JDBC, "worker.exactly-once", eos, SKIPPED, "no worker"),
        on(Base.JDBC, "worker.exactly-once", eos, FAIL, "worker:" + eos),
        on(Base.JDBC, "worker.exactly-once", eos, FAIL, "worker:" + eos + "=preparing"),
        on(
            Base.JDBC,
            "worker.exactly-once",
            eos,
            WARN,
            "worker:" + eos,
            "source:exactly.once.support"),
        on(
            Base.JDBC,
            "worker.exactly-once",
            "offset.storage.file.filename",
            WARN,
            "worker:offset.storage.file.filename=/tmp/offsets"),
        on(Base.JDBC, "worker.override-policy", policy, OK),
        on(Base.JDBC, "worker.override-policy", policy, OK, "worker:" + policy),
        on(Base.JDBC, "worker.override-policy", policy, FAIL, "worker:" + policy + "=None"),
        on(Base.JDBC, "worker.override-policy", policy, FAIL, "worker:" + policy + "=Principal"),
        on(
            Base.JDBC,
            "worker.override-policy",
            policy,
            FAIL,
            "worker:"
                + policy
                + "=org.apache.kafka.connect.connector.policy.NoneConnectorClientConfigOverridePolicy"),
        on(Base.JDBC, "worker.override-policy", policy, FAIL, "worker:" + policy + "=Allowlist"),
        on(
            Base.JDBC,
            "worker.override-policy",
            policy,
            OK,
            "worker:" + policy + "=Allowlist",
            "worker:connector.client.config.override.allowlist=linger.ms, isolation.level"),
        on(Base.JDBC, "worker.override-policy", policy, SKIPPED, "worker:" + policy + "=x.Own"),
        on(Base.JDBC, "worker.override-policy", policy, SKIPPED, "no worker"),
        on(Base.JDBC, "worker.plugin-discovery", discovery, OK),
        on(Base.JDBC, "worker.plugin-discovery", discovery, OK, "worker:" + discovery),
        on(
            Base.JDBC,
            "worker.plugin-discovery",
            discovery,
            WARN,
            "worker:" + discovery + "=only_scan"),
        on(
            Base.JDBC,
            "worker.plugin-discovery",
            discovery,
            FAIL,
            "worker:" + discovery + "=service"),
        on(Base.JDBC, "worker.plugin-path", "plugin.path", OK),
        on(Base.JDBC, "worker.plugin-path", "plugin.path", WARN, "worker:plugin.path"),
        on(Base.JDBC, "worker.storage", "offset.storage.replication.factor", OK),
        on(
            Base.JDBC,
            "worker.storage",
            "offset.storage.replication.factor",
            WARN,
            "worker:offset.storage.replication.factor=1"),
        on(
            Base.JDBC,
            "worker.offset-flush",
            "offset.flush.interval.ms",
            OK,
            "worker:" + eos + "=disabled"),
        on(
            Base.JDBC,
            "worker.offset-flush",
            "offset.flush.interval.ms",
            WARN,
            "worker:" + eos + "=disabled",
            "worker:offset.flush.interval.ms=600000"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void check_says_what_it_found_and_where(Case given) {
    List<Finding> findings =
        Doctor.examine(given.setup()).stream()
            .filter(finding -> finding.check().equals(given.check))
            .toList();

    assertThat(findings)
        .as("%s", findings)
        .anySatisfy(
            finding -> {
              assertThat(finding.key()).isEqualTo(given.key);
              assertThat(finding.verdict()).isEqualTo(given.verdict);
            });
    assertThat(findings)
        .allSatisfy(
            finding -> assertThat(finding.advice().isEmpty()).isEqualTo(finding.verdict() == OK));
  }

  @Test
  void every_check_is_seen_to_pass_and_seen_not_to() {
    Map<Boolean, Set<String>> seen =
        cases()
            .filter(given -> given.verdict != SKIPPED)
            .collect(
                Collectors.partitioningBy(
                    given -> given.verdict == OK,
                    Collectors.mapping(Case::check, Collectors.toCollection(TreeSet::new))));

    assertThat(seen.get(true)).containsExactlyInAnyOrderElementsOf(Doctor.checks());
    assertThat(seen.get(false)).containsExactlyInAnyOrderElementsOf(Doctor.checks());
  }

  /** A sound configuration is called sound; what is not known is skipped, never guessed. */
  @ParameterizedTest
  @MethodSource("bases")
  void sound_configuration_has_nothing_wrong(Base base) {
    String planned = base == Base.S3_TABLES ? "" : "every=PT1H";
    List<Finding> findings =
        Doctor.examine(base.setup(List.of(planned, "olderThan=PT30M"))).stream()
            .filter(finding -> finding.verdict() != OK)
            .toList();

    assertThat(findings).isEmpty();
  }

  static Stream<Base> bases() {
    return Arrays.stream(Base.values());
  }

  @Test
  void everything_wrong_is_said_at_once() {
    List<String> failing =
        Doctor.examine(
                Base.S3_TABLES.setup(
                    List.of(
                        "sink:tula.generation=0",
                        "sink:iceberg.catalog.rest.signing-name=s3",
                        "sink:iceberg.namespace=A.b",
                        "source:tula.hosts",
                        "worker:exactly.once.source.support")))
            .stream()
            .filter(finding -> finding.verdict() == FAIL)
            .map(Finding::key)
            .toList();

    assertThat(failing)
        .contains(
            "tula.generation",
            "iceberg.catalog.rest.signing-name",
            "iceberg.namespace",
            "tula.hosts",
            "exactly.once.source.support");
  }

  /** Neither of these hosts exists, and 127.0.0.1:1 answers nobody. */
  @Test
  void nothing_is_asked_over_the_network() {
    long before = System.nanoTime();
    List<Finding> findings =
        Doctor.examine(
            Base.S3_TABLES.setup(List.of("source:tula.connection.validation.timeout.ms=60000")));

    assertThat(findings)
        .filteredOn(finding -> finding.check().equals("source.config"))
        .extracting(Finding::verdict)
        .containsExactly(OK);
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(50));
  }

  @Test
  void secrets_are_never_shown() {
    String secret = "geheim";
    Stream.of(Base.values())
        .map(
            base ->
                base.setup(
                    List.of(
                        "sink:iceberg.catalog.rest.secret-access-key=" + secret,
                        "sink:iceberg.catalog.token=" + secret,
                        "sink:iceberg.catalog.jdbc.password=" + secret,
                        "sink:tula.fencing.password=" + secret,
                        "sink:iceberg.catalog.uri=https://user:" + secret + "@host",
                        "source:tula.ssl.key.password=" + secret,
                        "source:tula.kafka.sasl.jaas.config=" + secret)))
        .flatMap(setup -> Doctor.examine(setup).stream())
        .filter(Objects::nonNull)
        .forEach(finding -> assertThat(finding.toString()).doesNotContain(secret));
  }
}
