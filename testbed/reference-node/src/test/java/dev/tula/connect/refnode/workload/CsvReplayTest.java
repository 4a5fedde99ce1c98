package dev.tula.connect.refnode.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.refnode.cluster.CommittedLedger;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvReplayTest {
  private static final String HEADER =
      "type,ledger_id,currency,txn_id,debit_account,credit_account,amount,batch,recorded_at\n";
  private static final String A = "000000000000000000000000000000aa";
  private static final String B = "00000000-0000-0000-0000-0000000000bb";

  @TempDir private Path directory;

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("transfers.csv"), text);
  }

  private static String txn(int number) {
    return String.format("%032x", number);
  }

  private CommittedLedger ledger(Path csv) {
    return CommittedLedger.open(directory.resolve("ledger"), 1 << 20, CsvReplay.open(csv, 1, 100));
  }

  private List<CanonicalRow> rows() {
    List<CanonicalRow> rows = new ArrayList<>();
    try (TruthReader truth = TruthReader.open(directory.resolve("ledger"), RecordForm.FULL)) {
      while (truth.next()) {
        rows.add(truth.row());
      }
    }
    return rows;
  }

  @Test
  void lines_become_transfers_and_what_they_name_first_is_created_before_them() throws IOException {
    Path csv =
        file(
            HEADER
                + ("transfer,1,USD," + txn(1) + "," + A + "," + B + ",500,x,\n")
                + ("reserve,1,USD," + txn(2) + "," + B + "," + A + ",200,x,\n")
                + ("commit,1,USD," + txn(2) + ",,,,y,\n")
                + ("transfer,1,USD," + txn(1) + "," + A + "," + B + ",500,y,\n"));
    try (CommittedLedger ledger = ledger(csv)) {
      assertThat(ledger.advance(Long.MAX_VALUE)).isEqualTo(8);
      assertThat(ledger.checkBalances().balanced()).isTrue();
    }
    List<CanonicalRow> rows = rows();
    assertThat(rows.stream().map(CanonicalRow::kind).toList())
        .startsWith(
            RecordKind.CURRENCY_CHANGE,
            RecordKind.LEDGER_CHANGE,
            RecordKind.SOURCE_CHANGE,
            RecordKind.ACCOUNT_CHANGE,
            RecordKind.ACCOUNT_CHANGE,
            RecordKind.TRANSACTION);
    assertThat(outcomes(rows)).containsExactly("posted", "reserved", "committed");
    assertThat(rows.get(6).globalBatchSeq()).isEqualTo(1);
    assertThat(rows.get(7).globalBatchSeq()).isEqualTo(2);
  }

  private static List<String> outcomes(List<CanonicalRow> rows) {
    RowReader reader = new RowReader();
    return rows.stream()
        .filter(row -> row.kind() == RecordKind.TRANSACTION)
        .map(row -> reader.wrap(row).string(RowSchema.OUTCOME))
        .toList();
  }

  @Test
  void a_file_may_set_its_own_commit_times_even_long_ago() throws IOException {
    Path csv =
        file(
            HEADER
                + ("transfer,1,USD,"
                    + txn(1)
                    + ","
                    + A
                    + ","
                    + B
                    + ",5,,1999-12-31T23:59:59.000001Z\n")
                + ("transfer,1,USD," + txn(2) + "," + A + "," + B + ",5,,2001-01-01T00:00:00Z\n"));
    try (CommittedLedger ledger = ledger(csv)) {
      ledger.advance(Long.MAX_VALUE);
    }
    List<CanonicalRow> rows = rows();
    assertThat(rows.get(0).recordedAtMicros()).isEqualTo(946_684_799_000_001L);
    assertThat(rows.get(rows.size() - 1).recordedAtMicros()).isEqualTo(978_307_200_000_000L);
  }

  @Test
  void a_replay_in_pieces_over_restarts_comes_to_the_same_records() throws IOException {
    StringBuilder text = new StringBuilder(HEADER);
    for (int i = 0; i < 300; i++) {
      // Every third line repeats the one before it.
      int txn = i % 3 == 2 ? i - 1 : i;
      text.append("transfer,").append(1 + txn % 2).append(",USD,").append(txn(txn));
      text.append(',').append(txn(1000 + txn % 7)).append(',').append(txn(2000 + txn % 5));
      text.append(',').append(1 + txn).append(",,\n");
    }
    Path csv = file(text.toString());
    try (CommittedLedger ledger = ledger(csv)) {
      ledger.advance(Long.MAX_VALUE);
    }
    List<String> whole = identities(rows());
    Files.move(directory.resolve("ledger"), directory.resolve("whole"));

    for (boolean more = true; more; ) {
      try (CommittedLedger ledger = ledger(csv)) {
        more = ledger.advance(7) > 0;
      }
    }
    assertThat(identities(rows())).isEqualTo(whole);
  }

  /** Everything but position and time, which depend on how the batches were cut. */
  private static List<String> identities(List<CanonicalRow> rows) {
    RowReader reader = new RowReader();
    return rows.stream()
        .filter(row -> row.kind() == RecordKind.TRANSACTION)
        .map(row -> reader.wrap(row).hex(RowSchema.TXN_ID) + reader.string(RowSchema.OUTCOME))
        .toList();
  }

  @Test
  void the_sample_replays_whole() throws URISyntaxException {
    Path sample = Path.of(CsvReplay.class.getResource("/sample-transfers.csv").toURI());
    try (CommittedLedger ledger = ledger(sample)) {
      assertThat(ledger.advance(Long.MAX_VALUE)).isPositive();
      assertThat(ledger.checkBalances().balanced()).isTrue();
    }
    assertThat(outcomes(rows()))
        .contains("posted", "reserved", "committed", "rolled_back", "rejected_by_caller");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "swap,1,USD,T,A,B,5,,|type: \"swap\" is no type",
        "transfer,x,USD,T,A,B,5,,|ledger_id: \"x\" is no whole number",
        "transfer,1,USD,12,A,B,5,,|txn_id: \"12\" is not an id",
        "transfer,1,USD,T,,B,5,,|debit_account is empty",
        "transfer,1,USD,T,A,B,1.5,,|amount: \"1.5\" is not a whole number",
        "transfer,1,USD,T,A,B,5,|has 8 values for 9 columns",
        "transfer,1,USD,T,A,B,5,,yesterday|recorded_at: Text 'yesterday'",
        "transfer,1,USD,T,A,B,5,\"x,|a double quote is not closed",
      })
  void a_wrong_line_is_named_with_its_number_and_column(String line, String message)
      throws IOException {
    String good = "transfer,1,USD," + txn(1) + "," + A + "," + B + ",5,,\n";
    String wrong =
        line.replace(",T,", "," + txn(2) + ",")
            .replace(",A,", "," + A + ",")
            .replace(",B,", "," + B + ",");
    Path csv = file(HEADER + good + wrong + "\n" + good);

    assertThatThrownBy(() -> CsvReplay.open(csv, 1, 100))
        .isInstanceOf(CsvFormatException.class)
        .hasMessageContaining("transfers.csv, line 3: ")
        .hasMessageContaining(message);
  }

  @Test
  void times_that_go_back_or_differ_within_a_batch_are_refused() throws IOException {
    String start = "transfer,1,USD," + txn(1) + "," + A + "," + B + ",5,";
    assertThatThrownBy(
            () ->
                CsvReplay.open(
                    file(
                        HEADER
                            + start
                            + ",2026-01-02T00:00:00Z\n"
                            + start
                            + ",2026-01-01T00:00:00Z\n"),
                    1,
                    100))
        .hasMessageContaining("line 3: recorded_at lies before");
    assertThatThrownBy(
            () ->
                CsvReplay.open(
                    file(HEADER + start + "b,2026-01-01T00:00:00Z\n" + start + "b,\n"), 1, 100))
        .hasMessageContaining("line 3: recorded_at differs within batch b");
  }

  @Test
  void a_header_that_is_not_understood_is_refused() throws IOException {
    assertThatThrownBy(() -> CsvReplay.open(file("type,amount\n"), 1, 100))
        .hasMessageContaining("column \"ledger_id\" is missing");
    assertThatThrownBy(() -> CsvReplay.open(file(HEADER.trim() + ",color\n"), 1, 100))
        .hasMessageContaining("column \"color\" is not known");
  }
}
