package dev.tula.connect.sink.lake;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** One PostgreSQL server for all tests of a JVM; it ends with that. */
public final class TestPostgres {
  private static final EmbeddedPostgres SERVER = start();

  private TestPostgres() {}

  private static EmbeddedPostgres start() {
    try {
      return EmbeddedPostgres.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL of the database that all share, for its superuser. */
  static String sharedUrl() {
    return SERVER.getJdbcUrl("postgres", "postgres");
  }

  /** A database of its own, and empty. */
  public static Database newDatabase() {
    String name = "t" + UUID.randomUUID().toString().replace("-", "");
    new Database("postgres").execute("CREATE DATABASE " + name);
    return new Database(name);
  }

  /**
   * @param name what the server calls it
   */
  public record Database(String name) {
    /** A JDBC URL for one of its users. */
    public String url(String user) {
      return SERVER.getJdbcUrl(user, name);
    }

    /** A connection of the superuser's. */
    public Connection connect() throws SQLException {
      return SERVER.getDatabase("postgres", name).getConnection();
    }

    /** Carries statements out as the superuser. */
    public void execute(String... statements) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        for (String sql : statements) {
          statement.execute(sql);
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
