package dev.tula.connect.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The part of Kafka Connect's REST API that the stack uses. Every call has a time limit, and what a
 * rebalance refuses (409) is asked again within it.
 *
 * <p>Safe for any thread.
 */
public final class ConnectRest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(100);
  private static final Duration REBALANCE_LIMIT = Duration.ofSeconds(60);

  private final URI worker;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_LIMIT)
          .build();

  /**
   * @param worker the worker's REST address, such as {@code http://127.0.0.1:8083}
   */
  public ConnectRest(URI worker) {
    this.worker = worker;
  }

  /** The worker's REST address. */
  public URI worker() {
    return worker;
  }

  /** Whether the worker answers at all. */
  public boolean isUp() {
    try {
      return send(request("/connectors").GET().timeout(CONNECT_LIMIT).build()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /** The class names of the connectors that the worker has found. */
  public List<String> connectorClasses() {
    List<String> classes = new ArrayList<>();
    call("GET", "/connector-plugins", null)
        .forEach(node -> classes.add(node.path("class").asText()));
    return classes;
  }

  /**
   * Creates a connector, or gives one that is there another configuration.
   *
   * @throws StackException with the worker's own message, if it refuses the configuration
   */
  public void putConfig(String connector, Map<String, String> config) {
    call("PUT", "/connectors/" + connector + "/config", JSON.valueToTree(config));
  }

  /** Where a connector and its tasks stand; empty where the worker does not know it (yet). */
  public Optional<ConnectorStatus> status(String connector) {
    try {
      HttpResponse<String> answer =
          send(request("/connectors/" + connector + "/status").GET().build());
      return switch (answer.statusCode()) {
        case 200 -> Optional.of(ConnectorStatus.read(parse(answer.body())));
        case 404, 409 -> Optional.empty();
        default -> throw refused("GET", answer);
      };
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** Restarts a connector with all its tasks, failed or not. */
  public void restart(String connector) {
    call("POST", "/connectors/" + connector + "/restart?includeTasks=true&onlyFailed=false", null);
  }

  /** Restarts of a connector what has failed. */
  public void restartFailed(String connector) {
    call("POST", "/connectors/" + connector + "/restart?includeTasks=true&onlyFailed=true", null);
  }

  /** Pauses a connector: its tasks stay, and do nothing. */
  public void pause(String connector) {
    call("PUT", "/connectors/" + connector + "/pause", null);
  }

  /** Resumes a paused or stopped connector. */
  public void resume(String connector) {
    call("PUT", "/connectors/" + connector + "/resume", null);
  }

  /** Stops a connector: its tasks end, its offsets may be altered. */
  public void stop(String connector) {
    call("PUT", "/connectors/" + connector + "/stop", null);
  }

  /** Removes a connector. Its offsets stay in Kafka. */
  public void delete(String connector) {
    call("DELETE", "/connectors/" + connector, null);
  }

  /** The offsets that Connect holds for a connector, as its REST API documents them. */
  public JsonNode offsets(String connector) {
    return call("GET", "/connectors/" + connector + "/offsets", null);
  }

  /** Sets offsets of a stopped connector. */
  public void alterOffsets(String connector, JsonNode offsets) {
    call("PATCH", "/connectors/" + connector + "/offsets", offsets);
  }

  /** Forgets the offsets of a stopped connector. */
  public void resetOffsets(String connector) {
    call("DELETE", "/connectors/" + connector + "/offsets", null);
  }

  private JsonNode call(String method, String path, JsonNode body) {
    return Wait.forValue(
        "the worker to accept " + method + " " + path,
        REBALANCE_LIMIT,
        () -> {
          HttpResponse<String> answer = send(request(method, path, body));
          if (answer.statusCode() == 409) {
            return Optional.empty();
          }
          if (answer.statusCode() >= 300) {
            throw refused(method, answer);
          }
          return Optional.of(answer.body().isEmpty() ? JSON.nullNode() : parse(answer.body()));
        });
  }

  private HttpRequest request(String method, String path, JsonNode body) {
    return request(path)
        .method(
            method,
            body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.toString()))
        .build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(worker.resolve(path))
        .timeout(CALL_LIMIT)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json");
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while asking the worker", e);
    }
  }

  private static JsonNode parse(String body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new StackException("the worker answered what is not JSON: " + body, e);
    }
  }

  private static StackException refused(String method, HttpResponse<String> answer) {
    JsonNode message = answer.body().startsWith("{") ? parse(answer.body()).path("message") : null;
    return new StackException(
        "the worker refused "
            + method
            + " "
            + answer.uri()
            + " with "
            + answer.statusCode()
            + ":\n"
            + (message == null ? answer.body() : message.asText(answer.body())));
  }

  private StackException unreachable(IOException e) {
    return new StackException("the worker at " + worker + " does not answer: " + e, e);
  }
}
