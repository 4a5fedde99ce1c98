package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * A table's ranges with the rows and amounts that the log says are in each, and those that were
 * found. Where there are too many ranges to keep apart, neighbours are taken together, so memory is
 * bounded, and what differs can still be told to within a few ranges.
 *
 * <p>Not thread-safe.
 */
final class Sections {
  static final int MAX_SECTIONS = 1 << 16;

  private final Position start;
  private final int maxSections;
  private final List<Section> sections = new ArrayList<>();
  private int rangesPerSection = 1;
  private int rangesInLast;
  private Section lastFound;
  private long rowsOutside;

  /** One or more ranges that follow one another. */
  private static final class Section {
    private final Position from;
    private Position to;
    private long loggedRows;
    private BigInteger loggedSum = BigInteger.ZERO;
    private long foundRows;
    private BigInteger foundSum = BigInteger.ZERO;

    Section(Position from) {
      this.from = from;
      this.to = from;
    }

    void extend(Position newTo, long rows, BigInteger sum) {
      to = newTo;
      loggedRows += rows;
      loggedSum = loggedSum.add(sum);
    }

    boolean contains(Position position) {
      return position.isAfter(from) && position.isAtOrBelow(to);
    }

    boolean differs() {
      return loggedRows != foundRows || !loggedSum.equals(foundSum);
    }
  }

  /**
   * A stretch where the table has something else than the log says.
   *
   * @param range where
   * @param loggedRows the rows that the log says are there
   * @param loggedSum the sum of their amounts
   * @param foundRows the rows that are there
   * @param foundSum the sum of theirs
   */
  record Mismatch(
      Range range, long loggedRows, BigInteger loggedSum, long foundRows, BigInteger foundSum) {}

  /** Sections of a table whose stream begins after {@code start}. */
  Sections(Position start) {
    this(start, MAX_SECTIONS);
  }

  /**
   * @param maxSections an even number
   */
  Sections(Position start, int maxSections) {
    this.start = start;
    this.maxSections = maxSections;
  }

  /** Adds the next range. */
  void add(Position to, long rows, BigInteger sum) {
    boolean lastIsFull = sections.isEmpty() || rangesInLast == rangesPerSection;
    if (lastIsFull && sections.size() == maxSections) {
      mergePairs();
    }
    if (lastIsFull) {
      sections.add(new Section(end()));
      rangesInLast = 0;
    }
    sections.get(sections.size() - 1).extend(to, rows, sum);
    rangesInLast++;
  }

  private void mergePairs() {
    List<Section> merged = new ArrayList<>(sections.size() / 2);
    for (int i = 0; i < sections.size(); i += 2) {
      Section first = sections.get(i);
      Section second = sections.get(i + 1);
      first.extend(second.to, second.loggedRows, second.loggedSum);
      merged.add(first);
    }
    sections.clear();
    sections.addAll(merged);
    rangesPerSection *= 2;
    rangesInLast = rangesPerSection;
  }

  /** Where the last range ends. */
  Position end() {
    return sections.isEmpty() ? start : sections.get(sections.size() - 1).to;
  }

  /** Counts a row of the table. */
  void found(Position position, BigInteger amount) {
    if (lastFound == null || !lastFound.contains(position)) {
      lastFound = find(position);
    }
    if (lastFound == null) {
      rowsOutside++;
      return;
    }
    lastFound.foundRows++;
    lastFound.foundSum = lastFound.foundSum.add(amount);
  }

  private Section find(Position position) {
    int low = 0;
    int high = sections.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Section section = sections.get(middle);
      if (section.contains(position)) {
        return section;
      }
      if (position.isAfter(section.to)) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }

  /** The rows that lie in no range of the log. */
  long rowsOutside() {
    return rowsOutside;
  }

  /** Where log and table differ, in order. */
  List<Mismatch> mismatches() {
    return sections.stream()
        .filter(Section::differs)
        .map(
            section ->
                new Mismatch(
                    new Range(section.from, section.to),
                    section.loggedRows,
                    section.loggedSum,
                    section.foundRows,
                    section.foundSum))
        .toList();
  }
}
