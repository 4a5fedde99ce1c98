package dev.tula.connect.lake.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.config.ResolvedConfigs;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.lake.BigLakeDouble;
import dev.tula.connect.sink.lake.ForwardingCatalog;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import dev.tula.connect.sink.lake.S3TablesDouble;
import dev.tula.connect.sink.lake.SqliteCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The trial commit and what comes before it, on real catalogs over files. */
class OnlineDoctorTest {
  private static final Namespace NAMESPACE = Namespace.of("ledger");

  @TempDir private Path folder;
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private Catalog open(Map<String, String> properties) {
    Catalog catalog = IcebergCatalogs.build("lake", properties, Map.of(), Optional.empty());
    opened.add(0, (AutoCloseable) catalog);
    return catalog;
  }

  private Catalog sqlite() {
    return open(SqliteCatalog.properties(folder));
  }

  private static Map<String, String> properties(String... more) {
    Map<String, String> all = new HashMap<>();
    all.put("connector.class", "dev.tula.connect.sink.IcebergExactlyOnceSinkConnector");
    all.put("topics", "ledger.data");
    all.put("iceberg.namespace", "ledger");
    all.put("iceberg.catalog.type", "jdbc");
    all.put("tula.cluster.id", "c");
    all.put("tula.pipeline", "p");
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private static Setup setup(Map<String, String> sink) {
    return new Setup(
        new ResolvedConfigs(sink, Optional.empty(), Optional.empty()),
        new CleanupPlan(Optional.empty(), Duration.ofDays(5), 10));
  }

  private static IcebergLake lake(Catalog catalog, SinkConfig config) {
    return new IcebergLake(
        catalog, NAMESPACE, config.identity(), 0, LakeOptions.of(Map.of(), Map.of()));
  }

  private static List<Finding> examine(Catalog catalog, Catalog rival) {
    return OnlineDoctor.lake(new SinkConfig(properties()), catalog, rival);
  }

  private static List<String> words(List<Finding> findings) {
    return findings.stream()
        .map(finding -> finding.check() + " " + finding.verdict().word())
        .toList();
  }

  private List<Path> files() throws IOException {
    Path warehouse = folder.resolve("warehouse");
    if (!Files.exists(warehouse)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(warehouse)) {
      return paths.filter(Files::isRegularFile).toList();
    }
  }

  private static void assertSound(List<Finding> findings) {
    assertThat(findings).as("%s", findings).hasSize(2);
    assertThat(words(findings)).containsExactly("online.catalog ok", "online.trial-commit ok");
  }

  @Test
  @DisplayName("I5: a trial writes, reads, is fenced, and leaves nothing behind")
  void trial_on_an_empty_catalog_leaves_neither_tables_nor_files_nor_a_namespace()
      throws Exception {
    Catalog catalog = sqlite();

    assertSound(examine(catalog, sqlite()));
    assertThat(((SupportsNamespaces) catalog).namespaceExists(NAMESPACE)).isFalse();
    assertThat(files()).isEmpty();
  }

  @Test
  void pipelines_own_tables_are_not_touched() {
    Catalog catalog = sqlite();
    SinkConfig config = new SinkConfig(properties());
    try (IcebergLake lake = lake(catalog, config)) {
      lake.createIdentity(config.identity());
      lake.create("watermark");
      List<TableIdentifier> before = catalog.listTables(NAMESPACE);

      List<Finding> findings = examine(catalog, sqlite());

      assertSound(findings);
      assertThat(findings.get(0).seen()).isEqualTo("the pipeline's tables are there");
      assertThat(catalog.listTables(NAMESPACE)).containsExactlyInAnyOrderElementsOf(before);
    }
  }

  @Test
  @DisplayName("C2: tables of another identity are named, and nothing is tried")
  void tables_of_another_identity_fail() {
    Catalog catalog = sqlite();
    SinkConfig other = new SinkConfig(properties("tula.cluster.id", "other"));
    try (IcebergLake lake = lake(catalog, other)) {
      lake.createIdentity(other.identity());
    }

    List<Finding> findings = examine(catalog, sqlite());

    assertThat(words(findings)).containsExactly("online.catalog FAIL");
    assertThat(findings.get(0).seen()).contains("tula.cluster-id is recorded as other");
  }

  /** Two processes that see each their own catalog, as where metadata is not swapped atomically. */
  @Test
  @DisplayName("I5: a catalog that does not fence is found out")
  void trial_fails_where_a_writer_can_commit_after_a_newer_one_has_claimed() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));

    List<Finding> findings = examine(sqlite(), open(SqliteCatalog.properties(elsewhere)));

    assertThat(words(findings)).containsExactly("online.catalog ok", "online.trial-commit FAIL");
    assertThat(findings.get(1).advice()).contains("does not swap a table's metadata atomically");
    assertThat(files()).isEmpty();
  }

  /** Passes everything on, and refuses what the user may not do. */
  private static final class Restricted extends ForwardingCatalog {
    private final boolean mayCreate;

    Restricted(Catalog catalog, boolean mayCreate) {
      super(catalog);
      this.mayCreate = mayCreate;
    }

    @Override
    public TableBuilder buildTable(TableIdentifier table, Schema schema) {
      if (!mayCreate) {
        throw new ForbiddenException("may not create %s", table);
      }
      return super.buildTable(table, schema);
    }

    @Override
    public boolean dropTable(TableIdentifier table, boolean purge) {
      throw new ForbiddenException("may not drop %s", table);
    }
  }

  @Test
  void missing_right_to_create_tables_is_named() {
    Catalog restricted = new Restricted(sqlite(), false);

    List<Finding> findings = examine(restricted, restricted);

    assertThat(words(findings)).startsWith("online.catalog ok", "online.trial-commit FAIL");
    assertThat(findings.get(1).advice()).contains("may not create", "permission");
  }

  @Test
  void tables_that_cannot_be_dropped_are_named() {
    Catalog restricted = new Restricted(sqlite(), true);

    List<Finding> findings = examine(restricted, restricted);

    assertThat(words(findings))
        .containsExactly("online.catalog ok", "online.trial-commit ok", "online.trial-commit warn");
    assertThat(findings.get(2).seen())
        .containsPattern("ledger\\.tula_doctor_[0-9a-f]{8}_watermark")
        .containsPattern("ledger\\.tula_doctor_[0-9a-f]{8}_transactions");
  }

  @Test
  void trial_works_on_a_catalog_that_wants_signatures_and_one_that_limits_metadata()
      throws Exception {
    Catalog backend = sqlite();
    try (S3TablesDouble tables = new S3TablesDouble(backend, NAMESPACE)) {
      assertSound(examine(open(tables.clientProperties()), open(tables.clientProperties())));
      assertThat(tables.unsignedRequests()).isZero();
    }
    try (BigLakeDouble bigLake = new BigLakeDouble(backend, Duration.ofMinutes(10))) {
      assertSound(examine(open(bigLake.clientProperties()), open(bigLake.clientProperties())));
    }
  }

  @Test
  void catalog_that_does_not_answer_fails_and_nothing_is_tried() {
    Catalog broken =
        new ForwardingCatalog(sqlite()) {
          @Override
          public Table loadTable(TableIdentifier table) {
            throw LakeException.lasting("the credentials were refused", null);
          }
        };

    List<Finding> findings = examine(broken, broken);

    assertThat(words(findings)).containsExactly("online.catalog FAIL");
    assertThat(findings.get(0).advice()).contains("the credentials were refused");
  }

  @Test
  void what_a_connector_refuses_is_not_tried() {
    Setup setup = setup(properties("tula.generation", "0"));

    List<Finding> findings =
        OnlineDoctor.examine(
            setup,
            Doctor.examine(setup),
            () -> {
              throw new AssertionError("no broker is asked");
            });

    assertThat(words(findings)).containsExactly("online.catalog skipped");
  }

  @Test
  void without_brokers_their_part_is_skipped_and_the_rest_is_done() {
    Map<String, String> sink = properties();
    SqliteCatalog.properties(folder)
        .forEach((key, value) -> sink.put("iceberg.catalog." + key, value));
    Setup setup = setup(sink);

    List<Finding> findings =
        OnlineDoctor.examine(
            setup,
            Doctor.examine(setup),
            () -> {
              throw ToolException.error("no broker is named");
            });

    assertThat(words(findings))
        .containsExactly("online.catalog ok", "online.trial-commit ok", "online.topics skipped");
    assertThat(findings.get(2).advice()).isEqualTo("no broker is named");
  }

  /** Nobody listens there. */
  @Test
  void ledger_that_cannot_be_reached_fails_on_the_keys_of_the_source() {
    Map<String, String> source = new HashMap<>();
    source.put("tula.hosts", "127.0.0.1:1");
    source.put("tula.cluster.id", "c");
    source.put("tula.pipeline", "p");
    source.put("tula.topic", "ledger.data");
    source.put("tula.kafka.bootstrap.servers", "127.0.0.1:1");
    source.put("tula.connection.validation.timeout.ms", "200");

    List<Finding> findings = OnlineDoctor.source(source);

    assertThat(findings)
        .isNotEmpty()
        .allSatisfy(finding -> assertThat(finding.verdict()).isEqualTo(Verdict.FAIL));
    assertThat(findings).extracting(Finding::key).contains("tula.hosts");
  }
}
