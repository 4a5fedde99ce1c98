package dev.tula.connect.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Spark reads the lake through the same catalog and finds what the engine has: {@code run-local}
 * writes a lake and its report in a process of its own, and Spark counts and adds up again.
 */
@DisplayName("Spark reads every table through the same catalog")
class SparkReadIT {
  private static final long RUN_LIMIT_MINUTES = 10;
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path directory;

  private static Path run;
  private static JsonNode report;
  private static SparkSession spark;

  @BeforeAll
  static void write_a_lake() throws Exception {
    run = directory.resolve("run");
    runLocal("--rows", "30000", "--partitions", "2", "--full-record", "--layout", "by_mode");
    report = JSON.readTree(run.resolve("report.json").toFile());
    spark = session();
  }

  @AfterAll
  static void stop() {
    if (spark != null) {
      spark.stop();
    }
  }

  private static SparkSession session() {
    Path lake = run.resolve("lake");
    return SparkSession.builder()
        .master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.catalog.local", "org.apache.iceberg.spark.SparkCatalog")
        .config("spark.sql.catalog.local.type", "jdbc")
        .config(
            "spark.sql.catalog.local.uri",
            "jdbc:sqlite:" + lake.resolve("catalog.db") + "?busy_timeout=20000")
        .config("spark.sql.catalog.local.warehouse", lake.resolve("warehouse").toUri().toString())
        .config("spark.sql.catalog.local.jdbc.schema-version", "V1")
        .config("spark.sql.catalog.local.clients", "1")
        .getOrCreate();
  }

  private static void runLocal(String... args) throws IOException, InterruptedException {
    Path root = root();
    Path classPath = root.resolve("testbed/local-stack/target/run.classpath");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-Dtula.root=" + root, "-cp"));
    command.add(
        root.resolve("testbed/local-stack/target/classes") + ":" + Files.readString(classPath));
    command.add("dev.tula.connect.local.RunLocal");
    command.addAll(List.of(args));
    command.addAll(List.of("--verify", "--exit", "--keep", run.toString()));
    Path log = directory.resolve("run-local.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(RUN_LIMIT_MINUTES, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    } finally {
      process.destroy();
    }
  }

  private static Path root() {
    Path path = Path.of("").toAbsolutePath();
    while (!Files.exists(path.resolve("config-examples"))) {
      path = path.getParent();
    }
    return path;
  }

  @Test
  void every_table_has_the_engines_count_and_amount_sum() {
    JsonNode tables = report.path("table_reports");
    assertThat(tables).hasSize(2 * (2 + 5));
    long rows = 0;
    for (JsonNode table : tables) {
      String name = table.path("table").asText();
      boolean transactions = table.has("amount_sum");
      Row found =
          spark
              .sql(
                  "SELECT count(*), "
                      + (transactions ? "CAST(sum(amount) AS STRING)" : "'0'")
                      + " FROM local.ledger."
                      + name)
              .head();

      assertThat(found.getLong(0)).as(name).isEqualTo(table.path("rows").asLong());
      if (transactions) {
        assertThat(found.getString(1)).as(name).isEqualTo(table.path("amount_sum").asText());
      }
      rows += found.getLong(0);
    }
    assertThat(rows).isEqualTo(report.path("rows").asLong()).isEqualTo(30_000);
  }

  @Test
  void the_catalog_lists_the_pipelines_tables_and_no_others() {
    List<String> names =
        spark.sql("SHOW TABLES IN local.ledger").collectAsList().stream()
            .map(row -> row.getString(1))
            .toList();

    List<String> expected =
        new ArrayList<>(List.of("tula_pipeline", "watermark_p0", "watermark_p1"));
    report.path("table_reports").forEach(table -> expected.add(table.path("table").asText()));
    assertThat(names).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void the_watermark_table_has_one_row_a_partition() {
    for (int partition = 0; partition < 2; partition++) {
      List<Row> rows =
          spark
              .sql("SELECT partition, partition_count FROM local.ledger.watermark_p" + partition)
              .collectAsList();

      assertThat(rows).hasSize(1);
      assertThat(rows.get(0).getInt(0)).isEqualTo(partition);
      assertThat(rows.get(0).getInt(1)).isEqualTo(2);
    }
  }
}
