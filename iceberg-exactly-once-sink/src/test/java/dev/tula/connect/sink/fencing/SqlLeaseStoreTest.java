package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On SQLite, and on a stand-in that fails as other databases do. */
class SqlLeaseStoreTest extends LeaseStoreContract {
  @TempDir private Path folder;

  @Override
  LeaseStore store() {
    return new SqlLeaseStore(
        "jdbc:sqlite:" + folder.resolve("leases.db") + "?busy_timeout=20000", new Properties());
  }

  @Test
  void a_database_without_a_driver_is_named_as_such() {
    LeaseStore store = new SqlLeaseStore("jdbc:nobody:x", new Properties());
    assertThatThrownBy(() -> store.read(NAME))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContaining("JDBC driver");
  }

  @ParameterizedTest
  @CsvSource({
    "28P01, 0, password authentication failed, false, tula.fencing.user",
    "28000, 0, role does not exist, false, tula.fencing.user",
    "42501, 0, permission denied for table tula_lease, false, 'GRANT SELECT, INSERT, UPDATE ON tula_lease'",
    "42000, 1142, SELECT command denied to user, false, 'GRANT SELECT, INSERT, UPDATE ON tula_lease'",
    "42000, 1203, User has already more than max_user_connections, true, tula.fencing.url",
    "08001, 0, connection refused, true, tula.fencing.url",
    "57014, 0, canceling statement due to user request, true, tula.fencing.url",
    "53300, 0, too many clients already, true, tula.fencing.url",
    ", 0, database is locked, true, tula.fencing.url",
  })
  void a_failure_to_read_says_what_it_is_and_makes_no_table(
      String state, int code, String message, boolean passing, String advice) {
    FailingDatabase database = new FailingDatabase();
    SQLException failure = new SQLException(message, state, code);
    database.fail("SELECT", failure);

    assertThatThrownBy(() -> new SqlLeaseStore(database).read(NAME))
        .isInstanceOfSatisfying(
            LakeException.class, e -> assertThat(e.isRetriable()).isEqualTo(passing))
        .hasMessageContainingAll(NAME, advice, message)
        .hasCause(failure);
    assertThat(database.executed()).noneMatch(sql -> sql.startsWith("CREATE"));
  }

  @ParameterizedTest
  @CsvSource({
    "42P01, relation does not exist",
    "42S02, table doesn't exist",
    "42S04, Table TULA_LEASE not found (this database is empty)",
    "S0002, Invalid object name 'tula_lease'.",
    ", '[SQLITE_ERROR] SQL error or missing database (no such table: tula_lease)'",
  })
  void a_table_that_is_missing_is_created_by_whatever_word_the_database_says_so(
      String state, String message) {
    FailingDatabase database = new FailingDatabase();
    database.failUntilCreated(new SQLException(message, state));

    assertThat(new SqlLeaseStore(database).read(NAME)).isEmpty();
    assertThat(database.executed()).filteredOn(sql -> sql.startsWith("CREATE")).hasSize(1);
  }

  @Test
  void who_may_not_create_the_table_is_told_what_is_to_be_created_and_granted() {
    FailingDatabase database = new FailingDatabase();
    database.failUntilCreated(new SQLException("relation does not exist", "42P01"));
    SQLException refused = new SQLException("permission denied for schema public", "42501");
    database.fail("CREATE", refused);

    assertThatThrownBy(() -> new SqlLeaseStore(database).read(NAME))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContainingAll(
            "tula_lease is missing", "CREATE TABLE tula_lease (", "GRANT SELECT, INSERT, UPDATE")
        .hasCause(refused);
  }

  @Test
  void the_docs_create_the_table_as_the_store_does() throws Exception {
    Path docs = Path.of("..", "docs", "deploy.md");
    assertThat(Files.readString(docs).replaceAll("\\s+", " ")).contains(SqlLeaseStore.CREATE + ";");
  }

  @ParameterizedTest
  @CsvSource({"INSERT", "UPDATE"})
  void who_may_read_and_not_write_is_told_so(String statement) {
    FailingDatabase database = new FailingDatabase();
    SQLException refused = new SQLException("permission denied for table tula_lease", "42501");
    database.fail(statement, refused);
    LeaseRecord record = new LeaseRecord("a", 1, 500);
    Optional<LeaseRecord> expected =
        statement.equals("INSERT") ? Optional.empty() : Optional.of(record);

    assertThatThrownBy(() -> new SqlLeaseStore(database).swap(NAME, expected, record))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContaining("GRANT SELECT, INSERT, UPDATE ON tula_lease")
        .hasCause(refused);
  }

  @Test
  void every_statement_and_every_connection_has_a_time_limit() {
    FailingDatabase database = new FailingDatabase();
    database.failUntilCreated(new SQLException("relation does not exist", "42P01"));
    LeaseStore store = new SqlLeaseStore(database);
    LeaseRecord record = new LeaseRecord("a", 1, 500);
    store.read(NAME);
    store.swap(NAME, Optional.empty(), record);
    store.swap(NAME, Optional.of(record), record);

    assertThat(database.executed())
        .extracting(sql -> sql.substring(0, 6))
        .contains("SELECT", "CREATE", "INSERT", "UPDATE");
    assertThat(database.executedWithoutLimit()).isEmpty();
    assertThat(database.connectionsWithoutLimit()).isZero();
    assertThat(database.connectionsLeftOpen()).isZero();
  }
}
