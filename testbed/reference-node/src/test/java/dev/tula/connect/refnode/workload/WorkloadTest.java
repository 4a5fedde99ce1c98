package dev.tula.connect.refnode.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.refnode.cluster.CommittedLedger;
import dev.tula.connect.refnode.engine.LedgerEngine;
import dev.tula.connect.refnode.engine.Outcome;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.Layout;
import dev.tula.connect.refnode.truth.TruthReader;
import dev.tula.connect.refnode.truth.TruthTotals;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkloadTest {
  private static final int ROWS = 30_000;
  private static final long SEGMENT = 1 << 20;

  @TempDir private Path directory;

  private static CommittedLedger open(Path where, long seed) {
    return CommittedLedger.open(where, SEGMENT, new WorkloadGenerator(WorkloadSettings.of(seed)));
  }

  private static String sha256(Path where) {
    try (TruthReader truth = TruthReader.open(where, RecordForm.FULL)) {
      return TruthTotals.of(truth, Layout.BY_TYPE).sha256();
    }
  }

  @Test
  void the_same_seed_leads_to_the_same_bytes_and_another_to_others() {
    for (String name : new String[] {"a", "b"}) {
      try (CommittedLedger ledger = open(directory.resolve(name), 7)) {
        assertThat(ledger.advance(ROWS)).isEqualTo(ROWS);
      }
    }
    try (CommittedLedger ledger = open(directory.resolve("c"), 8)) {
      ledger.advance(ROWS);
    }
    assertThat(sha256(directory.resolve("b"))).isEqualTo(sha256(directory.resolve("a")));
    assertThat(sha256(directory.resolve("c"))).isNotEqualTo(sha256(directory.resolve("a")));
  }

  @Test
  void a_ledger_that_is_closed_after_every_few_batches_comes_to_the_same_bytes() {
    Path whole = directory.resolve("whole");
    Path pieces = directory.resolve("pieces");
    try (CommittedLedger ledger = open(whole, 7)) {
      batches(ledger, 60);
    }
    for (int restart = 0; restart < 20; restart++) {
      try (CommittedLedger ledger = open(pieces, 7)) {
        batches(ledger, 3);
      }
    }
    assertThat(sha256(pieces)).isEqualTo(sha256(whole));
  }

  private static void batches(CommittedLedger ledger, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(ledger.nextBatch(Long.MAX_VALUE)).isPositive();
    }
  }

  @Test
  void advancing_adds_exactly_so_many_records() {
    try (CommittedLedger ledger = open(directory, 3)) {
      long expected = 0;
      for (int records : new int[] {1, 2, 50, 1, 999, 1234, 1}) {
        expected += records;
        assertThat(ledger.advance(records)).isEqualTo(records);
        assertThat(ledger.rows()).isEqualTo(expected);
      }
    }
  }

  @Test
  void every_ledger_stays_in_balance_and_every_outcome_and_kind_occurs() {
    try (CommittedLedger ledger = open(directory, 5)) {
      ledger.advance(ROWS);
      assertThat(ledger.checkBalances().balanced()).isTrue();
      assertThat(ledger.checkBalances().books()).hasSize(9);
    }
    Set<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
    Set<String> tables = new HashSet<>();
    boolean wide = false;
    RowReader reader = new RowReader();
    try (TruthReader truth = TruthReader.open(directory, RecordForm.FULL)) {
      while (truth.next()) {
        reader.wrap(truth.row());
        if (truth.row().kind() == RecordKind.TRANSACTION) {
          outcomes.add(Outcome.ofText(reader.string(RowSchema.OUTCOME)));
          wide |= reader.amount(RowSchema.AMOUNT_FIELD).bitLength() > 63;
        }
      }
    }
    try (TruthReader truth = TruthReader.open(directory, RecordForm.FULL)) {
      tables.addAll(TruthTotals.of(truth, Layout.BY_TYPE).tables().keySet());
    }
    assertThat(wide).as("amounts beyond 64 bits").isTrue();
    assertThat(tables).hasSize(13);
    // Only a rare run of them fills the table of open reservations, or resolves one twice.
    assertThat(EnumSet.complementOf(EnumSet.copyOf(outcomes)))
        .isSubsetOf(Outcome.REJECTED_TOO_MANY_RESERVATIONS, Outcome.REJECTED_ALREADY_RESOLVED);
  }

  @Test
  void commit_times_never_decrease_and_sometimes_repeat() {
    try (CommittedLedger ledger = open(directory, 7)) {
      batches(ledger, 300);
    }
    long repeats = 0;
    CanonicalRow previous = null;
    try (TruthReader truth = TruthReader.open(directory, RecordForm.FULL)) {
      while (truth.next()) {
        CanonicalRow row = truth.row();
        assertThat(row.timestampMicros()).isLessThanOrEqualTo(row.recordedAtMicros());
        if (previous != null) {
          assertThat(row.recordedAtMicros()).isGreaterThanOrEqualTo(previous.recordedAtMicros());
          boolean sameBatch = row.globalBatchSeq() == previous.globalBatchSeq();
          boolean sameTime = row.recordedAtMicros() == previous.recordedAtMicros();
          assertThat(sameTime || !sameBatch).isTrue();
          repeats += !sameBatch && sameTime ? 1 : 0;
        }
        previous = row;
      }
    }
    assertThat(repeats).isPositive();
  }

  @Test
  void the_log_number_of_a_batch_grows_and_is_not_the_batchs_own() {
    assertThat(CommittedLedger.batchSeq(1)).isEqualTo(2);
    for (long gbs = 1; gbs < 100; gbs++) {
      assertThat(CommittedLedger.batchSeq(gbs + 1)).isGreaterThan(CommittedLedger.batchSeq(gbs));
    }
  }

  @Test
  void a_mixture_says_what_is_wrong_with_it() {
    assertThat(Mixture.parse("single=1,metadata=2").toString()).isEqualTo("single=1,metadata=2");
    assertThat(Mixture.parse(Mixture.DEFAULT.toString()).toString())
        .isEqualTo(Mixture.DEFAULT.toString());
    Stream.of("single", "single=x", "single=-1", "simple=1", "single=0", "single=1,single=2", "")
        .forEach(
            text ->
                assertThatThrownBy(() -> Mixture.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("mix \"" + text + "\""));
  }

  @Test
  void a_mixture_of_nothing_but_metadata_and_transfers_works_as_any_other() {
    WorkloadSettings settings =
        new WorkloadSettings(1, Mixture.parse("single=1,metadata=9"), 100, 8190, 1);
    try (CommittedLedger ledger =
        CommittedLedger.open(directory, SEGMENT, new WorkloadGenerator(settings))) {
      ledger.advance(20_000);
      int accounts = ledger.inspect(LedgerEngine::accountCount);
      assertThat(accounts).isLessThanOrEqualTo(100);
      assertThat(ledger.metadataRows()).isGreaterThan(15_000);
    }
  }
}
