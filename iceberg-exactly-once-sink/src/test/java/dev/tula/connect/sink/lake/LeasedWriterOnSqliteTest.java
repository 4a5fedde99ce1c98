package dev.tula.connect.sink.lake;

/** The same with leases in a table of an SQLite file. */
class LeasedWriterOnSqliteTest extends LeasedWriterTest {
  @Override
  String leases() {
    return "jdbc:sqlite:" + folder.resolve("leases.db") + "?busy_timeout=20000";
  }
}
