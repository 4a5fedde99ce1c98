package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.local.LakeShape.Layout;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LakeVerifierTest {
  private static final int ROWS = 240;
  private static final LakeShape SHARED = new LakeShape(Layout.SHARED, 1, false, false, 1);

  @TempDir Path directory;

  private TestLake lake;
  private LakeVerifier verifier;

  @BeforeEach
  void open() throws Exception {
    lake = new TestLake(directory.resolve("lake"));
    verifier = LakeVerifier.open(directory.resolve("verify"), 256);
  }

  @AfterEach
  void close() throws Exception {
    verifier.close();
    lake.close();
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void a_complete_lake_agrees_in_every_layout_and_partition(Layout layout) throws Exception {
    for (int partitions : List.of(1, 4)) {
      LakeShape shape = new LakeShape(layout, partitions, false, false, 1);
      try (TestLake own = new TestLake(directory.resolve("lake-" + partitions));
          LakeVerifier fresh = LakeVerifier.open(directory.resolve("verify-" + partitions), 256)) {
        own.createTables(shape).appendTransactions(shape, ROWS);
        fresh.loadTruth(TestRows.transactions(ROWS).iterator());

        LakeVerdict verdict = fresh.verify(own.lake(), shape);

        assertThat(verdict.agrees()).as("%s", verdict).isTrue();
        assertThat(verdict.rows()).isEqualTo(ROWS);
        assertThat(verdict.tables()).allSatisfy(table -> assertThat(table.rows()).isPositive());
        assertThat(amountSum(verdict)).isEqualTo(expectedAmountSum());
      }
    }
  }

  @Test
  void a_missing_row_is_found_and_named() throws Exception {
    lake.createTables(SHARED).append("transactions", rowsWhere("transfer_id NOT LIKE '%0b'"));

    TableVerdict verdict = verdict();

    assertThat(verdict.missing()).isEqualTo(1);
    assertThat(verdict.duplicated() + verdict.different() + verdict.unexpected()).isZero();
    assertThat(verdict.agrees()).isFalse();
    assertThat(verdict.examples()).containsExactly("2:1 is missing");
  }

  @Test
  void a_row_in_two_files_is_found_and_named() throws Exception {
    lake.createTables(SHARED).append("transactions", TestRows.sql(ROWS));
    lake.append("transactions", rowsWhere("global_batch_seq = 3 AND array_index = 4"));

    TableVerdict verdict = verdict();

    assertThat(verdict.duplicated()).isEqualTo(1);
    assertThat(verdict.missing() + verdict.different() + verdict.unexpected()).isZero();
    assertThat(verdict.agrees()).isFalse();
    assertThat(verdict.examples()).containsExactly("3:4 is there 2 times");
  }

  @Test
  void a_row_with_another_value_is_found_with_its_column() throws Exception {
    lake.createTables(SHARED)
        .append(
            "transactions",
            "SELECT * REPLACE (if(global_batch_seq = 5 AND array_index = 6, amount + 1, amount)"
                + "::DECIMAL(28, 0) AS amount) FROM ("
                + TestRows.sql(ROWS)
                + ")");

    TableVerdict verdict = verdict();

    assertThat(verdict.different()).isEqualTo(1);
    assertThat(verdict.missing() + verdict.duplicated() + verdict.unexpected()).isZero();
    assertThat(verdict.agrees()).isFalse();
    assertThat(verdict.examples()).containsExactly("5:6 has amount 1047 instead of 1046");
  }

  @Test
  void a_time_that_is_one_microsecond_off_is_different() throws Exception {
    lake.createTables(SHARED)
        .append(
            "transactions",
            "SELECT * REPLACE (if(global_batch_seq = 5 AND array_index = 6,"
                + " recorded_at + INTERVAL 1 MICROSECOND, recorded_at) AS recorded_at) FROM ("
                + TestRows.sql(ROWS)
                + ")");

    assertThat(verdict().different()).isEqualTo(1);
  }

  @Test
  void a_row_in_the_wrong_table_is_missing_in_one_and_unexpected_in_the_other() throws Exception {
    LakeShape shape = new LakeShape(Layout.BY_MODE, 1, false, false, 1);
    lake.createTables(shape);
    String stray = "global_batch_seq = 1 AND array_index = 1";
    lake.append("transactions_default", rowsWhere("mode = 'default' AND NOT (" + stray + ")"));
    lake.append(
        "transactions_position_settlement",
        rowsWhere("mode = 'position_settlement' OR (" + stray + ")"));
    verifier.loadTruth(TestRows.transactions(ROWS).iterator());

    LakeVerdict verdict = verifier.verify(lake.lake(), shape);

    assertThat(verdict.missing()).isEqualTo(1);
    assertThat(verdict.unexpected()).isEqualTo(1);
    assertThat(verdict.agrees()).isFalse();
  }

  @Test
  void a_row_in_the_wrong_partition_does_not_agree() throws Exception {
    LakeShape shape = new LakeShape(Layout.SHARED, 2, false, false, 1);
    lake.createTables(shape);
    lake.append("transactions_p0", rowsWhere("global_batch_seq % 2 = 0 OR global_batch_seq = 3"));
    lake.append("transactions_p1", rowsWhere("global_batch_seq % 2 = 1 AND global_batch_seq <> 3"));
    verifier.loadTruth(TestRows.transactions(ROWS).iterator());

    LakeVerdict verdict = verifier.verify(lake.lake(), shape);

    assertThat(verdict.missing()).isEqualTo(TestRows.BATCH_RECORDS);
    assertThat(verdict.unexpected()).isEqualTo(TestRows.BATCH_RECORDS);
  }

  @Test
  void a_dropped_table_counts_every_row_as_missing() throws Exception {
    lake.createTables(SHARED).append("transactions", TestRows.sql(ROWS));
    lake.drop("transactions");

    TableVerdict verdict = verdict();

    assertThat(verdict.missing()).isEqualTo(ROWS);
    assertThat(verdict.agrees()).isFalse();
  }

  @Test
  void a_column_of_another_type_is_a_problem_with_its_name() throws Exception {
    List<LakeColumn> columns = new ArrayList<>(LakeFormat.tables(SHARED).get(0).columns());
    columns.set(11, columns.get(5));
    lake.create("transactions", columns.stream().distinct().toList(), column -> true);

    assertThat(verdict().problems()).contains("column credit_account_id is not there");
  }

  @Test
  void a_table_that_the_layout_does_not_have_is_a_problem() throws Exception {
    lake.createTables(SHARED).appendTransactions(SHARED, ROWS);
    lake.create("transactions_old", LakeFormat.columns(1), column -> true);
    verifier.loadTruth(TestRows.transactions(ROWS).iterator());

    LakeVerdict verdict = verifier.verify(lake.lake(), SHARED);

    assertThat(verdict.problems())
        .containsExactly("table transactions_old is not part of layout shared");
    assertThat(verdict.agrees()).isFalse();
  }

  @Test
  void change_logs_are_compared_with_their_lists() throws Exception {
    LakeShape shape = new LakeShape(Layout.SHARED, 1, true, false, 1);
    lake.createTables(shape).appendTransactions(shape, ROWS);
    lake.append("ledger_changes", changes("['EUR', 'US''D']"));
    List<ByteBuffer> truth = new ArrayList<>(TestRows.transactions(ROWS));
    truth.addAll(TestRows.ledgerChanges());
    verifier.loadTruth(truth.iterator());

    assertThat(verifier.verify(lake.lake(), shape).agrees()).isTrue();
  }

  @Test
  void a_list_with_another_item_is_different() throws Exception {
    LakeShape shape = new LakeShape(Layout.SHARED, 1, true, false, 1);
    lake.createTables(shape);
    lake.append("ledger_changes", changes("['EUR', 'USD']"));
    verifier.loadTruth(TestRows.ledgerChanges().iterator());

    assertThat(verifier.verify(lake.lake(), shape).different()).isEqualTo(2);
  }

  private String changes(String currencies) {
    return "SELECT 1::BIGINT AS global_batch_seq, 1::BIGINT AS batch_seq,"
        + " (10 + i)::INTEGER AS array_index,"
        + " to_timestamp((1700000001000000 + 10 + i) / 1000000.0) AS timestamp,"
        + " to_timestamp(1700000001) AS recorded_at,"
        + " '7' AS entity_id, 'created' AS change, 'stream' AS origin,"
        + " 'book' AS name, 'default' AS mode, "
        + currencies
        + " AS currencies FROM range(2) r(i)";
  }

  private TableVerdict verdict() {
    verifier.loadTruth(TestRows.transactions(ROWS).iterator());
    return verifier.verify(lake.lake(), SHARED).tables().get(0);
  }

  private static String rowsWhere(String condition) {
    return "SELECT * FROM (" + TestRows.sql(ROWS) + ") WHERE " + condition;
  }

  private static BigInteger amountSum(LakeVerdict verdict) {
    return verdict.tables().stream()
        .map(table -> table.amountSum().orElseThrow())
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  private static BigInteger expectedAmountSum() {
    long sum = 0;
    for (int i = 0; i < ROWS; i++) {
      sum += TestRows.amount(i);
    }
    return BigInteger.valueOf(sum);
  }
}
