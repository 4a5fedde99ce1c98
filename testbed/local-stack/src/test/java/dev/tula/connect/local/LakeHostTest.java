package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the lake is found and read where servers hold it. */
class LakeHostTest {
  @TempDir Path directory;
  private final Map<String, String> answers = new HashMap<>();
  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;
  private String uri;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    uri = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    String answer = answers.get(exchange.getRequestURI().getRawPath());
    byte[] body = (answer == null ? "{}" : answer).getBytes(StandardCharsets.UTF_8);
    int status = answer == null ? 404 : answer.isEmpty() ? 500 : 200;
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Test
  void rest_catalog_names_tables_in_order_and_says_where_their_metadata_lies() {
    answers.put(
        "/v1/namespaces/ledger/tables",
        "{\"identifiers\":[{\"namespace\":[\"ledger\"],\"name\":\"watermark\"},"
            + "{\"namespace\":[\"ledger\"],\"name\":\"transactions\"}]}");
    answers.put(
        "/v1/namespaces/ledger/tables/watermark", "{\"metadata-location\":\"s3://lake/m.json\"}");
    RestLakeCatalog catalog = new RestLakeCatalog(uri);

    assertThat(catalog.tableNames("ledger")).containsExactly("transactions", "watermark");
    assertThat(catalog.metadataLocation("ledger", "watermark")).contains("s3://lake/m.json");
    assertThat(catalog.metadataLocation("ledger", "gone")).isEmpty();
    assertThat(catalog.tableNames("elsewhere")).isEmpty();
  }

  @Test
  void rest_catalog_that_fails_is_an_error_and_no_empty_lake() {
    answers.put("/v1/namespaces/ledger/tables", "");

    assertThatThrownBy(() -> new RestLakeCatalog(uri).tableNames("ledger"))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("500");
  }

  @Test
  void object_is_copied_once_byte_for_byte() throws IOException {
    answers.put("/lake/warehouse/a%20b.parquet", "PAR1");
    S3LakeFiles files = new S3LakeFiles(URI.create(uri), directory);

    Path copy = files.local("s3://lake/warehouse/a b.parquet");
    files.local("s3://lake/warehouse/a b.parquet");

    assertThat(Files.readString(copy)).isEqualTo("PAR1");
    assertThat(files.io().newInputFile("s3://lake/warehouse/a b.parquet").getLength()).isEqualTo(4);
    assertThat(requests).hasValue(1);
  }

  @Test
  void object_that_is_not_there_or_not_in_s3_is_an_error_and_leaves_nothing() throws IOException {
    S3LakeFiles files = new S3LakeFiles(URI.create(uri), directory);

    assertThatThrownBy(() -> files.local("s3://lake/gone"))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("404");
    assertThatThrownBy(() -> files.local("file:/lake/x")).isInstanceOf(StackException.class);
    assertThatThrownBy(() -> files.local("s3://lake/../../etc/passwd"))
        .isInstanceOf(StackException.class);
    try (var left = Files.walk(directory)) {
      assertThat(left.filter(Files::isRegularFile)).isEmpty();
    }
  }

  @Test
  void catalog_without_its_tables_is_an_empty_lake() {
    LakeCatalog catalog =
        SqlLakeCatalog.sqlite(LakeHost.sqliteUri(directory.resolve("catalog.db")));

    assertThat(catalog.tableNames("ledger")).isEmpty();
    assertThat(catalog.metadataLocation("ledger", "watermark")).isEmpty();
  }

  @Test
  void service_that_was_not_built_is_named_with_what_builds_it() {
    assertThatThrownBy(() -> LakeHost.start(LakeKind.REST, directory, directory.resolve("lake")))
        .isInstanceOf(StackException.class)
        .hasMessageContainingAll("catalog-rest", "bin/run-local");
  }
}
