package dev.tula.connect.sink.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.RangeState;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableFile;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.WatermarkState;
import dev.tula.connect.sink.engine.WriterClaim;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Holds every commit, event, offset and ack against the truth, at the moment when it happens (I1 to
 * I5). Digests and chains are worked out here anew, without the code under test.
 */
final class Checks {
  private final PipelineIdentity identity;
  private final int partition;
  private final SimLedger ledger;
  private final SimTopic topic;
  private final Map<String, WriterClaim> newestClaims = new HashMap<>();
  private final Map<String, List<RangeState>> ranges = new HashMap<>();
  private final Map<String, Long> appends = new HashMap<>();
  private final Map<String, List<RangeState>> tampered = new HashMap<>();
  private final Set<Logged> logged = new HashSet<>();
  private boolean halts;
  private long landings;
  private SimLake lake;
  private Position acceptedAbove = Position.ORIGIN;
  private final Map<String, Reading> readings = new HashMap<>();
  private Optional<Reading> readingOfW = Optional.empty();
  private long gapsByChance;
  private long otherGaps;

  /**
   * What was read of the topic as it is now, on the way to a writer's place or to the offset that
   * is stored with W.
   *
   * @param from nothing before this offset was read
   * @param byChance whether that is the middle of a topic that was created anew, where an offset of
   *     the old one led: what lies before it is not told of by any offset from then on (C10)
   */
  record Reading(long from, boolean byChance) {}

  /** A range in the commit log. */
  private record Logged(String table, Range range, String digest) {}

  Checks(PipelineIdentity identity, int partition, SimLedger ledger, SimTopic topic) {
    this.identity = identity;
    this.partition = partition;
    this.ledger = ledger;
    this.topic = topic;
  }

  void watch(SimLake watched) {
    lake = watched;
  }

  /**
   * From now on a table may differ from what it should be: somebody changed it, claims included.
   */
  void tampered(String table) {
    tampered.put(table, List.copyOf(ranges.getOrDefault(table, List.of())));
    newestClaims.remove(table);
  }

  /** What was tampered with is again what it was, whatever landed on it in between. */
  void cured() {
    tampered.forEach((table, before) -> ranges.put(table, new ArrayList<>(before)));
    newestClaims.clear();
    harmless();
  }

  /** What was tampered with did no harm. */
  void harmless() {
    tampered.clear();
  }

  /**
   * The lake was set back to an older self, and what was acked and published above it stays so
   * until W has come past it.
   */
  void setBack(Position ackedBefore) {
    acceptedAbove = ackedBefore;
    newestClaims.clear();
  }

  /** The ranges that a writer's commits put into tables. */
  long appends(String writerId) {
    return appends.getOrDefault(writerId, 0L);
  }

  private Position watermark() {
    return lake.watermark().flatMap(TableState::to).orElse(Position.ORIGIN);
  }

  void landed(TableCommit commit, SimTable before, SimTable after) {
    TableState next = commit.next();
    if (landings++ % 16 == 0) {
      assertThat(TableState.ofJson(next.toJson())).as("state: property").isEqualTo(next);
      assertThat(TableState.ofProperties(next.toProperties())).as("state: summary").isEqualTo(next);
    }
    checkClaim(commit);
    if (commit.change() instanceof TableCommit.Change.Append) {
      checkAppend(commit, before, after);
    } else if (commit.change() instanceof TableCommit.Change.ReplaceRow) {
      checkWatermark(before, next);
    } else {
      assertThat(next.range())
          .as("state: a commit without rows moves no range")
          .isEqualTo(rangeOf(before));
      checkMaintenance(commit, before, after);
    }
    checkFilesAreThere(commit);
  }

  /** C28: no cleanup takes a file for dead that comes to life. */
  private void checkFilesAreThere(TableCommit commit) {
    List<? extends TableFile> files = List.of();
    if (commit.change() instanceof TableCommit.Change.Append append) {
      files = append.files();
    } else if (commit.change() instanceof TableCommit.Change.Rewrite rewrite) {
      files = rewrite.by();
    } else if (commit.change() instanceof TableCommit.Change.Repair repair) {
      files = repair.by();
    }
    for (TableFile file : files) {
      assertThat(lake.isDeleted(file.location()))
          .as("C28: %s was deleted before it was committed", file.location())
          .isFalse();
    }
  }

