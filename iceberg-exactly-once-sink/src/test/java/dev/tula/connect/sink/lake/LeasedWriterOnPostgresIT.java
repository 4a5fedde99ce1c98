package dev.tula.connect.sink.lake;

/** The same with leases in a table of PostgreSQL. */
class LeasedWriterOnPostgresIT extends LeasedWriterTest {
  private final TestPostgres.Database database = TestPostgres.newDatabase();

  @Override
  String leases() {
    return database.url("postgres");
  }
}
