package dev.tula.connect.local;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** An Iceberg JDBC catalog, read from its own table. Safe for any thread. */
final class SqlLakeCatalog implements LakeCatalog {
  private static final String UNDEFINED_TABLE = "42P01"; // PostgreSQL's; SQLite has only the text

  private final String uri;
  private final Properties user = new Properties();

  private SqlLakeCatalog(String uri) {
    this.uri = uri;
  }

  /** In an SQLite file, which the first connection makes. */
  static SqlLakeCatalog sqlite(String uri) {
    return new SqlLakeCatalog(uri);
  }

  /** In PostgreSQL. */
  static SqlLakeCatalog postgres(String uri, String user, String password) {
    SqlLakeCatalog catalog = new SqlLakeCatalog(uri);
    catalog.user.setProperty("user", user);
    catalog.user.setProperty("password", password);
    return catalog;
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public List<String> tableNames(String namespace) {
    return select(
        "SELECT table_name FROM iceberg_tables WHERE table_namespace = ? ORDER BY table_name",
        namespace);
  }

  @Override
  public Optional<String> metadataLocation(String namespace, String table) {
    return select(
            "SELECT metadata_location FROM iceberg_tables"
                + " WHERE table_namespace = ? AND table_name = ?",
            namespace,
            table)
        .stream()
        .findFirst();
  }

  /** A connection, the caller's to close. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(uri, user);
  }

  private List<String> select(String sql, String... parameters) {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      List<String> values = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          values.add(rows.getString(1));
        }
      }
      return values;
    } catch (SQLException e) {
      if (UNDEFINED_TABLE.equals(e.getSQLState()) || e.getMessage().contains("no such table")) {
        return List.of();
      }
      throw new StackException("the catalog " + uri + " could not be read", e);
    }
  }
}