  /** What is no writer's own changes no row, but for a repair, which brings back the right ones. */
  private void checkMaintenance(TableCommit commit, SimTable before, SimTable after) {
    if (commit.change() instanceof TableCommit.Change.Repair) {
      assertThat(sorted(after))
          .as("I1, I2: %s after a repair", commit.table())
          .isEqualTo(
              expected(commit.table(), ledger.start(), commit.next().to().orElse(ledger.start())));
    } else if (!(commit.change() instanceof TableCommit.Change.NoRows)) {
      assertThat(sorted(after))
          .as("I1, I2: rows after %s", Texts.of(commit))
          .isEqualTo(sorted(before));
    }
    if (commit.change() instanceof TableCommit.Change.Expire) {
      for (long tagged : before.tags()) {
        assertThat(after.has(tagged) || !before.has(tagged))
            .as("C29: %s still has its pinned snapshot %d", commit.table(), tagged)
            .isTrue();
      }
      lake.watermark()
          .filter(watermark -> !tampered.containsKey(TableNames.WATERMARK))
          .flatMap(TableState::watermark)
          .map(watermark -> watermark.tables().get(commit.table()))
          .flatMap(then -> then.snapshotId().stream().boxed().findFirst())
          .ifPresent(
              named ->
                  assertThat(after.has(named) || !before.has(named))
                      .as("C29: %s still has the snapshot that W names, %d", commit.table(), named)
                      .isTrue());
      assertThat(after.newestOurs().orElseThrow().id())
          .as("C29: an expiry of %s brings a snapshot of ours", commit.table())
          .isEqualTo(before.nextId());
    }
  }

  private static List<CanonicalRow> sorted(SimTable table) {
    return table.rows().sorted(Comparator.comparing(CanonicalRow::position)).toList();
  }

  /** C28, C29: what is deleted is nothing that a table leads to. */
  void deleted(String table, String location) {
    assertThat(lake.table(table).map(SimTable::locations).orElse(Set.of()))
        .as("C28, C29: %s is deleted, and %s leads to it", location, table)
        .doesNotContain(location);
  }

  private static Optional<RangeState> rangeOf(SimTable table) {
    return table.property().flatMap(TableState::range);
  }

  /** I5. */
  private void checkClaim(TableCommit commit) {
    WriterClaim claim = commit.next().claim();
    WriterClaim newest = newestClaims.get(commit.table());
    if (newest != null && !newest.equals(claim)) {
      assertThat(claim.isNewerThan(newest))
          .as("I5: %s of claim %s after claim %s", Texts.of(commit), claim, newest)
          .isTrue();
      assertThat(commit.next().commit()).as("I5: the first commit").isEqualTo(CommitKind.CLAIM);
    }
    newestClaims.put(commit.table(), claim);
  }

  /** I1, and I2 for what is in the range. */
  private void checkAppend(TableCommit commit, SimTable before, SimTable after) {
    RangeState range = commit.next().range().orElseThrow();
    appends.merge(commit.next().claim().writerId(), 1L, Long::sum);
    Position from = range.range().from();
    Position to = range.range().to();
    assertThat(to.isBatchEnd()).as("C12: %s ends at a batch's end", to).isTrue();
    assertThat(from)
        .as("C18: ranges of %s are contiguous", commit.table())
        .isEqualTo(rangeOf(before).map(last -> last.range().to()).orElse(ledger.start()));
    List<CanonicalRow> added = after.rows().skip(before.totalRecords()).toList();
    assertThat(added)
        .as("I1, I2: rows of %s in (%s, %s]", commit.table(), from, to)
        .isEqualTo(expected(commit.table(), from, to));
    assertThat(range.rows())
        .as("C18: rows that %s counts in (%s, %s]", commit.table(), from, to)
        .isEqualTo(added.size())
        .isPositive();
    assertThat(range.digest())
        .as("digest: of %s in (%s, %s]", commit.table(), from, to)
        .contains(naiveDigest(commit.table(), from, to, added));
    checkTotals(commit, before, range, added);
    List<RangeState> list = ranges.computeIfAbsent(commit.table(), unused -> new ArrayList<>());
    list.removeIf(older -> older.range().to().isAfter(from)); // of a table that was set back
    list.add(range);
  }

  private void checkTotals(
      TableCommit commit, SimTable before, RangeState range, List<CanonicalRow> added) {
    assertThat(commit.next().totalRows())
        .as("totals: rows of %s", commit.table())
        .isEqualTo(before.totalRecords() + added.size());
    assertThat(range.amountSum())
        .as("totals: amounts of %s", commit.table())
        .isEqualTo(hasAmounts(commit.table()) ? Optional.of(naiveSum(added)) : Optional.empty());
  }

  private boolean hasAmounts(String table) {
    return identity.tables().stream()
        .filter(candidate -> candidate.name().equals(table))
        .anyMatch(LogicalTable::hasAmounts);
  }

