package dev.tula.connect.lake.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SectionsTest {
  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  /** However many ranges are taken together, rows that are as logged leave nothing to report. */
  @Property(tries = 300)
  void rows_as_logged_never_differ(
      @ForAll @Size(max = 100) List<@IntRange(min = 1, max = 9) Integer> rowsOfRanges) {
    Sections sections = filled(rowsOfRanges);
    find(sections, rowsOfRanges, -1);

    assertThat(sections.mismatches()).isEmpty();
    assertThat(sections.rowsOutside()).isZero();
    assertThat(sections.end()).isEqualTo(Position.batchEnd(rowsOfRanges.size()));
  }

  /** One row that is missing is reported once, in a stretch that holds it, with exact numbers. */
  @Property(tries = 300)
  void a_missing_row_is_found_within_its_stretch(
      @ForAll @Size(min = 1, max = 100) List<@IntRange(min = 1, max = 9) Integer> rowsOfRanges,
      @ForAll @IntRange(max = 1_000) int choice) {
    int lacking = 1 + choice % rowsOfRanges.size();
    Sections sections = filled(rowsOfRanges);
    find(sections, rowsOfRanges, lacking);

    assertThat(sections.mismatches())
        .singleElement()
        .satisfies(
            mismatch -> {
              assertThat(mismatch.range().contains(new Position(lacking, 0))).isTrue();
              assertThat(mismatch.loggedRows() - mismatch.foundRows()).isEqualTo(1);
              assertThat(mismatch.loggedSum().subtract(mismatch.foundSum())).isEqualTo(big(7));
            });
  }

  private static Sections filled(List<Integer> rowsOfRanges) {
    Sections sections = new Sections(Position.ORIGIN, 8);
    for (int i = 0; i < rowsOfRanges.size(); i++) {
      sections.add(Position.batchEnd(i + 1), rowsOfRanges.get(i), big(7L * rowsOfRanges.get(i)));
    }
    return sections;
  }

  private static void find(Sections sections, List<Integer> rowsOfRanges, int lacking) {
    for (int i = rowsOfRanges.size() - 1; i >= 0; i--) {
      int rows = rowsOfRanges.get(i) - (i + 1 == lacking ? 1 : 0);
      for (int row = 0; row < rows; row++) {
        sections.found(new Position(i + 1, row), big(7));
      }
    }
  }

  @Test
  void memory_is_bounded_and_no_row_is_lost() {
    Sections sections = new Sections(Position.ORIGIN, 4);
    for (int i = 1; i <= 1_000; i++) {
      sections.add(Position.batchEnd(i), 1, big(i));
    }

    List<Sections.Mismatch> all = sections.mismatches();
    assertThat(all.size()).isBetween(2, 4);
    assertThat(all.stream().mapToLong(Sections.Mismatch::loggedRows).sum()).isEqualTo(1_000);
    assertThat(all.get(0).range().from()).isEqualTo(Position.ORIGIN);
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i).range().from()).isEqualTo(all.get(i - 1).range().to());
    }
    assertThat(all.get(all.size() - 1).range().to()).isEqualTo(Position.batchEnd(1_000));
  }

  @Test
  void rows_in_no_range_are_counted_apart() {
    Sections sections = new Sections(Position.batchEnd(3));
    sections.add(Position.batchEnd(5), 1, big(1));

    sections.found(new Position(3, 0), big(1));
    sections.found(new Position(6, 0), big(1));
    sections.found(new Position(4, 0), big(1));

    assertThat(sections.rowsOutside()).isEqualTo(2);
    assertThat(sections.mismatches()).isEmpty();
  }
}
