package dev.tula.connect.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** An Iceberg REST catalog without authentication, asked by plain HTTP. Safe for any thread. */
final class RestLakeCatalog implements LakeCatalog {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIME_LIMIT = Duration.ofSeconds(30);
  private static final int NOT_FOUND = 404;
  private static final int OK = 200;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIME_LIMIT).build();
  private final String uri;

  RestLakeCatalog(String uri) {
    this.uri = uri;
  }

  @Override
  public String uri() {
    return uri;
  }

  /** Whether it answers. */
  boolean isUp() {
    return get("/v1/config").isPresent();
  }

  @Override
  public List<String> tableNames(String namespace) {
    List<String> names = new ArrayList<>();
    get("/v1/namespaces/" + encoded(namespace) + "/tables")
        .ifPresent(
            listing ->
                listing
                    .path("identifiers")
                    .forEach(identifier -> names.add(identifier.path("name").asText())));
    Collections.sort(names);
    return names;
  }

  @Override
  public Optional<String> metadataLocation(String namespace, String table) {
    return get("/v1/namespaces/" + encoded(namespace) + "/tables/" + encoded(table))
        .map(answer -> answer.path("metadata-location").asText());
  }

  private Optional<JsonNode> get(String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri + path)).timeout(TIME_LIMIT).GET().build();
    try {
      HttpResponse<String> response =
          http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      if (response.statusCode() == NOT_FOUND) {
        return Optional.empty();
      }
      if (response.statusCode() != OK) {
        throw new IOException("it answered " + response.statusCode() + ": " + response.body());
      }
      return Optional.of(JSON.readTree(response.body()));
    } catch (IOException e) {
      throw new StackException("the catalog " + uri + " could not be read: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while reading the catalog " + uri, e);
    }
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
