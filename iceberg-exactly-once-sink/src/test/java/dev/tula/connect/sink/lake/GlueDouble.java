package dev.tula.connect.sink.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * As much of the Glue Data Catalog as tables need: databases, and tables with a version that an
 * update must name and that each update raises. Over HTTP, as the AWS SDK speaks to Glue. Safe for
 * any thread.
 */
final class GlueDouble implements AutoCloseable {
  static final String REGION = "eu-central-1";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String UPDATE = "AWSGlue.UpdateTable";
  private static final String SIGNED_FOR = "/" + REGION + "/glue/aws4_request";

  private final HttpServer server;
  private final Map<String, JsonNode> databases = new TreeMap<>();
  private final Map<String, ObjectNode> tables = new TreeMap<>();
  private final List<JsonNode> updates = new CopyOnWriteArrayList<>();
  private final AtomicInteger overtaken = new AtomicInteger();
  private final AtomicReference<Runnable> beforeNextUpdate = new AtomicReference<>(() -> {});
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String type;

    RefusedException(String type, String message) {
      super(message);
      this.type = type;
    }
  }

  GlueDouble() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /** What {@code glue.endpoint} has to be. */
  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Every update that was asked for, whatever became of it. */
  List<JsonNode> updates() {
    return updates;
  }

  /** How many updates named another version than the table's. */
  int overtaken() {
    return overtaken.get();
  }

  /** Has this done while an update is on its way, once. */
  void beforeNextUpdate(Runnable other) {
    beforeNextUpdate.set(other);
  }

  private void handle(HttpExchange exchange) throws IOException {
    ObjectNode answer;
    int status = 200;
    try {
      String signature = exchange.getRequestHeaders().getFirst("Authorization");
      if (signature == null || !signature.contains(SIGNED_FOR)) {
        throw new RefusedException("AccessDeniedException", "not signed for Glue: " + signature);
      }
      String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
      JsonNode request = JSON.readTree(exchange.getRequestBody());
      if (UPDATE.equals(target)) {
        beforeNextUpdate.getAndSet(() -> {}).run();
      }
      answer = answer(target, request);
    } catch (RefusedException e) {
      status = 400;
      answer = JSON.createObjectNode().put("__type", e.type).put("Message", e.getMessage());
    }
    byte[] body = JSON.writeValueAsBytes(answer);
    exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.1");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private synchronized ObjectNode answer(String target, JsonNode request) throws RefusedException {
    return switch (target) {
      case "AWSGlue.CreateDatabase" -> createDatabase(request.path("DatabaseInput"));
      case "AWSGlue.GetDatabase" ->
          object("Database", existing(databases, request.path("Name").asText()));
      case "AWSGlue.GetDatabases" -> list("DatabaseList", databases, "");
      case "AWSGlue.CreateTable" -> createTable(request);
      case "AWSGlue.GetTable" -> object("Table", existing(tables, key(request)));
      case "AWSGlue.GetTables" ->
          list("TableList", tables, request.path("DatabaseName").asText() + ".");
      case UPDATE -> updateTable(request);
      case "AWSGlue.DeleteTable" -> deleteTable(request);
      default -> throw new RefusedException("InvalidInputException", target + " is not known");
    };
  }

  private static String key(JsonNode request) {
    JsonNode name = request.has("Name") ? request.get("Name") : request.at("/TableInput/Name");
    return request.path("DatabaseName").asText() + "." + name.asText();
  }

  private static <T> T existing(Map<String, T> all, String name) throws RefusedException {
    if (!all.containsKey(name)) {
      throw new RefusedException("EntityNotFoundException", name + " is not there");
    }
    return all.get(name);
  }

  private static <T> void add(Map<String, T> all, String name, T value) throws RefusedException {
    if (all.putIfAbsent(name, value) != null) {
      throw new RefusedException("AlreadyExistsException", name + " is there");
    }
  }

  private static ObjectNode object(String name, JsonNode value) {
    ObjectNode answer = JSON.createObjectNode();
    answer.set(name, value);
    return answer;
  }

  private static ObjectNode list(
      String name, Map<String, ? extends JsonNode> all, String keysBeginWith) {
    ArrayNode list = JSON.createArrayNode();
    all.forEach(
        (key, value) -> {
          if (key.startsWith(keysBeginWith)) {
            list.add(value);
          }
        });
    return object(name, list);
  }

  private ObjectNode createDatabase(JsonNode database) throws RefusedException {
    add(databases, database.path("Name").asText(), database);
    return JSON.createObjectNode();
  }

  private ObjectNode createTable(JsonNode request) throws RefusedException {
    existing(databases, request.path("DatabaseName").asText());
    add(tables, key(request), table(request, 0));
    return JSON.createObjectNode();
  }

  private static ObjectNode table(JsonNode request, long version) {
    ObjectNode table = request.path("TableInput").deepCopy();
    return table
        .put("DatabaseName", request.path("DatabaseName").asText())
        .put("VersionId", Long.toString(version));
  }

  private ObjectNode updateTable(JsonNode request) throws RefusedException {
    updates.add(request);
    String version = existing(tables, key(request)).path("VersionId").asText();
    if (!request.path("VersionId").asText().equals(version)) {
      overtaken.incrementAndGet();
      throw new RefusedException(
          "ConcurrentModificationException",
          key(request) + " has version " + version + ", not " + request.path("VersionId"));
    }
    tables.put(key(request), table(request, Long.parseLong(version) + 1));
    return JSON.createObjectNode();
  }

  private ObjectNode deleteTable(JsonNode request) throws RefusedException {
    existing(tables, key(request));
    tables.remove(key(request));
    return JSON.createObjectNode();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
