package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.lake.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** On PostgreSQL, each store over connections of its own. */
class SqlLeaseStoreOnPostgresIT extends LeaseStoreContract {
  private static final LeaseRecord FIRST = new LeaseRecord("a", 1, 500);
  private static final LeaseRecord SECOND = new LeaseRecord("b", 2, 500);
  private static final String STEAL = "UPDATE tula_lease SET owner = 'thief', renewals = 2";

  private final TestPostgres.Database database = TestPostgres.newDatabase();

  @Override
  LeaseStore store() {
    return storeOf("postgres");
  }

  private LeaseStore storeOf(String user) {
    return new SqlLeaseStore(database.url(user), new Properties());
  }

  @Test
  void who_waits_for_a_change_that_is_under_way_finds_it_and_does_not_overwrite_it()
      throws Exception {
    store().read(NAME);
    store().swap(NAME, Optional.empty(), FIRST);
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.executeUpdate(STEAL);
      CompletableFuture<Boolean> waiting =
          CompletableFuture.supplyAsync(() -> store().swap(NAME, Optional.of(FIRST), SECOND));
      assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS))
          .isInstanceOf(TimeoutException.class);
      other.commit();
      assertThat(waiting.get(30, TimeUnit.SECONDS)).isFalse();
    }
    assertThat(store().read(NAME).map(LeaseRecord::owner)).contains("thief");
  }

  @Test
  void a_change_that_never_ends_is_not_waited_for_without_an_end() throws Exception {
    store().read(NAME);
    store().swap(NAME, Optional.empty(), FIRST);
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.executeUpdate(STEAL);
      assertThatThrownBy(() -> store().swap(NAME, Optional.of(FIRST), SECOND))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue());
      other.rollback();
    }
    assertThat(store().read(NAME)).contains(FIRST);
  }

  @Test
  void a_user_without_a_right_is_told_which_grant_is_missing() {
    String user = database.name() + "_user";
    database.execute(
        "CREATE ROLE " + user + " LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    LeaseStore store = storeOf(user);
    assertRefused(() -> store.read(NAME), "tula_lease is missing");

    store().read(NAME);
    assertRefused(() -> store.read(NAME), "GRANT SELECT, INSERT, UPDATE ON tula_lease");

    database.execute("GRANT SELECT ON tula_lease TO " + user);
    assertThat(store.read(NAME)).isEmpty();
    assertRefused(
        () -> store.swap(NAME, Optional.empty(), FIRST),
        "GRANT SELECT, INSERT, UPDATE ON tula_lease");

    database.execute("GRANT SELECT, INSERT, UPDATE ON tula_lease TO " + user);
    assertThat(store.swap(NAME, Optional.empty(), FIRST)).isTrue();
    assertThat(store.swap(NAME, Optional.of(FIRST), SECOND)).isTrue();
  }

  @Test
  void a_user_that_the_database_does_not_know_is_refused_at_once() {
    assertRefused(() -> storeOf("nobody_of_that_name").read(NAME), "tula.fencing.user");
  }

  private static void assertRefused(Runnable call, String advice) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContaining(advice)
        .hasCauseInstanceOf(SQLException.class);
  }
}
