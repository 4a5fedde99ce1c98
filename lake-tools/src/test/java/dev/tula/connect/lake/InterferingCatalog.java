package dev.tula.connect.lake;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** A JDBC catalog in whose commits a test has a hand; made by the command, by name. */
public final class InterferingCatalog extends JdbcCatalog {
  private static volatile Interference interference = (table, commit) -> commit.run();

  /** What happens at a commit. */
  interface Interference {
    void at(String table, Runnable commit);

    /** Does something once, before the first commit to a table. */
    static Interference before(String table, Runnable once) {
      AtomicBoolean done = new AtomicBoolean();
      return (name, commit) -> {
        if (name.equals(table) && done.compareAndSet(false, true)) {
          once.run();
        }
        commit.run();
      };
    }

    /** Every commit lands, and its reply is lost. */
    static Interference losingReplies() {
      return (name, commit) -> {
        commit.run();
        throw lost();
      };
    }

    /** No commit gets there, and nobody knows. */
    static Interference losingCommits() {
      return (name, commit) -> {
        throw lost();
      };
    }

    private static CommitStateUnknownException lost() {
      return new CommitStateUnknownException(new IllegalStateException("lost"));
    }
  }

  /** Has this done at every commit from now on. */
  static void with(Interference next) {
    interference = next;
  }

  @Override
  protected TableOperations newTableOps(TableIdentifier identifier) {
    TableOperations operations = super.newTableOps(identifier);
    return (TableOperations)
        Proxy.newProxyInstance(
            InterferingCatalog.class.getClassLoader(),
            new Class<?>[] {TableOperations.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("commit")) {
                return call(operations, method, arguments);
              }
              interference.at(
                  identifier.name(),
                  () -> {
                    try {
                      call(operations, method, arguments);
                    } catch (RuntimeException e) {
                      throw e;
                    } catch (Throwable e) {
                      throw new IllegalStateException(e);
                    }
                  });
              return null;
            });
  }

  private static Object call(TableOperations operations, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(operations, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
