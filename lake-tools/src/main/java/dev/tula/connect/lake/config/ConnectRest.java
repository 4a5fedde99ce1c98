package dev.tula.connect.lake.config;

import dev.tula.connect.lake.output.ToolException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/**
 * Asks a Connect worker for a connector's configuration. User and password may stand in the URL;
 * they are sent as Basic authentication and appear in no message.
 */
public final class ConnectRest {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final Duration REBALANCE_WAIT = Duration.ofSeconds(1);
  private static final int MAX_ATTEMPTS = 15;
  private static final int MAX_SHOWN = 300;

  private final URI base;
  private final Duration rebalanceWait;

  /**
   * @param base the worker's REST URL
   * @throws ToolException if it is not an HTTP URL
   */
  public ConnectRest(URI base) {
    this(base, REBALANCE_WAIT);
  }

  ConnectRest(URI base, Duration rebalanceWait) {
    String scheme = base.getScheme();
    if (base.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw ToolException.error(
          "--connect-url must be the worker's REST URL, as in http://localhost:8083");
    }
    this.base = base;
    this.rebalanceWait = rebalanceWait;
  }

  /**
   * The connector's configuration as it was PUT, placeholders and all.
   *
   * @throws ToolException if the worker can't be reached or has no such connector
   */
  public Map<String, String> config(String connector) {
    String path =
        "/connectors/"
            + URLEncoder.encode(connector, StandardCharsets.UTF_8).replace("+", "%20")
            + "/config";
    HttpResponse<String> response = get(path);
    // While a rebalance is under way, workers answer 409.
    for (int attempt = 1; response.statusCode() == 409 && attempt < MAX_ATTEMPTS; attempt++) {
      pause();
      response = get(path);
    }
    return switch (response.statusCode()) {
      case 200 -> ConfigFiles.connectorJson(response.body(), "the answer of " + shown());
      case 404 ->
          throw ToolException.error(
              "the worker at " + shown() + " has no connector " + connector + others());
      case 401, 403 ->
          throw ToolException.error(
              "the worker at "
                  + shown()
                  + " wants other credentials: put them into the URL, as in https://user:password@host");
      default ->
          throw ToolException.error(
              "the worker at "
                  + shown()
                  + " answered "
                  + response.statusCode()
                  + ": "
                  + abridged(response.body()));
    };
  }

  private String others() {
    HttpResponse<String> response = get("/connectors");
    return response.statusCode() == 200 ? "; it has " + abridged(response.body()) : "";
  }

  private HttpResponse<String> get(String path) {
    HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_LIMIT).build();
    try {
      return client.send(request(path), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw ToolException.error(
          "can't reach the worker at "
              + shown()
              + ": "
              + (e.getMessage() == null ? e : e.getMessage()),
          e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private HttpRequest request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(shown() + path))
            .timeout(ANSWER_LIMIT)
            .header("Accept", "application/json");
    if (base.getUserInfo() != null) {
      byte[] credentials = base.getUserInfo().getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
    }
    return request.build();
  }

  /** The URL without credentials and without a slash at its end. */
  private String shown() {
    String path = base.getRawPath() == null ? "" : base.getRawPath().replaceAll("/+$", "");
    return base.getScheme()
        + "://"
        + base.getHost()
        + (base.getPort() < 0 ? "" : ":" + base.getPort())
        + path;
  }

  private void pause() {
    try {
      Thread.sleep(rebalanceWait.toMillis());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private ToolException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return ToolException.error("interrupted while waiting for the worker at " + shown(), cause);
  }

  private static String abridged(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
  }
}