  private static BigInteger naiveSum(List<CanonicalRow> rows) {
    BigInteger sum = BigInteger.ZERO;
    for (CanonicalRow row : rows) {
      // Fixed widths up to amount: 43 header bytes, ids and ints, one string of a length.
      int currency = row.offset() + 43 + 17 + 17 + 5 + 5;
      int length = java.nio.ByteBuffer.wrap(row.array()).getInt(currency + 1);
      int amount = currency + 5 + length + 17 + 17 + 1;
      sum = sum.add(new BigInteger(row.array(), amount, 16));
    }
    return sum;
  }

  private List<CanonicalRow> expected(String table, Position from, Position to) {
    List<CanonicalRow> rows = new ArrayList<>();
    ledger
        .rows(from, to)
        .forEach(
            (position, row) -> {
              if (ledger.tableOf(position).equals(table)) {
                rows.add(row);
              }
            });
    return rows;
  }

  private String naiveDigest(String table, Position from, Position to, List<CanonicalRow> rows) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeBytes("tula-range-v1");
      writeText(out, identity.pipeline());
      out.writeInt(identity.generation());
      out.writeInt(partition);
      writeText(out, table);
      writePosition(out, from);
      writePosition(out, to);
      for (CanonicalRow row : rows) {
        out.writeInt(row.length());
        out.write(row.array(), row.offset(), row.length());
      }
      return HexFormat.of().formatHex(sha256(bytes.toByteArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  private static void writePosition(DataOutputStream out, Position position) throws IOException {
    out.writeLong(position.globalBatchSeq());
    out.writeInt(position.arrayIndex());
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** I2, C19, C21, and that neither W nor the time that it is closed through goes back. */
  private void checkWatermark(SimTable before, TableState next) {
    Position w = next.to().orElseThrow();
    assertThat(w.isBatchEnd() || w.equals(ledger.start()))
        .as("C12: %s ends a batch, or begins a bootstrap", w)
        .isTrue();
    before
        .property()
        .flatMap(TableState::to)
        .ifPresent(old -> assertThat(old.isAtOrBelow(w)).as("W: from %s to %s", old, w).isTrue());
    long closed = next.closedThroughMicros().orElseThrow();
    before
        .property()
        .ifPresent(
            old ->
                assertThat(closed)
                    .as("closed through: at %s", w)
                    .isGreaterThanOrEqualTo(old.closedThroughMicros().orElse(0)));
    assertThat(closed)
        .as("closed through: at %s", w)
        .isLessThanOrEqualTo(ledger.latestClosedThroughMicros(w));
    identity.tables().forEach(table -> checkHolds(table.name(), w));
    WatermarkState state = next.watermark().orElseThrow();
    String writerId = next.claim().writerId();
    assertThat(readings).as("I5: W is moved in the name of %s", writerId).containsKey(writerId);
    Reading reading = readings.get(writerId);
    checkOffset(reading.from(), state.kafka().orElseThrow().offset(), w);
    readingOfW = Optional.of(reading);
    assertThat(state.rowsDecoded())
        .as("C21: rows decoded at %s", w)
        .isEqualTo(ledger.rows(ledger.start(), w).size())
        .isEqualTo(state.totalRows());
    checkCommitLog(w);
  }

  private void checkHolds(String table, Position w) {
    if (!tampered.containsKey(table)) {
      assertThat(sorted(lake.table(table).orElseThrow()))
          .as("I1, I2: table %s at W = %s", table, w)
          .isEqualTo(expected(table, ledger.start(), w));
    }
  }

  /** C19: the commit log has every range at or below W. */
  private void checkCommitLog(Position w) {
    ranges.forEach(
        (table, list) ->
            list.forEach(
                range -> {
                  boolean below = range.range().to().isAtOrBelow(w);
                  Logged wanted = new Logged(table, range.range(), range.digest().orElseThrow());
                  if (below && !logged.contains(wanted)) {
                    throw new AssertionError(
                        "C19: the commit log at W = " + w + " lacks " + table + " " + range);
                  }
                }));
  }

  /** I3: nothing that was read and lies before the offset is above W. */
  private void checkOffset(long readFrom, long offset, Position w) {
    if (readFrom >= offset) {
      return;
    }
    for (Map.Entry<Long, StreamItem> item : topic.items().subMap(readFrom, offset).entrySet()) {
      if (item.getValue().provesTo().isAfter(w)) {
        throw new AssertionError(
            "I3: offset "
                + offset
                + " at W = "
                + w
                + ", and "
                + Texts.of(item.getValue())
                + " at "
                + item.getKey());
      }
    }
  }

  /** Offsets begin anew: the one that is stored with W is of a topic that is no more. */
  void topicRecreated() {
    readingOfW = Optional.empty();
  }

  /** A writer begins to read where the offset stored with W led it. */
  void readsFrom(String writerId, long offset) {
    readings.put(writerId, readingOfW.orElseGet(() -> new Reading(offset, offset > topic.start())));
  }

  /** A writer reads the whole topic now. */
  void searches(String writerId) {
    readings.put(writerId, new Reading(topic.start(), false));
  }

  /** I3 for an offset that a writer commits now. */
  void offsetCommitted(String writerId, long offset) {
    if (!tampered.containsKey(TableNames.WATERMARK)) {
      checkOffset(readings.get(writerId).from(), offset, Position.max(acceptedAbove, watermark()));
    }
  }

  /**
   * A writer halts over a gap.
   *
   * @param real whether there is one, in what it read
   * @param linked whether it had come from W to what it read last, so that no search was due
   */
  void gap(String writerId, boolean real, boolean linked) {
    if (real && linked && readings.get(writerId).byChance()) {
      gapsByChance++;
    } else {
      otherGaps++;
    }
  }

  /**
   * Whether a writer halted over a gap, and each that did was led into the middle of a topic that
   * was created anew, to where a replay goes on from W and ends before what stands behind it. W's
   * successor stands before that place, so no search is due, and it can't be read on to from there:
   * a halt with an easy cure, and no harm.
   */
  boolean gapsAreByChance() {
    return gapsByChance > 0 && otherGaps == 0;
  }

  /** I4, first half: a checkpoint is true when it is published. */
  void published(LakeEvent event) {
    halts |= event instanceof HaltEvent;
    if (event instanceof TableEvent table) {
      Range range = new Range(table.from(), table.to());
      logged.add(new Logged(table.table(), range, table.digest()));
    }
    if (event instanceof CheckpointEvent checkpoint) {
      checkAtOrBelowWatermark(checkpoint.to(), "I4: checkpoint");
    }
  }

  /** I4. */
  void acked(Position position) {
    checkAtOrBelowWatermark(position, "I4: ack");
  }

  private void checkAtOrBelowWatermark(Position position, String what) {
    if (!tampered.containsKey(TableNames.WATERMARK)) {
      assertThat(position.isAtOrBelow(Position.max(acceptedAbove, watermark())))
          .as("%s %s at W = %s", what, position, watermark())
          .isTrue();
    }
  }

  /** C25: what a writer found is on its way to a record still, or is what it ended for. */
  void findingLivesOn(String writer, Finding found, Optional<Finding> now, Optional<Stop> stop) {
    boolean told =
        stop.filter(end -> end.code() == Stop.Code.HALTED)
            .filter(end -> end.message().startsWith(found.message()))
            .isPresent();
    assertThat(told || stop.isEmpty() && now.equals(Optional.of(found)))
        .as("C25: %s found %s, was refused, and has %s, %s", writer, found, now, stop)
        .isTrue();
  }

  void noHalts() {
    assertThat(halts).as("86 for nothing: a writer halted").isFalse();
  }

  /** The end: everything is there, once, and its state says so. */
  void complete() {
    assertThat(watermark()).as("stuck: W in the end").isEqualTo(ledger.end());
    identity.tables().forEach(table -> checkComplete(table.name()));
  }

  private void checkComplete(String table) {
    checkHolds(table, ledger.end());
    TableState state = lake.table(table).orElseThrow().property().orElseThrow();
    NavigableMap<Position, RangeState> ordered = new TreeMap<>();
    ranges.getOrDefault(table, List.of()).forEach(range -> ordered.put(range.range().to(), range));
    byte[] chain = new byte[32];
    for (RangeState range : ordered.values()) {
      List<CanonicalRow> rows = expected(table, range.range().from(), range.range().to());
      String digest = naiveDigest(table, range.range().from(), range.range().to(), rows);
      byte[] both = new byte[64];
      System.arraycopy(chain, 0, both, 0, 32);
      System.arraycopy(HexFormat.of().parseHex(digest), 0, both, 32, 32);
      chain = sha256(both);
    }
    assertThat(state.chain())
        .as("digest: chain of %s", table)
        .isEqualTo(Chain.parse(HexFormat.of().formatHex(chain)));
    if (hasAmounts(table)) {
      assertThat(state.totalAmountSum())
          .as("totals: amounts of %s", table)
          .contains(naiveSum(expected(table, ledger.start(), ledger.end())));
    }
  }
}
