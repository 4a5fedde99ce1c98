package dev.tula.connect.sink.lake;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * A REST catalog that behaves as S3 Tables does where that is not ordinary: each request must be
 * signed by SigV4 for the service {@code s3tables}, and it compacts tables and expires their
 * snapshots, files and all, by itself and whenever it likes.
 */
public final class S3TablesDouble implements AutoCloseable {
  private static final String ACCESS_KEY = "AKIDEXAMPLE";
  private static final String SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  private static final String REGION = "us-east-1";
  private static final Pattern COMMIT = Pattern.compile(".*/tables/([^/]+)");
  private static final int PAUSE_MS = 100;

  private final Catalog backend;
  private final Namespace namespace;
  private final RestServer server;
  private final SigV4Check signatures = new SigV4Check(ACCESS_KEY, SECRET_KEY, REGION, "s3tables");
  private final AtomicInteger signed = new AtomicInteger();
  private final AtomicInteger unsigned = new AtomicInteger();
  private final AtomicInteger compactions = new AtomicInteger();
  private final AtomicInteger expiries = new AtomicInteger();
  private final AtomicInteger landed = new AtomicInteger();
  private final Map<String, AtomicInteger> commits = new ConcurrentHashMap<>();
  private final AtomicBoolean early = new AtomicBoolean(true);
  private volatile int commitsPerVisit;
  private final AtomicBoolean maintaining = new AtomicBoolean();
  private final Thread maintenance = new Thread(this::maintain, "s3-tables-maintenance");

  /**
   * @param backend holds the tables
   * @param namespace that it maintains
   */
  public S3TablesDouble(Catalog backend, Namespace namespace) throws Exception {
    this.backend = backend;
    this.namespace = namespace;
    this.server = new RestServer(backend, (Filter) this::filter);
  }

  private void filter(ServletRequest rawRequest, ServletResponse rawResponse, FilterChain next)
      throws IOException, ServletException {
    HttpServletRequest request = (HttpServletRequest) rawRequest;
    byte[] body = request.getInputStream().readAllBytes();
    if (!signatures.isSigned(request, body)) {
      unsigned.incrementAndGet();
      RestServer.error(
          (HttpServletResponse) rawResponse,
          403,
          "ForbiddenException",
          "The request signature we calculated does not match the signature you provided");
      return;
    }
    signed.incrementAndGet();
    Optional<TableIdentifier> due = dueByCommit(request);
    boolean before = due.isPresent() && early.getAndSet(!early.get());
    if (before) {
      maintain(due.get());
    }
    next.doFilter(
        new HttpServletRequestWrapper(request) {
          @Override
          public BufferedReader getReader() {
            return new BufferedReader(
                new InputStreamReader(new ByteArrayInputStream(body), StandardCharsets.UTF_8));
          }
        },
        rawResponse);
    if (request.getMethod().equals("POST")
        && ((HttpServletResponse) rawResponse).getStatus() < HttpServletResponse.SC_BAD_REQUEST) {
      landed.incrementAndGet();
    }
    if (due.isPresent() && !before) {
      maintain(due.get());
    }
  }

  /** The table of a commit, if it is one of those that maintenance falls together with. */
  private Optional<TableIdentifier> dueByCommit(HttpServletRequest request) {
    Matcher commit = COMMIT.matcher(request.getRequestURI());
    if (commitsPerVisit == 0 || !request.getMethod().equals("POST") || !commit.matches()) {
      return Optional.empty();
    }
    String table = commit.group(1);
    int number = commits.computeIfAbsent(table, name -> new AtomicInteger()).incrementAndGet();
    return number % commitsPerVisit == 0
        ? Optional.of(TableIdentifier.of(namespace, table))
        : Optional.empty();
  }

  /** What a client needs to know. */
  public Map<String, String> clientProperties() {
    return Map.of(
        "type",
        "rest",
        "uri",
        server.uri(),
        "rest.sigv4-enabled",
        "true",
        "rest.signing-name",
        "s3tables",
        "rest.signing-region",
        REGION,
        "rest.access-key-id",
        ACCESS_KEY,
        "rest.secret-access-key",
        SECRET_KEY,
        "io-impl",
        LocalFileIo.class.getName());
  }

  /**
   * Compacts and expires from now on, every table in turn, until it is closed. Between two rounds a
   * writer lands something: a slow one would lose to every round.
   */
  public void startMaintenance() {
    maintaining.set(true);
    maintenance.start();
  }

  /**
   * From now on compacts and expires a table at every so many of its commits: in turn after the
   * writer has read it and before it commits, and after the commit and before the writer looks
   * whether it landed.
   */
  public void maintainAtCommits(int commitsPerVisit) {
    this.commitsPerVisit = commitsPerVisit;
  }

  private void maintain() {
    while (maintaining.get()) {
      try {
        int before = landed.get();
        for (TableIdentifier table : backend.listTables(namespace)) {
          maintain(table);
        }
        do {
          Thread.sleep(PAUSE_MS);
        } while (landed.get() == before);
      } catch (NoSuchNamespaceException e) {
        continue; // the sink has not made it yet
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void maintain(TableIdentifier identifier) {
    try {
      Table table = backend.loadTable(identifier);
      if (compact(table)) {
        compactions.incrementAndGet();
      }
      if (expire(table)) {
        expiries.incrementAndGet();
      }
    } catch (CommitFailedException
        | ValidationException
        | NoSuchTableException
        | NotFoundException e) {
      // A writer was faster. The next round finds the table as it is then.
      return;
    }
  }

  private static boolean compact(Table table) {
    if (table.currentSnapshot() == null) {
      return false;
    }
    Set<DataFile> files = ForeignEngine.files(table);
    if (files.isEmpty()) {
      return false;
    }
    RewriteFiles rewrite = table.newRewrite();
    files.forEach(rewrite::deleteFile);
    rewrite
        .addFile(ForeignEngine.copy(table))
        .validateFromSnapshot(table.currentSnapshot().snapshotId())
        .commit();
    return true;
  }

  private static boolean expire(Table table) {
    int before = count(table);
    table.expireSnapshots().expireOlderThan(System.currentTimeMillis()).retainLast(1).commit();
    table.refresh();
    return count(table) < before;
  }

  private static int count(Table table) {
    int snapshots = 0;
    for (var unused : table.snapshots()) {
      snapshots++;
    }
    return snapshots;
  }

  /** Requests that were signed well. */
  public int signedRequests() {
    return signed.get();
  }

  /** Requests that were not. */
  public int unsignedRequests() {
    return unsigned.get();
  }

  /** How many commits of several tables at once it was sent. */
  public int multiTableCommits() {
    return server.transactions();
  }

  /** How often it put one file in the place of a table's files. */
  public int compactions() {
    return compactions.get();
  }

  /** How often it expired snapshots of a table. */
  public int expiries() {
    return expiries.get();
  }

  @Override
  public void close() {
    if (maintaining.getAndSet(false)) {
      maintenance.interrupt();
      try {
        maintenance.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    server.close();
  }
}
