package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases in table {@code tula_lease} of a database. A connection is made for each call, so that
 * none is ever stale; a lease is renewed a few times a minute. Each statement has a time limit, and
 * so has each answer on the network where the driver can limit it.
 */
final class SqlLeaseStore implements LeaseStore {
  private static final Logger LOG = LoggerFactory.getLogger(SqlLeaseStore.class);
  private static final int STATEMENT_LIMIT_S = 10;

  /** Above the statement's, whose end the database tells of. */
  private static final int NETWORK_LIMIT_S = 15;

  static final String CREATE =
      "CREATE TABLE tula_lease (lease_name VARCHAR(400) NOT NULL PRIMARY KEY,"
          + " owner VARCHAR(400) NOT NULL, renewals BIGINT NOT NULL, ttl_ms BIGINT NOT NULL)";
  private static final String READ =
      "SELECT owner, renewals, ttl_ms FROM tula_lease WHERE lease_name = ?";
  private static final String INSERT =
      "INSERT INTO tula_lease (owner, renewals, ttl_ms, lease_name) VALUES (?, ?, ?, ?)";
  private static final String UPDATE =
      "UPDATE tula_lease SET owner = ?, renewals = ?, ttl_ms = ?"
          + " WHERE lease_name = ? AND owner = ? AND renewals = ? AND ttl_ms = ?";

  /**
   * By SQLSTATE: PostgreSQL's undefined_table, what ODBC gave to MySQL and MariaDB, H2's two more,
   * SQL Server's, and Derby's.
   */
  private static final Set<String> NO_TABLE_STATES =
      Set.of("42P01", "42S02", "42S03", "42S04", "S0002", "42X05");

  /** SQLite has no SQLSTATE. */
  private static final String NO_TABLE_MESSAGE = "no such table";

  /** PostgreSQL's insufficient_privilege. */
  private static final String NO_RIGHT_STATE = "42501";

  /**
   * MySQL's and MariaDB's denials: of a database, of a table, of a column, of what needs a role, of
   * a routine. Their state, 42000, is also that of limits which pass.
   */
  private static final Set<Integer> NO_RIGHT_CODES = Set.of(1044, 1142, 1143, 1227, 1370);

  private final Connections connections;

  /** Makes connections. */
  interface Connections {
    Connection open() throws SQLException;
  }

  /**
   * @param credentials {@code user} and {@code password}, where the database wants them
   */
  SqlLeaseStore(String url, Properties credentials) {
    this(() -> connect(url, withLimits(url, credentials)));
  }

  SqlLeaseStore(Connections connections) {
    this.connections = connections;
  }

  private interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  @Override
  public Optional<LeaseRecord> read(String name) {
    return call(
        "reading the lease " + name,
        connection -> {
          if (!isThere(connection)) {
            create(connection);
          }
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
    } catch (IllegalArgumentException | NullPointerException e) {
      throw LakeException.passing(
          "the row of " + name + " in table tula_lease is no lease: " + e, e);
    }
  }

  private static boolean isThere(Connection connection) throws SQLException {
    try {
      read(connection, "");
      return true;
    } catch (SQLException e) {
      if (isNoTable(e)) {
        return false;
      }
      throw e;
    }
  }

  private static boolean isNoTable(SQLException e) {
    return e.getSQLState() == null
        ? e.getMessage() != null && e.getMessage().contains(NO_TABLE_MESSAGE)
        : NO_TABLE_STATES.contains(e.getSQLState());
  }

  /** Two that create it at once: one fails, and then finds it. */
  private static void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(STATEMENT_LIMIT_S);
      statement.execute(CREATE);
    } catch (SQLException e) {
      if (isThere(connection)) {
        return;
      }
      if (isRightMissing(e)) {
        throw LakeException.lasting(
            "table tula_lease is missing in the database that tula.fencing.url names, and the database does"
                + " not let the user create it. Create it there ("
                + CREATE
                + "), and GRANT SELECT, INSERT, UPDATE ON tula_lease to that user: "
                + e.getMessage(),
            e);
      }
      throw e;
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
      if (isTaken(connection, name, e)) {
        return false;
      }
      throw e;
    }
  }

  /** Whether the row was there before, which each database reports in its own way. */
  private static boolean isTaken(Connection connection, String name, SQLException refused) {
    try {
      return read(connection, name).isPresent();
    } catch (SQLException e) {
      refused.addSuppressed(e);
      return false;
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
    try (Connection connection = connections.open()) {
      limit(connection);
      return work.on(connection);
    } catch (SQLException e) {
      throw failure(what, e);
    }
  }

  private static void limit(Connection connection) throws SQLException {
    try {
      connection.setNetworkTimeout(Runnable::run, NETWORK_LIMIT_S * 1_000);
    } catch (SQLFeatureNotSupportedException e) {
      LOG.trace("This driver has no network to wait for", e);
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
    if (isRightMissing(e)) {
      return LakeException.lasting(
          what
              + ": the database does not let the user do this with table tula_lease;"
              + " GRANT SELECT, INSERT, UPDATE ON tula_lease to the user that tula.fencing.user names: "
              + e.getMessage(),
          e);
    }
    return LakeException.passing(
        what
            + " in table tula_lease of the database that tula.fencing.url names failed: "
            + e.getMessage(),
        e);
  }

  private static boolean isRightMissing(SQLException e) {
    return NO_RIGHT_STATE.equals(e.getSQLState())
        || "42000".equals(e.getSQLState()) && NO_RIGHT_CODES.contains(e.getErrorCode());
  }

  /**
   * PostgreSQL's driver waits for ever while it logs in, unless it is told otherwise; what the URL
   * says counts more. Other drivers take other properties and units.
   */
  private static Properties withLimits(String url, Properties credentials) {
    Properties properties = new Properties();
    properties.putAll(credentials);
    if (url.startsWith("jdbc:postgresql:")) {
      properties.setProperty("socketTimeout", Integer.toString(NETWORK_LIMIT_S));
    }
    return properties;
  }

  /**
   * Looks for the driver beside this class: {@code DriverManager} does not know those of a plugin.
   */
  private static Connection connect(String url, Properties properties) throws SQLException {
    for (Driver driver : ServiceLoader.load(Driver.class, SqlLeaseStore.class.getClassLoader())) {
      if (driver.acceptsURL(url)) {
        Connection connection = driver.connect(url, properties);
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
