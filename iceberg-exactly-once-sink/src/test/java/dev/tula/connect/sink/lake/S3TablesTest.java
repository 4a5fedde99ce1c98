package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.LakeException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.catalog.Catalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is particular about S3 Tables, on a server that behaves alike. */
class S3TablesTest {
  private static final int MAX_TRIES = 10;

  @TempDir Path folder;
  private LakeFixture behind;
  private S3TablesDouble tables;

  @BeforeEach
  void open() throws Exception {
    behind = LakeFixture.in(folder);
    tables = new S3TablesDouble(behind.catalog, NAMESPACE);
  }

  private Catalog client(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(tables.clientProperties());
    properties.putAll(more);
    return IcebergCatalogs.build("s3tables", properties, Map.of(), Optional.empty());
  }

  @AfterEach
  void close() {
    tables.close();
    behind.close();
  }

  @Test
  @DisplayName("every request is signed for s3tables, and the server's own sum agrees")
  void requests_carry_a_signature_that_the_server_computes_too() {
    try (LakeFixture fixture = LakeFixture.of(client(Map.of())).opened()) {
      assertThat(fixture.commitRange(0, 3)).isInstanceOf(Landed.class);
    }
    assertThat(tables.signedRequests()).isGreaterThan(5);
    assertThat(tables.unsignedRequests()).isZero();
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({
    "rest.signing-name, execute-api",
    "rest.signing-region, eu-central-1",
    "rest.secret-access-key, not-the-secret",
    "rest.sigv4-enabled, false"
  })
  void request_that_is_signed_otherwise_is_refused_for_good(String key, String value) {
    assertThatThrownBy(() -> client(Map.of(key, value)))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContainingAll("signature", "iceberg.catalog.*");
    assertThat(tables.signedRequests()).isZero();
  }

  @Test
  @DisplayName("C7, C14: foreign compactions and expiries between any two commits lose nothing")
  void ranges_land_under_a_catalog_that_compacts_and_expires_by_itself() {
    try (LakeFixture fixture = LakeFixture.of(client(Map.of())).opened()) {
      tables.startMaintenance();
      long batch = 0;
      while ((tables.compactions() < 5 || tables.expiries() < 5) && batch < 2_000) {
        assertThat(commitRange(fixture, batch, batch + 2)).isInstanceOf(Landed.class);
        batch += 2;
      }
      tables.close();

      assertThat(tables.compactions()).isGreaterThanOrEqualTo(5);
      assertThat(tables.expiries()).isGreaterThanOrEqualTo(5);
      assertThat(behind.view().disagreement()).isEmpty();
      assertThat(behind.lake.read(TABLE, range(0, batch), 10_000)).hasSize((int) batch);
    }
  }

  /**
   * As the writer does: a snapshot that is expired between its being read and the commit that
   * builds upon it is a failure that passes.
   */
  private static CommitReply commitRange(LakeFixture fixture, long from, long to) {
    for (int tries = 1; ; tries++) {
      try {
        return fixture.commitRange(from, to);
      } catch (LakeException e) {
        assertThat(e.isRetriable()).as("%s", e).isTrue();
        assertThat(tries).isLessThan(MAX_TRIES);
      }
    }
  }
}
