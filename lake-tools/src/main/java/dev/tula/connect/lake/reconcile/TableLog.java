package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.event.RepairEvent.RepairedRange;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.RangeState;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One table's events, taken one after another: whether its ranges join, what its chain and totals
 * are, and which rows each range has. An event that comes late waits for its place. Not
 * thread-safe.
 */
final class TableLog {
  /** A late event is one of a writer that was overtaken, and those end within minutes. */
  static final int MAX_OUT_OF_ORDER = 10_000;

  private final Map<Range, RepairedRange> repairs;
  private final KeptSnapshots snapshots;
  private final String uuid;
  private final boolean hasAmounts;
  private final Differences differences;
  private final RangeListener listener;
  private final Sections sections;
  private final Map<Position, TableEvent> waiting = new TreeMap<>();
  private final Map<Position, TableEvent> recent =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Position, TableEvent> eldest) {
          return size() > MAX_OUT_OF_ORDER;
        }
      };

  private Chain chain = Chain.ZERO;
  private boolean chainBroken;
  private long ranges;
  private long rows;
  private BigInteger amountSum = BigInteger.ZERO;
  private long repairedRanges;

  /** Is told of the ranges one by one, as they join. */
  interface RangeListener {
    /** Does nothing. */
    RangeListener NONE = range -> {};

    /** The next range. */
    void accept(LoggedRange range);
  }

  /**
   * @param uuid the table's UUID
   * @param start where the stream began
   * @param hasAmounts whether amounts are summed
   * @param repairs the repaired ranges
   * @param snapshots what is left of the table's history
   * @param listener is told of each range
   * @param differences where differences go
   */
  TableLog(
      String uuid,
      Position start,
      boolean hasAmounts,
      Map<Range, RepairedRange> repairs,
      KeptSnapshots snapshots,
      RangeListener listener,
      Differences differences) {
    this.uuid = uuid;
    this.hasAmounts = hasAmounts;
    this.listener = listener;
    this.repairs = repairs;
    this.snapshots = snapshots;
    this.differences = differences;
    this.sections = new Sections(start);
  }

  /** Takes the next event of the log. */
  void accept(TableEvent event) {
    if (event.from().equals(end()) && event.to().isAfter(end())) {
      apply(event);
      TableEvent next = waiting.remove(end());
      while (next != null) {
        apply(next);
        next = waiting.remove(end());
      }
    } else if (event.from().compareTo(end()) >= 0) {
      await(event);
    } else {
      acceptAgain(event);
    }
  }

  private void await(TableEvent event) {
    TableEvent other = waiting.get(event.from());
    if (other == null && waiting.size() == MAX_OUT_OF_ORDER) {
      return; // the gap before all of these is reported at the end
    }
    if (other != null && !saysTheSame(other, event)) {
      differences.add(twoWords(event));
    }
    waiting.put(event.from(), event);
  }

  private void acceptAgain(TableEvent event) {
    TableEvent earlier = recent.get(event.to());
    if (earlier == null) {
      differences.add(
          "the commit log has the range "
              + range(event)
              + " where its ranges had come to "
              + end()
              + " already");
    } else if (!saysTheSame(earlier, event)) {
      differences.add(twoWords(event));
    }
  }

  private static boolean saysTheSame(TableEvent a, TableEvent b) {
    return a.from().equals(b.from())
        && a.to().equals(b.to())
        && a.digest().equals(b.digest())
        && a.rows() == b.rows()
        && a.amountSum().equals(b.amountSum());
  }

  private static String twoWords(TableEvent event) {
    return "the commit log has two different events that end the range at " + event.to();
  }

  private static String range(TableEvent event) {
    return "(" + event.from() + ", " + event.to() + "]";
  }

  private void apply(TableEvent event) {
    recent.put(event.to(), event);
    if (!event.uuid().equals(uuid)) {
      differences.add(
          "the range "
              + range(event)
              + " was committed to a table with UUID "
              + event.uuid()
              + ", and the table's is "
              + uuid);
    }
    extend(
        new RangeState(
            new Range(event.from(), event.to()),
            Optional.of(event.digest()),
            event.rows(),
            event.amountSum()));
    checkEventsOwnSums(event);
    if (!snapshots.mayHold(event.snapshotId(), event.to())) {
      differences.add(
          "the commit log says that snapshot "
              + event.snapshotId()
              + " holds the range "
              + range(event)
              + ", and that snapshot's summary says otherwise");
    }
  }

  /** Adds a range that is in the table and not in the log yet, from the table's own state. */
  void extendUnpublished(RangeState range) {
    extend(range);
  }

  private void extend(RangeState range) {
    Optional<RepairedRange> repaired = Optional.ofNullable(repairs.get(range.range()));
    long rowsNow = repaired.map(RepairedRange::rows).orElse(range.rows());
    BigInteger sumNow =
        repaired.map(RepairedRange::amountSum).orElse(range.amountSum()).orElse(BigInteger.ZERO);
    if (hasAmounts && range.amountSum().isEmpty()) {
      differences.add("the commit log has no amount sum for the range " + range.range());
    }
    chain = next(range);
    ranges++;
    rows += rowsNow;
    amountSum = amountSum.add(sumNow);
    repairedRanges += repaired.isPresent() ? 1 : 0;
    sections.add(range.range().to(), rowsNow, sumNow);
    checkSnapshot(range);
    String first = range.digest().orElse("");
    listener.accept(
        new LoggedRange(
            range.range(),
            rowsNow,
            hasAmounts ? Optional.of(sumNow) : Optional.empty(),
            repaired.map(RepairedRange::digest).orElse(first),
            repaired.map(now -> first)));
  }

  private Chain next(RangeState range) {
    try {
      return chain.next(range.digest().orElseThrow());
    } catch (IllegalArgumentException e) {
      differences.add("the commit log's digest of the range " + range.range() + " is not hex");
      return chain;
    }
  }

  /** An event says what chain and total were after it; the first that is wrong is reported. */
  private void checkEventsOwnSums(TableEvent event) {
    if (!chainBroken && !event.chain().equals(chain.toString())) {
      chainBroken = true;
      differences.add(
          "the chain over the commit log's digests up to "
              + event.to()
              + " is "
              + chain
              + ", and the event of that range says "
              + event.chain()
              + ": the log was changed, or lacks events");
    }
    if (repairs.isEmpty() && event.totalRows() != rows) {
      differences.add(
          "the commit log counts "
              + rows
              + " rows up to "
              + event.to()
              + ", and the event of that range says "
              + event.totalRows());
    }
  }

  private void checkSnapshot(RangeState range) {
    KeptSnapshots.Kept kept = snapshots.logged(range.range().to());
    if (kept == null) {
      return;
    }
    if (!kept.range().equals(range)) {
      differences.add(
          "the range "
              + range.range()
              + " is "
              + words(range)
              + " in the commit log, and "
              + words(kept.range())
              + " in snapshot "
              + kept.snapshotId());
    }
    String added = kept.addedRecords();
    if (added != null && !added.equals(Long.toString(kept.range().rows()))) {
      differences.add(
          "snapshot "
              + kept.snapshotId()
              + " says that it added "
              + added
              + " rows, and that its range has "
              + kept.range().rows());
    }
  }

  private static String words(RangeState range) {
    return range.rows()
        + " rows"
        + range.amountSum().map(sum -> " with amounts of " + sum).orElse("")
        + " and digest "
        + range.digest().orElse("none");
  }

  /** Says which events join nothing, and which kept snapshots have none. */
  void finish() {
    if (!waiting.isEmpty()) {
      Position next = waiting.keySet().iterator().next();
      differences.add(
          "the commit log has nothing between "
              + end()
              + " and "
              + next
              + ", where it goes on with "
              + waiting.size()
              + " more ranges");
    }
    waiting.values().forEach(event -> snapshots.logged(event.to()));
    snapshots.addUnlogged(differences);
  }

  /** Where the ranges that join end. */
  Position end() {
    return sections.end();
  }

  /** The chain over their digests. */
  Chain chain() {
    return chain;
  }

  /** How many they are. */
  long ranges() {
    return ranges;
  }

  /** The rows in them. */
  long rows() {
    return rows;
  }

  /** The sum of the amounts in them. */
  BigInteger amountSum() {
    return amountSum;
  }

  /** How many of them were repaired. */
  long repairedRanges() {
    return repairedRanges;
  }

  /** Them one by one, to hold rows against. */
  Sections sections() {
    return sections;
  }
}
