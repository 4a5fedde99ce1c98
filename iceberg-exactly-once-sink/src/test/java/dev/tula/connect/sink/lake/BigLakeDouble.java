package dev.tula.connect.sink.lake;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * A REST catalog that behaves as BigLake's does where that is not ordinary: it takes no metadata
 * file above 1 MB, shows a table's referenced snapshots alone unless it is asked for all, wants the
 * project's header on each request, and a token that does not live for long. Tokens come from a
 * server of its own, where BigLake's come from Google.
 */
public final class BigLakeDouble implements AutoCloseable {
  /** The header that each request must have. */
  public static final String PROJECT_HEADER = "x-goog-user-project";

  private static final String TOKENS = "/v1/oauth/tokens";

  /**
   * How long it takes a token after it has run out, for a client that was to renew it while its
   * machine stood still. One that does not renew its tokens is found out then.
   */
  private static final Duration TOKEN_GRACE = Duration.ofSeconds(20);

  private final Duration tokenLife;
  private final int maxBytes;
  private final RestServer server;
  private final Map<String, Long> expiryNanos = new ConcurrentHashMap<>();
  private final AtomicInteger issued = new AtomicInteger();
  private final AtomicInteger refusedTokens = new AtomicInteger();
  private final AtomicInteger oversized = new AtomicInteger();
  private final AtomicInteger largest = new AtomicInteger();
  private final AtomicBoolean terse = new AtomicBoolean();

  /**
   * @param backend holds the tables
   * @param tokenLife how long each token is good for
   */
  public BigLakeDouble(Catalog backend, Duration tokenLife) throws Exception {
    this(backend, tokenLife, MetadataLimit.BIGLAKE_BYTES);
  }

  /**
   * @param backend holds the tables
   * @param tokenLife how long each token is good for
   * @param maxBytes the largest metadata file that it takes, where BigLake's own 1 MB takes long to
   *     fill
   */
  public BigLakeDouble(Catalog backend, Duration tokenLife, int maxBytes) throws Exception {
    this.tokenLife = tokenLife;
    this.maxBytes = maxBytes;
    Catalog limited =
        new CatalogDouble(
            backend,
            operations ->
                new CatalogDouble.Operations(operations) {
                  @Override
                  public void commit(TableMetadata base, TableMetadata metadata) {
                    checkSize(metadata);
                    super.commit(base, metadata);
                  }
                });
    this.server = new RestServer(limited, (Filter) this::filter);
  }

  /** Answered as 400. */
  private void checkSize(TableMetadata metadata) {
    int bytes = TableMetadataParser.toJson(metadata).getBytes(StandardCharsets.UTF_8).length;
    largest.accumulateAndGet(bytes, Math::max);
    if (bytes > maxBytes) {
      oversized.incrementAndGet();
      throw terse.get()
          ? new ValidationException("Request contains an invalid argument.")
          : new ValidationException(
              "Table metadata size %d exceeds the limit of %d bytes", bytes, maxBytes);
    }
  }

  private void filter(ServletRequest rawRequest, ServletResponse rawResponse, FilterChain next)
      throws IOException, ServletException {
    HttpServletRequest request = (HttpServletRequest) rawRequest;
    HttpServletResponse response = (HttpServletResponse) rawResponse;
    if (request.getRequestURI().equals(TOKENS)) {
      issue(response);
    } else if (request.getHeader(PROJECT_HEADER) == null) {
      RestServer.error(
          response, 403, "ForbiddenException", "USER_PROJECT_DENIED: no " + PROJECT_HEADER);
    } else if (!isAlive(request.getHeader("Authorization"))) {
      refusedTokens.incrementAndGet();
      RestServer.error(
          response,
          401,
          "NotAuthorizedException",
          "Request had invalid authentication credentials");
    } else {
      next.doFilter(referencedUnlessAsked(request), response);
    }
  }

  private void issue(HttpServletResponse response) throws IOException {
    String token = "token-" + issued.incrementAndGet();
    expiryNanos.put(token, System.nanoTime() + tokenLife.plus(TOKEN_GRACE).toNanos());
    response.setContentType("application/json");
    response
        .getWriter()
        .write(
            "{\"access_token\":\""
                + token
                + "\",\"token_type\":\"bearer\",\"issued_token_type\":"
                + "\"urn:ietf:params:oauth:token-type:access_token\",\"expires_in\":"
                + tokenLife.toSeconds()
                + "}");
  }

  private boolean isAlive(String authorization) {
    if (authorization == null || !authorization.startsWith("Bearer ")) {
      return false;
    }
    Long expiry = expiryNanos.get(authorization.substring("Bearer ".length()));
    return expiry != null && System.nanoTime() < expiry;
  }

  private static HttpServletRequest referencedUnlessAsked(HttpServletRequest request) {
    if (request.getParameter("snapshots") != null || !request.getMethod().equals("GET")) {
      return request;
    }
    return new HttpServletRequestWrapper(request) {
      @Override
      public Map<String, String[]> getParameterMap() {
        Map<String, String[]> parameters = new HashMap<>(super.getParameterMap());
        parameters.put("snapshots", new String[] {"refs"});
        return parameters;
      }
    };
  }

  /** What a client needs to know. */
  public Map<String, String> clientProperties() {
    return Map.of(
        "type",
        "rest",
        "uri",
        server.uri(),
        "header." + PROJECT_HEADER,
        "our-project",
        "credential",
        "client:secret",
        "oauth2-server-uri",
        server.uri() + TOKENS,
        "io-impl",
        LocalFileIo.class.getName());
  }

  /** From now on a refusal of what is too large does not say so. */
  public void sayNoReason() {
    terse.set(true);
  }

  /** How many tokens it gave out. */
  public int tokensIssued() {
    return issued.get();
  }

  /** How many requests came with a token that was not good, or no longer. */
  public int refusedTokens() {
    return refusedTokens.get();
  }

  /** How many commits it refused because of their size. */
  public int oversizedCommits() {
    return oversized.get();
  }

  /** The size of the largest metadata file that it was sent, taken or not. */
  public int largestBytes() {
    return largest.get();
  }

  @Override
  public void close() {
    server.close();
  }
}
