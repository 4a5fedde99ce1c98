package dev.tula.connect.sink.fencing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An empty table behind JDBC, whose statements fail as told. For one thread. */
final class FailingDatabase implements SqlLeaseStore.Connections {
  private final Map<String, SQLException> failures = new HashMap<>();
  private final List<String> executed = new ArrayList<>();
  private final List<String> executedWithoutLimit = new ArrayList<>();
  private Optional<SQLException> missing = Optional.empty();
  private int opened;
  private int limited;
  private int closed;

  /** Statements that begin with this word fail. */
  void fail(String word, SQLException failure) {
    failures.put(word, failure);
  }

  /** As long as the table was not created, all others fail with this. */
  void failUntilCreated(SQLException failure) {
    missing = Optional.of(failure);
  }

  List<String> executed() {
    return executed;
  }

  List<String> executedWithoutLimit() {
    return executedWithoutLimit;
  }

  int connectionsWithoutLimit() {
    return opened - limited;
  }

  int connectionsLeftOpen() {
    return opened - closed;
  }

  @Override
  public Connection open() {
    opened++;
    return proxy(
        Connection.class,
        (self, method, args) ->
            switch (method.getName()) {
              case "prepareStatement" -> statement((String) args[0]);
              case "createStatement" -> statement("");
              case "setNetworkTimeout" -> limited++;
              case "close" -> closed++;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  private PreparedStatement statement(String prepared) {
    boolean[] hasLimit = new boolean[1];
    return proxy(
        PreparedStatement.class,
        (self, method, args) ->
            switch (method.getName()) {
              case "setQueryTimeout" -> hasLimit[0] = (int) args[0] > 0;
              case "setString", "setLong", "close" -> null;
              case "execute" -> execute((String) args[0], hasLimit[0], false);
              case "executeUpdate" -> execute(prepared, hasLimit[0], 1);
              case "executeQuery" -> execute(prepared, hasLimit[0], noRows());
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  private Object execute(String sql, boolean hasLimit, Object result) throws SQLException {
    executed.add(sql);
    if (!hasLimit) {
      executedWithoutLimit.add(sql);
    }
    SQLException failure = failures.get(sql.substring(0, sql.indexOf(' ')));
    if (failure != null) {
      throw failure;
    }
    if (sql.startsWith("CREATE")) {
      missing = Optional.empty();
    }
    if (missing.isPresent()) {
      throw missing.get();
    }
    return result;
  }

  private static ResultSet noRows() {
    return proxy(
        ResultSet.class, (self, method, args) -> method.getName().equals("next") ? false : null);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
