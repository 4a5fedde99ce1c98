package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.IDENTITY;
import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that a catalog does not find, whether they are there or not. */
class AbsenceTest {
  private static final String EVERYTHING = ".*";
  private static final String ONE_TABLE = ".*/tables/[^/]+";
  private static final String LISTING = ".*/namespaces/[^/]+/tables";

  @TempDir Path folder;
  private final Proxy proxy = new Proxy();
  private Catalog backend;
  private RestServer server;
  private LakeFixture fixture;

  /** What stands before a catalog and, for a while, has no route to it. */
  private static final class Proxy implements Filter {
    private final ConcurrentLinkedQueue<String> listings = new ConcurrentLinkedQueue<>();
    private volatile String without = "";
    private volatile String forbidden = "";

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      String path = ((HttpServletRequest) request).getRequestURI();
      HttpServletResponse answer = (HttpServletResponse) response;
      if (path.matches(LISTING) || path.endsWith("/namespaces")) {
        listings.add(path);
      }
      if (path.matches(without)) {
        answer.setStatus(404);
        answer.setContentType("text/html");
        answer.getWriter().write("<html><body><h1>404 Not Found</h1>nginx</body></html>");
      } else if (path.matches(forbidden)) {
        RestServer.error(answer, 403, "ForbiddenException", "you may not list");
      } else {
        chain.doFilter(request, response);
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    backend = LakeFixture.jdbcCatalog(folder);
    server = new RestServer(backend, proxy);
    fixture = LakeFixture.of(client());
  }

  private Catalog client() {
    return IcebergCatalogs.build(
        "rest",
        Map.of("type", "rest", "uri", server.uri(), "io-impl", LocalFileIo.class.getName()),
        Map.of(),
        Optional.empty());
  }

  @AfterEach
  void close() {
    fixture.close();
    server.close();
  }

  private static LakeException passing(ThrowingCallable call) {
    LakeException failure = catchThrowableOfType(LakeException.class, call);
    assertThat(failure).isNotNull();
    assertThat(failure.isRetriable()).isTrue();
    return failure;
  }

  @ParameterizedTest
  @ValueSource(strings = {EVERYTHING, ONE_TABLE})
  @DisplayName("I6: a proxy's 404 is no missing table, for a look, a commit or the identity")
  void a_proxy_without_a_route_hides_no_table(String paths) {
    fixture.opened().lake.createIdentity(IDENTITY);
    TableCommit commit = fixture.rangeCommit(range(0, 3));
    proxy.without = paths;

    assertThat(passing(() -> fixture.lake.load(TABLE)))
        .hasMessageContaining("the catalog says that table ledger." + TABLE + " is not there");
    passing(() -> fixture.lake.commit(commit));
    passing(fixture.lake::lookUpIdentity);
    proxy.without = "";

    assertThat(fixture.lake.load(TABLE)).isPresent();
    assertThat(fixture.lake.lookUpIdentity().properties()).isPresent();
    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
  }

  @Test
  @DisplayName("I6: a table that is not found and is listed is there")
  void a_table_that_the_catalog_lists_is_not_absent() {
    fixture.opened();
    AtomicBoolean lost = new AtomicBoolean(true);
    LakeFixture forgetful =
        fixture.through(
            catalog ->
                new ForwardingCatalog(catalog) {
                  @Override
                  public Table loadTable(TableIdentifier identifier) {
                    if (lost.getAndSet(false)) {
                      throw new NoSuchTableException("Table does not exist: %s", identifier);
                    }
                    return super.loadTable(identifier);
                  }
                });

    assertThat(passing(() -> forgetful.lake.load(TABLE))).hasMessageEndingWith("but lists it");

    assertThat(forgetful.lake.load(TABLE)).isPresent();
  }

  @Test
  @DisplayName("C3, I6: a dropped table is absent, and refuses a commit")
  void a_dropped_table_is_absent() {
    TableCommit commit = fixture.opened().rangeCommit(range(0, 3));
    backend.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);

    assertThat(fixture.lake.load(TABLE)).isEmpty();
    assertThat(fixture.lake.commit(commit)).isEqualTo(new Refused(Optional.empty()));
  }

  @Test
  void a_table_of_a_dropped_namespace_is_absent() {
    fixture.opened();
    backend.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);
    ((SupportsNamespaces) backend).dropNamespace(NAMESPACE);

    assertThat(fixture.lake.load(TABLE)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ledger", "finance.ledger", "finance.emea.ledger"})
  @DisplayName("C2, C3: in a namespace that is not there yet, nothing is, and all is created")
  void a_fresh_pipeline_finds_nothing_and_is_created(String name) {
    Namespace namespace = Namespace.of(name.split("\\."));
    try (IcebergLake lake =
        new IcebergLake(client(), namespace, IDENTITY, 0, LakeOptions.of(Map.of(), Map.of()))) {
      assertThat(lake.lookUpIdentity())
          .isEqualTo(new Lake.IdentityLookup(Optional.empty(), Optional.empty()));
      assertThat(lake.load(TABLE)).isEmpty();
      assertThat(lake.createIdentity(IDENTITY)).isTrue();
      assertThat(lake.load(TABLE)).isEmpty();
      lake.create(TABLE);

      assertThat(lake.load(TABLE)).isPresent();
      assertThat(lake.lookUpIdentity().properties()).isPresent();
    }
  }

  @Test
  void a_catalog_that_may_not_be_listed_is_believed() {
    fixture.opened();
    backend.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);
    proxy.forbidden = LISTING;

    assertThat(fixture.lake.load(TABLE)).isEmpty();
  }

  @Test
  void a_catalog_is_listed_only_where_a_table_is_absent() {
    fixture.opened();
    proxy.listings.clear();

    fixture.commitRange(0, 3);
    fixture.lake.load(TABLE);
    assertThat(proxy.listings).isEmpty();
    backend.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);
    fixture.lake.load(TABLE);

    assertThat(List.copyOf(proxy.listings)).singleElement().asString().endsWith("/ledger/tables");
  }
}
