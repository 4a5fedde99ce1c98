package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same of both kinds of store. */
class LeaseStoreTest {
  private static final String NAME = "cluster/pay ments/g1/p0";

  @TempDir private Path folder;

  private LeaseStore store(String kind) {
    return kind.equals("folder")
        ? new FileLeaseStore(folder.resolve("leases"))
        : new SqlLeaseStore(
            "jdbc:sqlite:" + folder.resolve("leases.db") + "?busy_timeout=20000", new Properties());
  }

  @ParameterizedTest
  @ValueSource(strings = {"folder", "database"})
  void a_lease_is_changed_only_by_who_knows_what_it_is(String kind) {
    LeaseStore store = store(kind);
    LeaseRecord first = new LeaseRecord("a", 1, 500);
    LeaseRecord second = new LeaseRecord("b", 2, 600);
    assertThat(store.read(NAME)).isEmpty();
    assertThat(store.swap(NAME, Optional.empty(), first)).isTrue();
    assertThat(store.swap(NAME, Optional.empty(), second)).isFalse();
    assertThat(store.swap(NAME, Optional.of(second), first)).isFalse();
    assertThat(store.read(NAME)).contains(first);
    assertThat(store.swap(NAME, Optional.of(first), second)).isTrue();
    assertThat(store(kind).read(NAME)).as("by another process").contains(second);
    assertThat(store.read("another lease")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"folder", "database"})
  void of_many_who_want_it_at_once_one_gets_it(String kind) throws Exception {
    int writers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    try {
      Optional<LeaseRecord> expected = Optional.empty();
      for (int round = 1; round <= 10; round++) {
        Optional<LeaseRecord> before = expected;
        int number = round;
        List<Callable<Boolean>> tries = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
          LeaseRecord wanted = new LeaseRecord("w" + i, number, 500);
          tries.add(() -> store(kind).swap(NAME, before, wanted));
        }
        int winners = 0;
        store(kind).read(NAME);
        for (Future<Boolean> attempt : threads.invokeAll(tries)) {
          winners += attempt.get() ? 1 : 0;
        }
        assertThat(winners).as("round %d", round).isEqualTo(1);
        expected = store(kind).read(NAME);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void a_lease_file_that_is_none_is_an_error_and_not_a_free_lease() throws Exception {
    LeaseStore store = store("folder");
    store.swap(NAME, Optional.empty(), new LeaseRecord("a", 1, 500));
    try (var files = Files.list(folder.resolve("leases"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".json")).toList()) {
        Files.writeString(file, "{\"owner\":\"a\"}");
      }
    }
    assertThatThrownBy(() -> store.read(NAME))
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("can't be read");
  }

  @Test
  void a_database_without_a_driver_is_named_as_such() {
    LeaseStore store = new SqlLeaseStore("jdbc:nobody:x", new Properties());
    assertThatThrownBy(() -> store.read(NAME))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContaining("JDBC driver");
  }

  @Test
  void a_refused_user_is_not_tried_again_and_an_outage_is() {
    SQLException refused = new SQLException("password authentication failed", "28P01");
    assertThat(SqlLeaseStore.failure("reading", refused))
        .hasMessageContaining("tula.fencing.user")
        .satisfies(e -> assertThat(e.isRetriable()).isFalse());
    SQLException outage = new SQLException("connection refused", "08001");
    assertThat(SqlLeaseStore.failure("reading", outage).isRetriable()).isTrue();
  }
}
