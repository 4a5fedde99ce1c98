package dev.tula.connect.refnode;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message.LeaseStatus;
import dev.tula.connect.model.wire.Message.NamedGroup;
import dev.tula.connect.model.wire.Message.StatusOk;
import dev.tula.connect.refnode.cluster.Cluster;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin port, over HTTP at the loopback address: GET {@code /admin/status}, and a POST for each
 * fault. Answers are JSON; a request that can't be done is answered with 400 and {@code {"error":
 * …}}.
 */
final class AdminServer implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
  private static final String PREFIX = "/admin/";
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int FAILED = 500;
  private static final int THREADS = 2;

  /** Something that a POST does. */
  private interface Action {
    void run(Map<String, String> parameters);
  }

  private final ReferenceCluster cluster;
  private final ObjectMapper json = new ObjectMapper();
  private final Map<String, Action> actions = new TreeMap<>();
  private final ExecutorService threads;
  private final HttpServer server;

  /** Listens; port 0 picks a free one. */
  AdminServer(ReferenceCluster cluster, int port) {
    this.cluster = cluster;
    addActions();
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException e) {
      throw new UncheckedIOException("the admin port can't be had at " + port, e);
    }
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "admin");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void addActions() {
    Faults faults = cluster.faults();
    actions.put("leader-change", parameters -> changeLeader(faults, parameters));
    actions.put("floor", parameters -> faults.advanceFloor(position(parameters, "position")));
    actions.put("drop-leases", parameters -> faults.dropLeases());
    actions.put("drop-connections", parameters -> faults.dropConnections());
    actions.put(
        "group-conflict",
        parameters ->
            faults.groupConflict(
                integer(parameters, "count", "1"), integer(parameters, "sub_code", "2")));
    actions.put(
        "busy",
        parameters ->
            faults.busy(integer(parameters, "count", "1"), integer(parameters, "retry_ms", "100")));
    actions.put("delay", parameters -> faults.switches().delayMs(integer(parameters, "ms", null)));
    actions.put(
        "torn-frame",
        parameters -> faults.switches().tearFrames(integer(parameters, "count", "1")));
    actions.put(
        "corrupt-frame",
        parameters -> faults.switches().corruptFrames(integer(parameters, "count", "1")));
    actions.put(
        "lose-ack-answer",
        parameters -> faults.switches().loseAckAnswers(integer(parameters, "count", "1")));
    actions.put(
        "closed-regression",
        parameters -> faults.switches().regressClosedThrough(integer(parameters, "count", "1")));
    actions.put(
        "leases-not-durable", parameters -> faults.switches().leasesNotDurable(flag(parameters)));
    actions.put("holds-released", parameters -> faults.switches().holdsReleased(flag(parameters)));
    actions.put(
        "lease-table-full", parameters -> faults.switches().leaseTableFull(flag(parameters)));
    actions.put("clear-faults", parameters -> faults.switches().clear());
    actions.put(
        "lag", parameters -> faults.lag(node(parameters), integer(parameters, "batches", null)));
    actions.put("restart-node", parameters -> faults.restartNode(node(parameters)));
    actions.put("stop-node", parameters -> faults.stopNode(node(parameters)));
    actions.put("start-node", parameters -> faults.startNode(node(parameters)));
    actions.put("pause-load", parameters -> cluster.pauseLoad());
    actions.put("resume-load", parameters -> cluster.resumeLoad());
    actions.put("advance", parameters -> cluster.advance(integer(parameters, "rows", null)));
  }

  private void changeLeader(Faults faults, Map<String, String> parameters) {
    if (parameters.containsKey("node")) {
      faults.changeLeader(node(parameters));
    } else {
      faults.changeLeader();
    }
  }

  /** Nodes are numbered from 1, as in their ids. */
  private int node(Map<String, String> parameters) {
    int node = integer(parameters, "node", Integer.toString(cluster.cluster().leader() + 1));
    if (node < 1 || node > cluster.cluster().nodeCount()) {
      throw new IllegalArgumentException("node " + node + " does not exist");
    }
    return node - 1;
  }

  private static boolean flag(Map<String, String> parameters) {
    return !"false".equals(parameters.getOrDefault("on", "true"));
  }

  private static Position position(Map<String, String> parameters, String name) {
    return Position.parse(text(parameters, name, null));
  }

  private static int integer(Map<String, String> parameters, String name, String otherwise) {
    String text = text(parameters, name, otherwise);
    try {
      int value = Integer.parseInt(text);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + text + " is no whole number", e);
    }
    throw new IllegalArgumentException(name + "=" + text + " is below zero");
  }

  private static String text(Map<String, String> parameters, String name, String otherwise) {
    String value = parameters.getOrDefault(name, otherwise);
    if (value == null) {
      throw new IllegalArgumentException("parameter " + name + " is missing");
    }
    return value;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      String name = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : "";
      if (name.equals("status")) {
        answer(exchange, OK, status());
      } else if (!actions.containsKey(name)) {
        answer(
            exchange, NOT_FOUND, error("no such path; there are status and " + actions.keySet()));
      } else if (!exchange.getRequestMethod().equals("POST")) {
        answer(exchange, NOT_ALLOWED, error("use POST"));
      } else {
        act(exchange, name);
      }
    }
  }

  private void act(HttpExchange exchange, String name) throws IOException {
    try {
      actions.get(name).run(parameters(exchange.getRequestURI().getRawQuery()));
      LOG.info("admin: {}", exchange.getRequestURI());
      answer(exchange, OK, status());
    } catch (IllegalArgumentException e) {
      answer(exchange, BAD_REQUEST, error(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.error("admin: {} failed", exchange.getRequestURI(), e);
      answer(exchange, FAILED, error(e.toString()));
    }
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> parameters = new HashMap<>();
    if (query != null) {
      for (String pair : query.split("&")) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        parameters.put(
            URLDecoder.decode(name, StandardCharsets.UTF_8),
            URLDecoder.decode(value, StandardCharsets.UTF_8));
      }
    }
    return parameters;
  }

  private ObjectNode error(String message) {
    return json.createObjectNode().put("error", message);
  }

  private void answer(HttpExchange exchange, int code, ObjectNode body) throws IOException {
    byte[] bytes = json.writeValueAsBytes(body);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Where everything stands. */
  ObjectNode status() {
    Cluster nodes = cluster.cluster();
    StatusOk leader = nodes.status(nodes.leader());
    ObjectNode status = json.createObjectNode();
    long rows = cluster.rows();
    long metadataRows = cluster.ledger().metadataRows();
    status.put("cluster_id", cluster.clusterId());
    status.put("rows", rows);
    status.put("metadata_rows", metadataRows);
    status.put("transaction_rows", rows - metadataRows);
    status.put("head", leader.head().toString());
    status.put("floor", leader.reclaimFloor().toString());
    status.put("closed_through_micros", cluster.ledger().closedThroughMicros(cluster.head()));
    status.put("term", leader.term());
    status.put("leader", nodes.nodeId(nodes.leader()));
    status.put("balanced", cluster.checkBalances().balanced());
    status.put("loading", cluster.isLoading());
    status.put("load_paused", cluster.isLoadPaused());
    cluster.loadFailure().ifPresent(failure -> status.put("load_failure", failure.toString()));
    addNodes(status.putArray("nodes"));
    leader.leases().forEach(lease -> addLease(status.withArray("leases"), lease));
    leader.groups().forEach(group -> addGroup(status.withArray("groups"), group));
    return status;
  }

  private void addNodes(ArrayNode into) {
    for (int node = 0; node < cluster.cluster().nodeCount(); node++) {
      Cluster.Standing standing = cluster.cluster().standing(node);
      ObjectNode entry = into.addObject();
      entry.put("id", standing.nodeId());
      entry.put("address", cluster.addresses().get(node));
      entry.put("role", standing.role().name());
      entry.put("head", standing.head().toString());
      entry.put("connections", cluster.connections(node));
    }
  }

  private static void addLease(ArrayNode into, LeaseStatus lease) {
    ObjectNode entry = into.addObject();
    entry.put("pipeline", lease.pipeline());
    entry.put("generation", lease.generation());
    entry.put("partition", lease.partition());
    entry.put("partition_count", lease.partitionCount());
    entry.put("owner", lease.owner());
    entry.put("holds_from", lease.holdsFrom().toString());
    entry.put("acked_through", lease.ackedThrough().toString());
    entry.put("expires_in_ms", lease.expiresInMs());
  }

  private static void addGroup(ArrayNode into, NamedGroup group) {
    ObjectNode entry = into.addObject();
    entry.put("pipeline", group.pipeline());
    entry.put("generation", group.generation());
    entry.put("members_present", group.status().membersPresent());
    entry.put("count", group.status().count());
    entry.put("min_ack", group.status().minAck().toString());
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
