package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * Whatever way the source cuts pages and replays them, the ranges are the ledger's rows (C12, C13).
 */
class RangeAssemblerPropertyTest {
  /**
   * A run of the source.
   *
   * @param back how many items before the newest it resumes
   * @param pages the rows of each of its pages
   */
  record Session(int back, List<Integer> pages) {}

  /** When the reader wants cuts, and how long its commits take, in items. */
  record Reader(List<Boolean> wantCuts, int commitItems, int maxRows, int windowRows) {}

  @Provide
  Arbitrary<List<Integer>> batches() {
    return Arbitraries.integers().between(0, 4).list().ofMinSize(1).ofMaxSize(12);
  }

  @Provide
  Arbitrary<List<Session>> sessions() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 12),
            Arbitraries.integers().between(0, 6).list().ofMaxSize(8))
        .as(Session::new)
        .list()
        .ofMaxSize(5);
  }

  @Provide
  Arbitrary<Reader> readers() {
    return Combinators.combine(
            Arbitraries.of(true, false).list().ofMaxSize(60),
            Arbitraries.integers().between(0, 20),
            Arbitraries.integers().between(1, 20),
            Arbitraries.integers().between(2, 20))
        .as(Reader::new);
  }

  @Property(tries = 600)
  @Label("any page cutting and replay gives the same rows once, in ranges that end with batches")
  void any_page_cutting_and_replay_gives_the_same_rows_once(
      @ForAll("batches") List<Integer> batches,
      @ForAll("sessions") List<Session> sessions,
      @ForAll("readers") Reader reader) {
    Ledger ledger = new Ledger(batches);
    List<StreamItem> topic = ledger.topic(sessions);

    List<CutRange> cuts = new Reading(ledger, reader).read(topic);

    Position last = Position.ORIGIN;
    Map<String, List<CanonicalRow>> rows = new TreeMap<>();
    long decoded = 0;
    long closed = 0;
    for (CutRange cut : cuts) {
      SealedRange range = cut.range();
      assertThat(range.to().isBatchEnd()).isTrue();
      assertThat(range.to().compareTo(last)).isGreaterThanOrEqualTo(0);
      assertThat(range.closedThroughMicros()).isGreaterThanOrEqualTo(closed);
      assertThat(range.closedThroughMicros()).isLessThan((range.to().globalBatchSeq() + 1) * 1000);
      for (StreamItem item : topic.subList(0, (int) range.kafka().offset())) {
        assertThat(item.provesTo().isAtOrBelow(range.to())).isTrue();
      }
      for (SealedTable table : range.tables().values()) {
        List<CanonicalRow> all = rows.computeIfAbsent(table.table(), unused -> new ArrayList<>());
        cut.rows().get(table.table()).forEach(all::add);
        decoded += table.rows();
      }
      assertThat(range.rowsDecoded()).isEqualTo(decoded);
      last = range.to();
      closed = range.closedThroughMicros();
    }
    assertThat(last).isEqualTo(ledger.end());
    assertThat(rows).isEqualTo(ledger.tables());
  }

  /**
   * A ledger whose batch {@code i + 1} has so many rows; batches without rows are other
   * partitions'.
   */
  private static final class Ledger {
    private final List<CanonicalRow> rows = new ArrayList<>();
    private final long lastBatch;

    Ledger(List<Integer> batches) {
      lastBatch = batches.size();
      for (int batch = 0; batch < batches.size(); batch++) {
        for (int i = 0; i < batches.get(batch); i++) {
          rows.add(i % 3 == 2 ? Bench.tieredRow(batch + 1, i) : Bench.row(batch + 1, i));
        }
      }
    }

    Position end() {
      return Position.batchEnd(lastBatch);
    }

    Map<String, List<CanonicalRow>> tables() {
      Map<String, List<CanonicalRow>> tables = new TreeMap<>();
      for (CanonicalRow row : rows) {
        String table = row.arrayIndex() % 3 == 2 ? Bench.TIERED : Bench.DEFAULT;
        tables.computeIfAbsent(table, unused -> new ArrayList<>()).add(row);
      }
      return tables;
    }

    /** What the sessions write, and then one that comes to the end. */
    List<StreamItem> topic(List<Session> sessions) {
      List<StreamItem> topic = new ArrayList<>();
      topic.add(new StreamItem.Start(Position.ORIGIN, 0, Bench.STREAM));
      for (Session session : sessions) {
        write(topic, session);
      }
      List<Integer> pages = new ArrayList<>();
      for (int i = 0; i <= rows.size() + lastBatch; i++) {
        pages.add(1 + i % 4);
      }
      write(topic, new Session(0, pages));
      return topic;
    }

    private void write(List<StreamItem> topic, Session session) {
      Position proven = topic.get(Math.max(0, topic.size() - 1 - session.back())).provesTo();
      topic.add(coverage(proven, proven));
      for (int size : session.pages()) {
        proven = writePage(topic, proven, size);
      }
    }

    private Position writePage(List<StreamItem> topic, Position from, int size) {
      Position proven = from;
      List<CanonicalRow> left = after(from);
      for (CanonicalRow row : left.subList(0, Math.min(size, left.size()))) {
        topic.add(new StreamItem.Row(proven, row));
        proven = row.position();
      }
      Position covered = covered(proven, left.size() <= size);
      if (covered.isAfter(proven)) {
        topic.add(coverage(proven, covered));
      }
      return covered;
    }

    private Position covered(Position proven, boolean noMore) {
      List<CanonicalRow> left = after(proven);
      if (noMore) {
        return end();
      }
      return left.isEmpty() || left.get(0).globalBatchSeq() > proven.globalBatchSeq()
          ? proven.endOfBatch()
          : proven;
    }

    private List<CanonicalRow> after(Position position) {
      return rows.stream().filter(row -> row.position().isAfter(position)).toList();
    }

    private static StreamItem coverage(Position from, Position to) {
      long batch = to.isBatchEnd() ? to.globalBatchSeq() : to.globalBatchSeq() - 1;
      return new StreamItem.Coverage(from, to, batch * 1000 + 500, Bench.STREAM);
    }
  }

  /** A reader that commits one range at a time, and hears of it some items later. */
  private static final class Reading {
    private final Ledger ledger;
    private final Reader reader;
    private final RangeAssembler assembler;
    private final List<CutRange> cuts = new ArrayList<>();
    private final Deque<Boolean> wantCuts;
    private int commitLeft;
    private boolean committing;

    Reading(Ledger ledger, Reader reader) {
      this.ledger = ledger;
      this.reader = reader;
      this.wantCuts = new ArrayDeque<>(reader.wantCuts());
      this.assembler =
          new RangeAssembler(
              Bench.IDENTITY,
              0,
              Bench.TOPIC,
              new AssemblyLimits(reader.maxRows(), 100_000, reader.windowRows()));
    }

    List<CutRange> read(List<StreamItem> topic) {
      assembler.begun(new Bench().started("a").writer().orElseThrow(), 1);
      for (int offset = 1; offset < topic.size(); offset++) {
        offer(topic.get(offset), offset);
        if (!wantCuts.isEmpty() && wantCuts.poll()) {
          assembler.wantCut();
        }
        if (assembler.cutDue() && !committing) {
          cut();
        }
        if (committing && commitLeft-- == 0) {
          committed();
        }
      }
      committed();
      assembler.wantCut();
      if (assembler.cutDue()) {
        cut();
      }
      return cuts;
    }

    private void offer(StreamItem item, int offset) {
      Verdict verdict = assembler.offer(item, offset);
      if (verdict instanceof Verdict.CutFirst) {
        committed(); // the partition is paused until the commit has ended
        cut();
        verdict = assembler.offer(item, offset);
      }
      if (verdict instanceof Verdict.CompareWithLake compare) {
        assertThat(ledger.rows).contains(compare.row());
        assembler.compared(offset);
      } else {
        assertThat(verdict).as("%s at %s", item, offset).isInstanceOf(Verdict.Taken.class);
      }
    }

    private void cut() {
      cuts.add(assembler.cut());
      committing = true;
      commitLeft = reader.commitItems();
    }

    private void committed() {
      if (committing) {
        committing = false;
        assembler.committed(cuts.get(cuts.size() - 1).range().to());
      }
    }
  }
}
