package dev.tula.connect.lake.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.sink.lake.IcebergLake.FoundRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class DamageTest {
  private static CanonicalRow row(long batch, String change) {
    return new RowWriter()
        .begin(RecordKind.ACCOUNT_CHANGE)
        .putLong(batch)
        .putLong(batch)
        .putInt(0)
        .putTimestamp(batch)
        .putTimestamp(batch)
        .putId(1, batch)
        .putString(change)
        .putString("stream")
        .absentToEnd()
        .toRow();
  }

  private static List<CanonicalRow> ledger(int rows) {
    List<CanonicalRow> ledger = new ArrayList<>();
    for (int batch = 1; batch <= rows; batch++) {
      ledger.add(row(2L * batch, "created"));
    }
    return ledger;
  }

  private static FoundRow found(CanonicalRow row) {
    return new FoundRow(row.position(), Optional.of(row));
  }

  @Test
  void what_is_as_it_should_be_is_no_damage() {
    Damage damage = new Damage("t");
    damage.compare(ledger(5), ledger(5).stream().map(DamageTest::found).toList());

    assertThat(damage.isNone()).isTrue();
    assertThat(damage.surplus()).isZero();
  }

  @Test
  void each_kind_is_counted_once() {
    List<CanonicalRow> ledger = ledger(4);
    List<FoundRow> table =
        List.of(
            found(row(1, "created")),
            found(ledger.get(0)),
            found(ledger.get(0)),
            found(row(4, "closed")),
            new FoundRow(new Position(8, 0), Optional.empty()),
            found(row(9, "created")));
    Damage damage = new Damage("t");
    damage.compare(ledger, table);

    assertThat(damage.doubled()).isEqualTo(1);
    assertThat(damage.altered()).isEqualTo(2);
    assertThat(damage.missing()).isEqualTo(1);
    assertThat(damage.unexpected()).isEqualTo(2);
    assertThat(damage.surplus()).isEqualTo(table.size() - ledger.size());
    assertThat(damage.rows()).isEqualTo(ledger);
    assertThat(damage.present()).hasSize(5).doesNotContain(new Position(6, 0));
  }

  /** What the repair does: everything at a wrong position goes, and its row comes in once. */
  @Property(tries = 500)
  @Label("I1: whatever the damage, taking out and putting in leads to the ledger's rows")
  void repaired_rows_are_the_ledgers(@ForAll long seed) {
    Random random = new Random(seed);
    List<CanonicalRow> ledger = ledger(random.nextInt(20));
    List<FoundRow> table = new ArrayList<>();
    for (CanonicalRow row : ledger) {
      for (int copies = random.nextInt(4) == 0 ? random.nextInt(3) : 1; copies > 0; copies--) {
        table.add(random.nextInt(5) == 0 ? found(row(row.globalBatchSeq(), "closed")) : found(row));
      }
      if (random.nextInt(6) == 0) {
        table.add(found(row(row.globalBatchSeq() + 1, "created")));
      }
    }
    Damage damage = new Damage("t");
    damage.compare(ledger, table);

    List<CanonicalRow> after = new ArrayList<>(damage.rows());
    table.stream()
        .filter(row -> !damage.positions().contains(row.position()))
        .forEach(row -> after.add(row.row().orElseThrow()));
    after.sort(Comparator.comparing(CanonicalRow::position));
    assertThat(after).isEqualTo(ledger);
    assertThat(table.size() - damage.surplus()).isEqualTo(ledger.size());
  }
}
