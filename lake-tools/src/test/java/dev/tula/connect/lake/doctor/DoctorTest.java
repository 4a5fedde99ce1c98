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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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

  /** What one check says at one key, of changes of the same sound configuration. */
  private static final class Cases {
    private final Base base;
    private final String check;
    private final String key;
    private final List<Case> cases = new ArrayList<>();

    private Cases(Base base, String check, String key) {
      this.base = base;
      this.check = check;
      this.key = key;
    }

    private Cases add(Verdict verdict, String... changes) {
      cases.add(new Case(base, List.of(changes), check, key, verdict));
      return this;
    }

    Cases ok(String... changes) {
      return add(OK, changes);
    }

    Cases warn(String... changes) {
      return add(WARN, changes);
    }

    Cases fail(String... changes) {
      return add(FAIL, changes);
    }

    Cases skipped(String... changes) {
      return add(SKIPPED, changes);
    }
  }

  private static Cases on(Base base, String check, String key) {
    return new Cases(base, check, key);
  }

  private static Stream<Case> all(Cases... cases) {
    return Stream.of(cases).flatMap(each -> each.cases.stream());
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
        .flatMap(Function.identity());
  }

  private static Stream<Case> connectors() {
    String same = "pair.identity";
    String topics = "pair.topics";
    String converter = "value.converter";
    String json = "=org.apache.kafka.connect.json.JsonConverter";
    return all(
        on(Base.JDBC, "sink.config", "tula.*, iceberg.*").ok(),
        on(Base.JDBC, "sink.config", "tula.generation").fail("sink:tula.generation=0"),
        on(Base.JDBC, "sink.config", "tula.layuot").fail("sink:tula.layuot=shared"),
        on(Base.JDBC, "source.config", "tula.*").ok().skipped("no source"),
        on(Base.JDBC, "source.config", "tula.hosts").fail("source:tula.hosts"),
        on(Base.JDBC, "source.config", "errors.tolerance").fail("source:errors.tolerance=all"),
        on(Base.JDBC, "source.config", "connector.class").fail("source:connector.class=Other"),
        on(Base.JDBC, same, "tula.pipeline")
            .ok()
            .skipped("no source")
            .skipped("sink:tula.generation=0")
            .fail("source:tula.pipeline=other"),
        on(Base.JDBC, same, "tula.cluster.id").fail("sink:tula.cluster.id=other"),
        on(Base.JDBC, same, "tula.partition.count").fail("sink:tula.partition.count=2"),
        on(Base.JDBC, same, "tula.include.metadata").fail("sink:tula.include.metadata=true"),
        on(Base.JDBC, topics, "topics")
            .ok()
            .fail("sink:topics=other")
            .ok("source:tula.generation=2", "sink:tula.generation=2", "sink:topics=ledger.data.g2"),
        on(Base.JDBC, topics, "tula.checkpoints.topic")
            .ok()
            .fail("source:tula.checkpoints.topic=other"),
        on(Base.JDBC, "pair.converter", converter)
            .ok()
            .ok("source:value.converter=Ledger")
            .fail("source:value.converter" + json)
            .fail("sink:value.converter=StringConverter")
            .fail("sink:value.converter", "worker:value.converter" + json)
            .skipped("sink:value.converter"),
        on(Base.JDBC, "pair.converter", converter + ".schemas.enable")
            .fail("sink:value.converter" + json, "sink:value.converter.schemas.enable=false"),
        on(Base.JDBC, "pair.transforms", "transforms")
            .ok()
            .warn("sink:transforms=mask")
            .warn("source:transforms=mask"));
  }

  private static Stream<Case> catalogs() {
    String type = "iceberg.catalog.type";
    String fileIo = "iceberg.catalog.io-impl";
    String s3 = "sink:" + fileIo + "=org.apache.iceberg.aws.s3.S3FileIO";
    String gcs = "sink:" + fileIo + "=org.apache.iceberg.gcp.gcs.GCSFileIO";
    String hadoop = "sink:" + fileIo + "=org.apache.iceberg.hadoop.HadoopFileIO";
    String mode = "iceberg.catalog.snapshot-loading-mode";
    return all(
        on(Base.REST, "catalog.kind", type)
            .ok()
            .warn("sink:iceberg.catalog.type=nessie")
            .fail("sink:iceberg.catalog.type=hadoop")
            .fail("sink:iceberg.catalog.type=rset")
            .fail("sink:iceberg.catalog.type"),
        on(Base.SQLITE, "catalog.kind", type)
            .warn(
                "sink:iceberg.catalog.type=hadoop",
                "sink:iceberg.catalog.warehouse=hdfs://nn/lake"),
        on(Base.REST, "catalog.kind", "iceberg.catalog.catalog-impl")
            .warn("sink:iceberg.catalog.catalog-impl=com.example.Own"),
        on(Base.JDBC, "catalog.address", "iceberg.catalog.uri").ok(),
        on(Base.REST, "catalog.address", "iceberg.catalog.uri").fail("sink:iceberg.catalog.uri"),
        on(Base.JDBC, "catalog.address", "iceberg.catalog.warehouse")
            .fail("sink:iceberg.catalog.warehouse"),
        on(Base.GLUE, "catalog.address", "iceberg.catalog.warehouse")
            .fail("sink:iceberg.catalog.warehouse="),
        on(Base.REST, "catalog.file-io", fileIo).ok().warn(hadoop),
        on(Base.S3_TABLES, "catalog.file-io", fileIo).ok().fail(gcs),
        on(Base.BIG_LAKE, "catalog.file-io", fileIo).fail(s3),
        on(Base.SQLITE, "catalog.file-io", fileIo).fail(s3),
        on(Base.GLUE, "catalog.region", "iceberg.catalog.client.region")
            .ok()
            .warn("sink:iceberg.catalog.client.region"),
        on(Base.REST, "catalog.snapshot-loading", mode)
            .ok()
            .ok("sink:" + mode + "=REFS")
            .fail("sink:" + mode + "=ref"),
        on(Base.SQLITE, "catalog.sqlite", "iceberg.catalog.uri")
            .ok()
            .warn("sink:iceberg.catalog.uri=jdbc:sqlite:/lake.db"),
        on(Base.SQLITE, "catalog.sqlite", "iceberg.catalog.clients")
            .warn("sink:iceberg.catalog.clients"));
  }

  private static Stream<Case> aws() {
    String sigv4 = "iceberg.catalog.rest.sigv4-enabled";
    String name = "iceberg.catalog.rest.signing-name";
    String region = "iceberg.catalog.rest.signing-region";
    String warehouse = "iceberg.catalog.warehouse";
    String maxAge = CREATE + "history.expire.max-snapshot-age-ms";
    String codec = CREATE + "write.parquet.compression-codec";
    return all(
        on(Base.S3_TABLES, "aws.signing", sigv4)
            .ok()
            .fail("sink:" + sigv4)
            .ok("sink:" + sigv4, "sink:iceberg.catalog.rest.auth.type=sigv4"),
        on(Base.S3_TABLES, "aws.signing", name)
            .ok()
            .fail("sink:" + name)
            .fail("sink:" + name + "=s3"),
        on(Base.GLUE_REST, "aws.signing", name).ok().fail("sink:" + name + "=execute-api"),
        on(Base.S3_TABLES, "aws.region", region)
            .ok()
            .fail("sink:" + region + "=us-east-1")
            .warn("sink:" + region)
            .skipped("sink:iceberg.catalog.uri=https://proxy.example.com", "sink:" + warehouse),
        on(Base.S3_TABLES, "aws.region", "iceberg.catalog.client.region")
            .fail("sink:iceberg.catalog.client.region=us-east-1"),
        on(Base.S3_TABLES, "aws.region", warehouse)
            .fail("sink:" + warehouse + "=" + ARN.replace("eu-central-1", "us-east-1")),
        on(Base.S3_TABLES, "s3tables.warehouse", warehouse)
            .ok()
            .fail("sink:" + warehouse)
            .fail("sink:" + warehouse + "=s3://x")
            .fail("sink:" + warehouse + "=" + ARN + "/table/x"),
        on(Base.S3_TABLES, "s3tables.namespace", "iceberg.namespace")
            .ok()
            .fail("sink:iceberg.namespace=lake.ledger")
            .fail("sink:iceberg.namespace=Ledger")
            .fail("sink:iceberg.namespace=aws_ledger"),
        on(Base.S3_TABLES, "s3tables.upkeep", CREATE + "history.expire.*").ok(),
        on(Base.S3_TABLES, "s3tables.upkeep", maxAge).warn("sink:" + maxAge + "=1"),
        on(Base.S3_TABLES, "s3tables.upkeep", codec).warn("sink:" + codec + "=LZ4"),
        on(Base.S3_TABLES, "s3tables.upkeep", "--cleanup-every").warn("every=PT1H"));
  }

  private static Stream<Case> bigLake() {
    String project = "iceberg.catalog.header.x-goog-user-project";
    String auth = "iceberg.catalog.rest.auth.type";
    String warehouse = "iceberg.catalog.warehouse";
    String fileIo = "iceberg.catalog.io-impl";
    String vended = "sink:iceberg.catalog.header.X-Iceberg-Access-Delegation=vended-credentials";
    return all(
        on(Base.BIG_LAKE, "biglake.project", project)
            .ok()
            .fail("sink:" + project)
            .fail("sink:" + project + "= ")
            .ok("sink:" + project, "sink:iceberg.catalog.header.X-Goog-User-Project=our-project"),
        on(Base.BIG_LAKE, "biglake.authentication", auth)
            .ok()
            .ok("sink:" + auth + "=org.apache.iceberg.gcp.auth.GoogleAuthManager")
            .fail("sink:" + auth)
            .fail("sink:" + auth, "sink:iceberg.catalog.token=ya29")
            .warn("sink:" + auth, "sink:iceberg.catalog.credential=a:b"),
        on(Base.BIG_LAKE, "biglake.warehouse", warehouse)
            .ok()
            .ok("sink:" + warehouse + "=bl://projects/p/catalogs/c")
            .fail("sink:" + warehouse)
            .fail("sink:" + warehouse + "=gs://l/f"),
        on(Base.BIG_LAKE, "biglake.vended-credentials", fileIo)
            .ok(vended)
            .warn(vended, "sink:" + fileIo));
  }

  private static Stream<Case> snapshots() {
    String interval = "tula.commit.interval.ms";
    String metadata = "snapshots.metadata";
    String gc = CREATE + "gc.enabled";
    String age = CREATE + "history.expire.max-ref-age-ms";
    return all(
        on(Base.BIG_LAKE, metadata, interval)
            .warn()
            .fail("every=PT1H")
            .ok("every=PT1H", "olderThan=PT30M")
            .fail("every=PT12H", "olderThan=PT30M")
            .ok("every=PT12H", "olderThan=PT30M", "sink:" + interval + "=600000")
            .fail("every=PT1M", "olderThan=PT1M", "sink:" + interval + "=100")
            .fail(
                "every=PT1H",
                "olderThan=PT30M",
                "sink:" + CREATE + "write.metadata.previous-versions-max=5000")
            .skipped("sink:tula.generation=0"),
        on(Base.GLUE_REST, metadata, interval).warn(),
        on(Base.S3_TABLES, metadata, interval).ok(),
        on(Base.JDBC, metadata, interval)
            .skipped()
            .warn("every=P1D")
            .ok("every=PT12H", "olderThan=P1D"),
        on(Base.JDBC, "snapshots.garbage", gc)
            .ok("sink:" + gc + "=true")
            .fail("sink:" + gc + "=false"),
        on(Base.JDBC, "snapshots.pins", age).ok().warn("sink:" + age + "=86400000"));
  }

  private static Stream<Case> topics() {
    String retention = "tula.topic.retention.ms";
    String factor = "tula.topic.replication.factor";
    return all(
        on(Base.JDBC, "topics.retention", retention)
            .ok()
            .ok("source:" + retention + "=-1")
            .warn("source:" + retention + "=3600000")
            .fail("source:" + retention + "=700000")
            .skipped("no source")
            .skipped("source:tula.generation=0"),
        on(Base.JDBC, "topics.replicas", factor)
            .ok()
            .ok("sink:" + factor + "=3")
            .warn("sink:" + factor + "=1")
            .warn("source:" + factor + "=2"),
        on(Base.JDBC, "topics.replicas", "tula.topic.min.insync.replicas")
            .warn("source:tula.topic.min.insync.replicas=1"));
  }

  private static Stream<Case> workers() {
    String isolation = "consumer.override.isolation.level";
    String boundary = "transaction.boundary.interval.ms";
    String timeout = "source.transaction-timeout";
    String eos = "exactly.once.source.support";
    String policy = "connector.client.config.override.policy";
    String discovery = "plugin.discovery";
    return all(
        on(Base.JDBC, "sink.isolation", isolation)
            .ok()
            .warn("sink:" + isolation)
            .warn("sink:" + isolation, "no worker")
            .warn(
                "sink:" + isolation + "=read_uncommitted",
                "worker:consumer.isolation.level=read_committed")
            .ok("sink:" + isolation, "worker:consumer.isolation.level=read_committed"),
        on(Base.JDBC, timeout, boundary)
            .ok()
            .fail("source:" + boundary + "=60000")
            .warn("source:" + boundary + "=40000")
            .fail("source:producer.override.transaction.timeout.ms=400"),
        on(Base.JDBC, timeout, boundary + ", offset.flush.interval.ms")
            .fail("source:" + boundary)
            .ok("source:" + boundary, "worker:offset.flush.interval.ms=5000"),
        on(Base.JDBC, timeout, "producer.override.transaction.timeout.ms").skipped("no source"),
        on(Base.JDBC, "worker.exactly-once", eos)
            .ok()
            .skipped("no worker")
            .fail("worker:" + eos)
            .fail("worker:" + eos + "=preparing")
            .warn("worker:" + eos, "source:exactly.once.support"),
        on(Base.JDBC, "worker.exactly-once", "offset.storage.file.filename")
            .warn("worker:offset.storage.file.filename=/tmp/offsets"),
        on(Base.JDBC, "worker.override-policy", policy)
            .ok()
            .ok("worker:" + policy)
            .fail("worker:" + policy + "=None")
            .fail("worker:" + policy + "=Principal")
            .fail(
                "worker:"
                    + policy
                    + "=org.apache.kafka.connect.connector.policy.NoneConnectorClientConfigOverridePolicy")
            .fail("worker:" + policy + "=Allowlist")
            .ok(
                "worker:" + policy + "=Allowlist",
                "worker:connector.client.config.override.allowlist=linger.ms, isolation.level")
            .skipped("worker:" + policy + "=x.Own")
            .skipped("no worker"),
        on(Base.JDBC, "worker.plugin-discovery", discovery)
            .ok()
            .ok("worker:" + discovery)
            .warn("worker:" + discovery + "=only_scan")
            .fail("worker:" + discovery + "=service"),
        on(Base.JDBC, "worker.plugin-path", "plugin.path").ok().warn("worker:plugin.path"),
        on(Base.JDBC, "worker.storage", "offset.storage.replication.factor")
            .ok()
            .warn("worker:offset.storage.replication.factor=1"),
        on(Base.JDBC, "worker.offset-flush", "offset.flush.interval.ms")
            .ok("worker:" + eos + "=disabled")
            .warn("worker:" + eos + "=disabled", "worker:offset.flush.interval.ms=600000"));
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
