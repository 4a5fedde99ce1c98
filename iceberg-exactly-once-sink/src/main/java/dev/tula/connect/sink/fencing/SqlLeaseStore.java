package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import java.util.ServiceLoader;

/**
 * Leases in table {@code tula_lease} of a database. A connection is made for each call, so that
 * none is ever stale; a lease is renewed a few times a minute.
 */
final class SqlLeaseStore implements LeaseStore {
  private static final int STATEMENT_LIMIT_S = 10;
  private static final String CREATE =
      "CREATE TABLE tula_lease (lease_name VARCHAR(400) NOT NULL PRIMARY KEY,"
          + " owner VARCHAR(400) NOT NULL, renewals BIGINT NOT NULL, ttl_ms BIGINT NOT NULL)";
  private static final String READ =
      "SELECT owner, renewals, ttl_ms FROM tula_lease WHERE lease_name = ?";
  private static final String INSERT =
      "INSERT INTO tula_lease (owner, renewals, ttl_ms, lease_name) VALUES (?, ?, ?, ?)";
  private static final String UPDATE =
      "UPDATE tula_lease SET owner = ?, renewals = ?, ttl_ms = ?"
          + " WHERE lease_name = ? AND owner = ? AND renewals = ? AND ttl_ms = ?";

  private final String url;
  private final Properties credentials;

  /**
   * @param credentials {@code user} and {@code password}, where the database wants them
   */
  SqlLeaseStore(String url, Properties credentials) {
    this.url = url;
    this.credentials = credentials;
  }

  private interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  @Override
  public Optional<LeaseRecord> read(String name) {
    return call(
        "reading the lease " + name,
        connection -> {
          createIfMissing(connection);
          return read(connection, name);
        });
  }

  private static Optional<LeaseRecord> read(Connection connection, String name)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, READ)) {
      statement.setString(1, name);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next()
            ? Optional.of(new LeaseRecord(rows.getString(1), rows.getLong(2), rows.getLong(3)))
            : Optional.empty();
      }
    }
  }

  /** Two that create it at once: one fails, and then finds it. */
  private static void createIfMissing(Connection connection) throws SQLException {
    if (isThere(connection)) {
      return;
    }
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(STATEMENT_LIMIT_S);
      statement.execute(CREATE);
    } catch (SQLException e) {
      if (!isThere(connection)) {
        throw e;
      }
    }
  }

  private static boolean isThere(Connection connection) {
    try {
      read(connection, "");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
    return call(
        "taking the lease " + name,
        connection ->
            expected.isPresent()
                ? update(connection, name, expected.get(), next)
                : insert(connection, name, next));
  }

  private static boolean update(
      Connection connection, String name, LeaseRecord expected, LeaseRecord next)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, UPDATE)) {
      set(statement, name, next);
      statement.setString(5, expected.owner());
      statement.setLong(6, expected.renewals());
      statement.setLong(7, expected.ttlMs());
      return statement.executeUpdate() == 1;
    }
  }

  private static boolean insert(Connection connection, String name, LeaseRecord next)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, INSERT)) {
      set(statement, name, next);
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      if (read(connection, name).isPresent()) {
        return false;
      }
      throw e;
    }
  }

  private static void set(PreparedStatement statement, String name, LeaseRecord next)
      throws SQLException {
    statement.setString(1, next.owner());
    statement.setLong(2, next.renewals());
    statement.setLong(3, next.ttlMs());
    statement.setString(4, name);
  }

  private static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.setQueryTimeout(STATEMENT_LIMIT_S);
    return statement;
  }

  private <T> T call(String what, Work<T> work) {
    try (Connection connection = connect()) {
      return work.on(connection);
    } catch (SQLException e) {
      throw failure(what, e);
    }
  }

  /** SQL states of class 28 say that a database refused the user. */
  static LakeException failure(String what, SQLException e) {
    if (e.getSQLState() != null && e.getSQLState().startsWith("28")) {
      return LakeException.lasting(
          what
              + ": the database refused the user; check tula.fencing.user and .password: "
              + e.getMessage(),
          e);
    }
    return LakeException.passing(
        what
            + " in table tula_lease of the database that tula.fencing.url names failed: "
            + e.getMessage(),
        e);
  }

  /**
   * Looks for the driver beside this class: {@code DriverManager} does not know those of a plugin.
   */
  private Connection connect() throws SQLException {
    for (Driver driver : ServiceLoader.load(Driver.class, SqlLeaseStore.class.getClassLoader())) {
      if (driver.acceptsURL(url)) {
        Connection connection = driver.connect(url, credentials);
        if (connection != null) {
          return connection;
        }
      }
    }
    throw LakeException.lasting(
        "no JDBC driver for tula.fencing.url is among the plugin's jars; put one into its lib folder",
        null);
  }
}
