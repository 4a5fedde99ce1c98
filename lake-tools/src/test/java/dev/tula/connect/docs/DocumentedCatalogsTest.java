package dev.tula.connect.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import java.io.Closeable;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.io.FileIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each block of catalog properties in {@code docs/deploy.md} makes the catalog that it is about.
 * Addresses alone are replaced: servers answer on loopback, and credentials are made up.
 */
class DocumentedCatalogsTest {
  private static final String PREFIX = "iceberg.catalog.";
  private static final Pattern SECTION = Pattern.compile("(?m)^### ");
  private static final String TOKEN = "a-token";

  @TempDir Path folder;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private HttpServer server;

  private record Seen(String request, Map<String, List<String>> headers) {
    String header(String name) {
      return String.join(",", headers.getOrDefault(name, List.of()));
    }
  }

  private record Block(String section, int number, Map<String, String> properties) {
    @Override
    public String toString() {
      return section + " " + number;
    }
  }

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
    seen.add(new Seen(request, Map.copyOf(exchange.getRequestHeaders())));
    exchange.getRequestBody().readAllBytes();
    String body =
        request.startsWith("POST /token")
            ? "{\"access_token\":\"" + TOKEN + "\",\"token_type\":\"bearer\",\"expires_in\":3600}"
            : "{\"defaults\":{},\"overrides\":{}}";
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  static Stream<Block> blocks() throws IOException {
    String page = Docs.read("docs/deploy.md");
    String chapter =
        page.substring(page.indexOf("\n## Catalogs and storage"), page.indexOf("\n## Calls"));
    return SECTION.splitAsStream(chapter).skip(1).flatMap(DocumentedCatalogsTest::blocks);
  }

  private static Stream<Block> blocks(String section) {
    String title = section.lines().findFirst().orElseThrow();
    List<String> texts = Docs.blocks(section, "properties");
    return Stream.iterate(0, i -> i < texts.size(), i -> i + 1)
        .map(i -> new Block(title, i + 1, properties(texts.get(i))));
  }

  private static Map<String, String> properties(String block) {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(block));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    Map<String, String> stripped = new HashMap<>();
    properties.forEach(
        (key, value) -> {
          assertThat(key.toString()).startsWith(PREFIX);
          stripped.put(key.toString().substring(PREFIX.length()), value.toString());
        });
    return stripped;
  }

  private static Block block(String section, int number) throws IOException {
    return blocks()
        .filter(block -> block.section().equals(section) && block.number() == number)
        .findFirst()
        .orElseThrow();
  }

  private String here(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  /** As in the docs, but for what would leave this machine. */
  private Map<String, String> reachable(Block block) {
    Map<String, String> properties = new HashMap<>(block.properties());
    properties.computeIfPresent(
        "uri",
        (key, uri) ->
            uri.startsWith("jdbc:")
                ? "jdbc:sqlite:" + folder.resolve("catalog.db")
                : uri.startsWith("https:") ? here("/catalog") : uri);
    properties.computeIfPresent("oauth2-server-uri", (key, uri) -> here("/token"));
    properties.computeIfPresent("credential", (key, secret) -> "id:secret");
    if (properties.containsKey("rest.sigv4-enabled")) {
      properties.put("rest.access-key-id", "AKIDEXAMPLE");
      properties.put("rest.secret-access-key", "secret");
    }
    // Google's own library asks the network who this machine is.
    properties.computeIfPresent("rest.auth.type", (key, type) -> "none");
    return properties;
  }

  private static Catalog build(Map<String, String> properties) {
    return IcebergCatalogs.build("lake", properties, Map.of(), Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    "REST, 1, org.apache.iceberg.rest.RESTCatalog",
    "Nessie, 1, org.apache.iceberg.rest.RESTCatalog",
    "JDBC, 1, org.apache.iceberg.jdbc.JdbcCatalog",
    "S3 Tables, 1, org.apache.iceberg.rest.RESTCatalog",
    "Glue, 1, org.apache.iceberg.aws.glue.GlueCatalog",
    "BigLake, 1, org.apache.iceberg.rest.RESTCatalog",
  })
  void a_documented_block_makes_its_catalog(String section, int number, String catalogClass)
      throws IOException {
    Catalog catalog = build(reachable(block(section, number)));
    try {
      assertThat(catalog.getClass().getName()).isEqualTo(catalogClass);
    } finally {
      if (catalog instanceof Closeable closeable) {
        closeable.close();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Nessie, 2, org.apache.iceberg.nessie.NessieCatalog",
    "Hive, 1, org.apache.iceberg.hive.HiveCatalog",
  })
  void a_block_whose_jars_are_not_in_the_zip_names_the_class_and_the_page(
      String section, int number, String catalogClass) throws IOException {
    Map<String, String> properties = reachable(block(section, number));

    assertThatThrownBy(() -> build(properties))
        .hasMessageContaining(catalogClass)
        .hasMessageContaining("docs/deploy.md");
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void every_file_io_that_is_named_is_there(Block block) throws Exception {
    String name =
        block.properties().getOrDefault("io-impl", "org.apache.iceberg.io.ResolvingFileIO");
    assertThat(Class.forName(name).getConstructor().newInstance()).isInstanceOf(FileIO.class);
  }

  @Test
  void every_block_is_tried_or_belongs_to_a_store() throws IOException {
    assertThat(blocks().map(Block::toString))
        .containsExactlyInAnyOrder(
            "REST 1",
            "Nessie 1",
            "Nessie 2",
            "JDBC 1",
            "Hive 1",
            "S3 1",
            "S3 Tables 1",
            "Glue 1",
            "GCS 1",
            "BigLake 1");
  }

  @Test
  void the_rest_client_asks_with_its_warehouse_and_the_token_of_the_login() throws IOException {
    build(reachable(block("REST", 1)));

    assertThat(seen.get(0).request()).startsWith("POST /token");
    Seen config = config();
    assertThat(config.request()).contains("warehouse=s3");
    assertThat(config.header("Authorization")).isEqualTo("Bearer " + TOKEN);
  }

  @Test
  void requests_to_s3_tables_are_signed_for_it() throws IOException {
    build(reachable(block("S3 Tables", 1)));

    assertThat(config().header("Authorization"))
        .contains("AWS4-HMAC-SHA256")
        .contains("/eu-central-1/s3tables/aws4_request");
  }

  @Test
  void requests_to_biglake_name_the_project_that_pays() throws IOException {
    build(reachable(block("BigLake", 1)));

    assertThat(config().header("X-goog-user-project")).isEqualTo("our-project");
  }

  private Seen config() {
    return seen.stream()
        .filter(request -> request.request().startsWith("GET /catalog/v1/config"))
        .findFirst()
        .orElseThrow();
  }
}
