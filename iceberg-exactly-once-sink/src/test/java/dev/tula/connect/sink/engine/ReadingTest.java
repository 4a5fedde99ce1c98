package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reading the stream: continuity, replays, cuts (C9, C10, C12, C13). */
class ReadingTest {
  private static final Verdict TAKEN = new Verdict.Taken();
  private static final Verdict CUT_FIRST = new Verdict.CutFirst();

  private final Bench bench = new Bench();
  private long offset = 1;

  private RangeAssembler assembler(int maxRows, int windowRows) {
    return new RangeAssembler(
        Bench.IDENTITY, 0, Bench.TOPIC, new AssemblyLimits(maxRows, 1_000_000, windowRows));
  }

  /** An assembler behind START, at the origin. */
  private RangeAssembler started() {
    RangeAssembler assembler = assembler(1000, 1000);
    assembler.begun(bench.started("a").writer().orElseThrow(), 1);
    return assembler;
  }

  /** An assembler that resumes what the lake holds. */
  private RangeAssembler resumed(String writer) {
    RangeAssembler assembler = assembler(1000, 1000);
    assembler.resume(bench.open(writer).writer().orElseThrow());
    offset = assembler.resumeOffset();
    return assembler;
  }

  private Verdict offer(RangeAssembler assembler, StreamItem item) {
    Verdict verdict = assembler.offer(item, offset);
    if (verdict.equals(TAKEN)) {
      offset++;
    }
    return verdict;
  }

  private static StreamItem item(Position pred, CanonicalRow row) {
    return new StreamItem.Row(pred, row);
  }

  private static StreamItem row(Position pred, long batch, int index) {
    return item(pred, Bench.row(batch, index));
  }

  private static StreamItem coverage(Position from, Position to, long closedThrough) {
    return new StreamItem.Coverage(from, to, closedThrough, Bench.STREAM);
  }

  private static Position at(long batch, int index) {
    return new Position(batch, index);
  }

  private static void assertHalts(Verdict verdict, HaltReason reason) {
    assertThat(verdict).isInstanceOf(Verdict.Halt.class);
    assertThat(((Verdict.Halt) verdict).finding().reason()).isEqualTo(reason);
  }

  // C10: the beginning

  @Test
  @DisplayName("C10: without W only START is accepted; all else is 86, or 88 for another stream")
  void without_a_watermark_only_start_is_accepted() {
    RangeAssembler assembler = assembler(10, 10);
    assembler.resume(bench.open("a").writer().orElseThrow());
    StreamItem.Start start = new StreamItem.Start(Bench.end(4), 40, Bench.STREAM);

    assertThat(assembler.resumeOffset()).isZero();
    assertHalts(assembler.offer(row(Bench.end(4), 5, 0), 0), HaltReason.NO_START);
    assertHalts(assembler.offer(coverage(Bench.end(4), Bench.end(5), 1), 0), HaltReason.NO_START);
    assertThat(assembler.offer(start, 0)).isEqualTo(new Verdict.Begin(start));
    assertThat(assembler.hasContent()).isFalse();
  }

  @Test
  @DisplayName("C12: a START inside a batch is malformed: W is the end of a batch")
  void a_start_inside_a_batch_is_refused() {
    RangeAssembler assembler = assembler(10, 10);
    assembler.resume(bench.open("a").writer().orElseThrow());

    assertHalts(
        assembler.offer(new StreamItem.Start(at(4, 2), 40, Bench.STREAM), 0),
        HaltReason.MALFORMED_RECORD);
  }

  @Test
  @DisplayName(
      "C12: a bootstrap starts before its rows, which are one range with their batch's end")
  void the_rows_of_a_bootstrap_are_cut_at_the_end_of_their_batch() {
    RangeAssembler assembler = assembler(2, 10);
    CommitEngine engine = bench.open("a");
    assembler.resume(engine.writer().orElseThrow());
    Position before = Position.beforeSeeded(4);
    StreamItem.Start start = new StreamItem.Start(before, 39, Bench.STREAM);
    assertThat(assembler.offer(start, 0)).isEqualTo(new Verdict.Begin(start));
    engine.start(start, Bench.kafka(1));
    assembler.begun(bench.run(engine).writer().orElseThrow(), 1);

    assertThat(offer(assembler, coverage(before, before, 39))).isEqualTo(TAKEN);
    assembler.wantCut();
    Position pred = before;
    for (int i = 0; i < 5; i++) {
      assertThat(offer(assembler, row(pred, 4, Position.FIRST_SEEDED_INDEX + i))).isEqualTo(TAKEN);
      assertThat(assembler.cutDue()).as("W is the end of a batch").isFalse();
      pred = at(4, Position.FIRST_SEEDED_INDEX + i);
    }
    assertThat(offer(assembler, coverage(pred, Bench.end(4), 40))).isEqualTo(TAKEN);
    assertThat(assembler.cutDue()).isTrue();
    assertThat(assembler.cut().range().to()).isEqualTo(Bench.end(4));
  }

  @Test
  @DisplayName("C12: a later START at or below what is proven is ignored, one above is 86")
  void a_later_start_is_ignored_only_at_or_below_what_is_proven() {
    RangeAssembler assembler = started();
    offer(assembler, coverage(Position.ORIGIN, Bench.end(3), 1));

    assertThat(offer(assembler, new StreamItem.Start(Bench.end(3), 0, Bench.STREAM)))
        .isEqualTo(TAKEN);
    assertThat(assembler.proven()).isEqualTo(Bench.end(3));
    assertHalts(
        offer(assembler, new StreamItem.Start(Bench.end(4), 0, Bench.STREAM)),
        HaltReason.UNEXPECTED_START);
  }

  @Test
  @DisplayName("I6: START and coverage of another stream are 88")
  void items_of_another_stream_are_refused() {
    RangeAssembler fresh = assembler(10, 10);
    fresh.resume(bench.open("a").writer().orElseThrow());
    RangeAssembler assembler = started();
    for (StreamIdentity other :
        List.of(
            new StreamIdentity("other", "pipeline", 1, 0, 1, false, false),
            new StreamIdentity("cluster", "other", 1, 0, 1, false, false),
            new StreamIdentity("cluster", "pipeline", 2, 0, 1, false, false),
            new StreamIdentity("cluster", "pipeline", 1, 0, 2, false, false),
            new StreamIdentity("cluster", "pipeline", 1, 0, 1, true, false),
            new StreamIdentity("cluster", "pipeline", 1, 0, 1, true, true))) {
      Verdict start = fresh.offer(new StreamItem.Start(Position.ORIGIN, 0, other), 0);
      assertThat(((Verdict.Refuse) start).stop().code()).isEqualTo(Stop.Code.IDENTITY);
      Verdict coverage =
          assembler.offer(new StreamItem.Coverage(Position.ORIGIN, Bench.end(1), 0, other), 0);
      assertThat(((Verdict.Refuse) coverage).stop().codedMessage())
          .startsWith("TULA-88 ")
          .contains(Bench.STREAM.differencesTo(other));
    }
  }

  @Test
  @DisplayName("C10: reading resumes at the offset stored with W")
  void reading_resumes_at_the_offset_stored_with_the_watermark() {
    bench.commit(bench.started("a"), Bench.end(1), Bench.row(1, 0), Bench.row(1, 1));

    RangeAssembler assembler = resumed("b");

    assertThat(assembler.resumeOffset()).isEqualTo(3);
    assertThat(assembler.proven()).isEqualTo(Bench.end(1));
    assertThat(assembler.hasContent()).isFalse();
  }

  @Test
  @DisplayName("C10: a place that does not lead to W's successor is searched for before giving up")
  void a_place_that_does_not_lead_on_is_searched_for_once() {
    bench.commit(bench.started("a"), Bench.end(1), Bench.row(1, 0));
    RangeAssembler assembler = resumed("b");

    Verdict first = assembler.offer(row(Bench.end(7), 8, 0), 2);
    assertThat(first).isInstanceOf(Verdict.SearchFirst.class);
    assembler.searching();

    assertThat(assembler.offer(row(Position.ORIGIN, 1, 0), 0))
        .isInstanceOf(Verdict.CompareWithLake.class);
    assembler.compared(0);
    assertThat(assembler.offer(row(at(1, 0), 2, 0), 1)).isEqualTo(TAKEN);
    assertThat(assembler.proven()).isEqualTo(at(2, 0));
  }

  @Test
  @DisplayName("C10: the end of a replay, and an idle ledger's coverage, are not W's successor")
  void what_follows_a_replay_that_ends_at_the_watermark_is_searched_for() {
    bench.commit(bench.started("a"), Bench.end(1), Bench.row(1, 0));
    RangeAssembler assembler = resumed("b");
    assertThat(assembler.offer(row(Position.ORIGIN, 1, 0), 2))
        .isInstanceOf(Verdict.CompareWithLake.class);
    assembler.compared(2);
    assertThat(assembler.offer(coverage(at(1, 0), Bench.end(1), 5), 3)).isEqualTo(TAKEN);
    assertThat(assembler.offer(coverage(Bench.end(1), Bench.end(1), 6), 4)).isEqualTo(TAKEN);

    assertThat(assembler.offer(row(Bench.end(7), 8, 0), 5)).isInstanceOf(Verdict.SearchFirst.class);
  }

  @Test
  @DisplayName("C10: what the search does not find is 86, and so is a gap behind W's successor")
  void a_gap_after_the_search_halts() {
    bench.commit(bench.started("a"), Bench.end(1), Bench.row(1, 0));
    RangeAssembler searched = resumed("b");
    searched.searching();
    assertHalts(searched.offer(row(Bench.end(7), 8, 0), 0), HaltReason.GAP);

    RangeAssembler connected = resumed("c");
    assertThat(offer(connected, row(Bench.end(1), 2, 0))).isEqualTo(TAKEN);
    assertHalts(offer(connected, row(at(2, 1), 2, 2)), HaltReason.GAP);
  }

  // C12: what proves what

  @Test
  @DisplayName("C12: a removed record is a gap, and the message names topic, partition and offset")
  void a_removed_record_is_a_gap() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));
    offset = 17;

    Verdict verdict = offer(assembler, row(at(1, 1), 1, 2));

    assertHalts(verdict, HaltReason.GAP);
    assertThat(((Verdict.Halt) verdict).finding().what())
        .startsWith("topic ledger, partition 0, offset 17: ")
        .contains("1:0")
        .contains("1:1");
  }

  @Test
  @DisplayName("C12: a removed coverage record is a gap too")
  void a_removed_coverage_record_is_a_gap() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));

    assertHalts(offer(assembler, coverage(Bench.end(1), Bench.end(3), 5)), HaltReason.GAP);
  }

  @Test
  @DisplayName("C12: pages that are cut differently on a re-read go on")
  void pages_that_are_cut_differently_go_on() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));
    offer(assembler, coverage(at(1, 0), Bench.end(5), 5));

    // Another session, from further back, that scanned further before it found its next row.
    assertThat(offer(assembler, coverage(at(1, 0), at(1, 0), 5))).isEqualTo(TAKEN);
    assertThat(offer(assembler, row(at(1, 0), 6, 0))).isEqualTo(TAKEN);
    assertThat(assembler.proven()).isEqualTo(at(6, 0));
  }

  @Test
  @DisplayName("C12: a row inside a stretch that was proven empty is 86")
  void a_row_inside_a_proven_stretch_halts() {
    RangeAssembler assembler = started();
    offer(assembler, coverage(Position.ORIGIN, Bench.end(5), 5));

    assertHalts(offer(assembler, row(Bench.end(2), 3, 0)), HaltReason.ROW_DIFFERS);
  }

  @Test
  @DisplayName("I6: a row of another export partition, and metadata that was not asked for, are 86")
  void rows_that_do_not_belong_here_halt() {
    PipelineIdentity two =
        new PipelineIdentity(
            "cluster", "pipeline", 1, 2, Layout.SHARED, false, false, 28, PipelineIdentity.FORMAT);
    RangeAssembler ofTwo =
        new RangeAssembler(two, 1, Bench.TOPIC, new AssemblyLimits(10, 1000, 10));
    assertHalts(ofTwo.offer(row(Position.ORIGIN, 2, 0), 0), HaltReason.MALFORMED_RECORD);

    RangeAssembler assembler = started();
    CanonicalRow change =
        new dev.tula.connect.model.RowWriter()
            .begin(dev.tula.connect.model.RecordKind.LEDGER_CHANGE)
            .putLong(1)
            .putLong(1)
            .putInt(0)
            .putTimestamp(0)
            .putTimestamp(0)
            .putString("1")
            .putString("created")
            .putString("stream")
            .absentToEnd()
            .toRow();
    assertHalts(offer(assembler, item(Position.ORIGIN, change)), HaltReason.MALFORMED_RECORD);
  }

  @Test
  @DisplayName("I7: a full record in a lake without columns for it is 86")
  void a_full_record_where_it_has_no_columns_halts() {
    RangeAssembler assembler = started();
    CanonicalRow full =
        Bench.beginTransaction(1, 0, "default", 10)
            .absent()
            .absent()
            .absent()
            .absent()
            .absent()
            .absent()
            .absent()
            .putAmount(5)
            .absentToEnd()
            .toRow();

    Verdict verdict = offer(assembler, item(Position.ORIGIN, full));

    assertHalts(verdict, HaltReason.MALFORMED_RECORD);
    assertThat(((Verdict.Halt) verdict).finding().what()).contains("dr_credits_posted");
  }

  @Test
  @DisplayName("I7: a kind of transaction that is not known is 86, and nothing of it is kept")
  void an_unknown_kind_of_transaction_halts() {
    RangeAssembler assembler = started();
    CanonicalRow unknown = Bench.transaction(1, 0, "a new mode", 10);

    Verdict verdict = offer(assembler, item(Position.ORIGIN, unknown));

    assertHalts(verdict, HaltReason.MALFORMED_RECORD);
    assertThat(((Verdict.Halt) verdict).finding().what()).contains("1:0").contains("a new mode");
    assertThat(assembler.openRows()).isZero();
  }

  // C13: replays

  @Test
  @DisplayName("C13: replays above W are compared in memory and dropped")
  void replays_above_the_watermark_are_dropped() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));
    offer(assembler, row(at(1, 0), 1, 1));

    assertThat(offer(assembler, row(Position.ORIGIN, 1, 0))).isEqualTo(TAKEN);
    assertThat(offer(assembler, row(at(1, 0), 1, 1))).isEqualTo(TAKEN);
    assertThat(assembler.openRows()).isEqualTo(2);
    assertThat(assembler.replayedRows()).isEqualTo(2);
  }

  @Test
  @DisplayName("C13, I6: the same position with other bytes is 86")
  void a_replay_with_other_bytes_halts() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));

    assertHalts(
        offer(assembler, item(Position.ORIGIN, Bench.transaction(1, 0, "default", 11))),
        HaltReason.ROW_DIFFERS);
  }

  @Test
  @DisplayName(
      "C13: replays at or below W that the window does not reach are compared with the lake")
  void older_replays_are_compared_with_the_lake() {
    bench.commit(bench.started("a"), Bench.end(1), Bench.row(1, 0));
    RangeAssembler assembler = resumed("b");
    offer(assembler, row(Bench.end(1), 2, 0));

    Verdict verdict = offer(assembler, row(Position.ORIGIN, 1, 0));

    assertThat(verdict).isEqualTo(new Verdict.CompareWithLake(Bench.row(1, 0)));
    assembler.compared(offset);
    assertThat(assembler.replayedRows()).isEqualTo(1);
  }

  @Test
  @DisplayName("C13: the window keeps rows of a range that is being committed, and all above W")
  void the_window_keeps_everything_above_the_watermark() {
    RangeAssembler assembler = assembler(1000, 2);
    assembler.begun(bench.started("a").writer().orElseThrow(), 1);
    Position pred = Position.ORIGIN;
    for (int i = 0; i < 5; i++) {
      offer(assembler, row(pred, 1, i));
      pred = at(1, i);
    }
    offer(assembler, coverage(pred, Bench.end(1), 5));
    assembler.cut();
    offer(assembler, row(Bench.end(1), 2, 0));

    // Not committed yet: nothing may have been forgotten.
    assertThat(offer(assembler, row(Position.ORIGIN, 1, 0))).isEqualTo(TAKEN);
    assertHalts(
        offer(assembler, item(at(1, 1), Bench.transaction(1, 2, "default", 9))),
        HaltReason.ROW_DIFFERS);

    assembler.committed(Bench.end(1));
    assertThat(offer(assembler, row(Position.ORIGIN, 1, 0)))
        .isInstanceOf(Verdict.CompareWithLake.class);
    assertThat(offer(assembler, row(at(1, 3), 1, 4))).isEqualTo(TAKEN);
  }

  // Cuts

  @Test
  @DisplayName("C12: a cut falls on the end of a batch, proven by the next batch's record")
  void a_cut_falls_on_the_end_of_a_batch() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));
    assembler.wantCut();

    assertThat(assembler.cutDue()).isFalse();
    assertThat(offer(assembler, row(at(1, 0), 1, 1))).isEqualTo(TAKEN);
    assertThatThrownBy(assembler::cut).isInstanceOf(IllegalStateException.class);
    assertThat(offer(assembler, row(at(1, 1), 4, 0))).isEqualTo(CUT_FIRST);

    CutRange cut = assembler.cut();
    assertThat(cut.range().to()).isEqualTo(Bench.end(1));
    assertThat(cut.range().rowsDecoded()).isEqualTo(2);
    assertThat(cut.range().kafka()).isEqualTo(Bench.kafka(3));
    assertThat(offer(assembler, row(at(1, 1), 4, 0))).isEqualTo(TAKEN);
  }

  @Test
  @DisplayName("C12: a coverage record closes the last batch of an idle ledger")
  void a_coverage_record_closes_the_last_batch() {
    RangeAssembler assembler = started();
    assembler.wantCut();
    offer(assembler, row(Position.ORIGIN, 1, 0));
    assertThat(assembler.cutDue()).isFalse();

    offer(assembler, coverage(at(1, 0), Bench.end(1), 1500));

    assertThat(assembler.cutDue()).isTrue();
    CutRange cut = assembler.cut();
    assertThat(cut.range().to()).isEqualTo(Bench.end(1));
    assertThat(cut.range().closedThroughMicros()).isEqualTo(1500);
    assertThat(cut.range().kafka()).isEqualTo(Bench.kafka(3));
  }

  @Test
  @DisplayName("A coverage record that ends inside a batch closes nothing")
  void a_coverage_record_inside_a_batch_closes_nothing() {
    RangeAssembler assembler = started();
    assembler.wantCut();
    offer(assembler, row(Position.ORIGIN, 1, 0));

    offer(assembler, coverage(at(1, 0), at(1, 7), 900));

    assertThat(assembler.cutDue()).isFalse();
    assertThat(offer(assembler, coverage(at(1, 7), Bench.end(3), 3000))).isEqualTo(CUT_FIRST);
    CutRange cut = assembler.cut();
    assertThat(cut.range().to()).isEqualTo(Bench.end(1));
    assertThat(cut.range().closedThroughMicros()).isEqualTo(900);
  }

  @Test
  @DisplayName("Limits cut at the first end of a batch after they were reached")
  void limits_cut_at_the_next_end_of_a_batch() {
    RangeAssembler assembler = assembler(2, 1000);
    assembler.begun(bench.started("a").writer().orElseThrow(), 1);
    offer(assembler, row(Position.ORIGIN, 1, 0));
    offer(assembler, row(at(1, 0), 2, 0));

    assertThat(offer(assembler, row(at(2, 0), 2, 1))).isEqualTo(TAKEN);
    assertThat(offer(assembler, row(at(2, 1), 3, 0))).isEqualTo(CUT_FIRST);
    assertThat(assembler.cut().range().to()).isEqualTo(Bench.end(2));
  }

  @Test
  @DisplayName("An idle ledger's W moves, and so does the time that it is closed through")
  void an_idle_ledger_moves_on() {
    RangeAssembler assembler = started();
    assembler.wantCut();
    assertThat(assembler.hasContent()).isFalse();
    assertThat(assembler.cutDue()).isFalse();

    offer(assembler, coverage(Position.ORIGIN, Position.ORIGIN, 500));
    assertThat(assembler.cutDue()).isTrue();
    SealedRange timeOnly = assembler.cut().range();
    assertThat(timeOnly.to()).isEqualTo(Position.ORIGIN);
    assertThat(timeOnly.closedThroughMicros()).isEqualTo(500);
    assertThat(timeOnly.tables()).isEmpty();
    assertThat(assembler.hasContent()).isFalse();

    offer(assembler, coverage(Position.ORIGIN, Bench.end(9), 600));
    assembler.wantCut();
    assertThat(assembler.cut().range().to()).isEqualTo(Bench.end(9));
  }

  @Test
  @DisplayName("The closed time of an older replay, or one that goes back, is not taken")
  void the_closed_time_never_goes_back_and_is_of_the_proven_end() {
    RangeAssembler assembler = started();
    offer(assembler, coverage(Position.ORIGIN, Bench.end(2), 2500));
    offer(assembler, coverage(Bench.end(1), Bench.end(1), 9999));
    offer(assembler, coverage(Bench.end(2), Bench.end(2), 100));
    assembler.wantCut();

    assertThat(assembler.cut().range().closedThroughMicros()).isEqualTo(2500);
  }

  // C9: the forced cut

  private RangeAssembler forcedAt3() {
    CommitEngine a = bench.started("a");
    bench.commit(a, Bench.end(1), Bench.row(1, 0));
    bench.begin(a, Bench.end(3), Bench.row(3, 0), Bench.tieredRow(3, 1));
    bench.runTo(a, Phase.CommittingTables.class);
    bench.lake.commit(Bench.commitOf(a, Bench.TIERED).commit());
    return resumed("b");
  }

  @Test
  @DisplayName("C9: a forced cut is not made before D, whatever the limits and the interval say")
  void a_forced_cut_is_made_at_its_place_only() {
    RangeAssembler assembler = forcedAt3();
    assembler.wantCut();

    assertThat(offer(assembler, coverage(Bench.end(1), Bench.end(2), 2500))).isEqualTo(TAKEN);
    assertThat(assembler.cutDue()).isFalse();
    assertThat(offer(assembler, row(Bench.end(2), 3, 0))).isEqualTo(TAKEN);
    assertThat(offer(assembler, item(at(3, 0), Bench.tieredRow(3, 1)))).isEqualTo(TAKEN);
    assertThat(offer(assembler, row(at(3, 1), 4, 0))).isEqualTo(CUT_FIRST);
    assertThat(assembler.cutDue()).isTrue();

    SealedRange cut = assembler.cut().range();
    assertThat(cut.to()).isEqualTo(Bench.end(3));
    assertThat(cut.tables()).containsOnlyKeys(Bench.DEFAULT, Bench.TIERED);
    assertThat(offer(assembler, row(at(3, 1), 4, 0))).isEqualTo(TAKEN);
    assertThat(assembler.cutDue()).isFalse();
  }

  @Test
  @DisplayName(
      "C9: a coverage record that spans D is split; the lower half keeps the old closed time")
  void a_coverage_record_that_spans_the_forced_cut_is_split() {
    RangeAssembler assembler = forcedAt3();
    offer(assembler, row(Bench.end(1), 3, 0));
    offer(assembler, item(at(3, 0), Bench.tieredRow(3, 1)));
    StreamItem spanning = coverage(at(3, 1), Bench.end(8), 8500);

    assertThat(offer(assembler, spanning)).isEqualTo(CUT_FIRST);
    SealedRange lower = assembler.cut().range();
    assertThat(lower.to()).isEqualTo(Bench.end(3));
    assertThat(lower.closedThroughMicros()).isEqualTo(1100);
    assertThat(lower.kafka().offset()).isEqualTo(offset);

    assertThat(offer(assembler, spanning)).isEqualTo(TAKEN);
    assembler.wantCut();
    SealedRange upper = assembler.cut().range();
    assertThat(upper.to()).isEqualTo(Bench.end(8));
    assertThat(upper.closedThroughMicros()).isEqualTo(8500);
  }

  @Test
  @DisplayName("C9: a coverage record that ends at D closes the cut there")
  void a_coverage_record_that_ends_at_the_forced_cut_closes_it() {
    RangeAssembler assembler = forcedAt3();
    offer(assembler, row(Bench.end(1), 3, 0));
    offer(assembler, item(at(3, 0), Bench.tieredRow(3, 1)));

    assertThat(offer(assembler, coverage(at(3, 1), Bench.end(3), 3500))).isEqualTo(TAKEN);
    assertThat(assembler.cutDue()).isTrue();
    assertThat(assembler.cut().range().closedThroughMicros()).isEqualTo(3500);
  }

  @Test
  @DisplayName("A new look at the lake forgets what was open")
  void resuming_forgets_what_was_open() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));

    assembler.resume(bench.open("b").writer().orElseThrow());

    assertThat(assembler.openRows()).isZero();
    assertThat(assembler.openBytes()).isZero();
    assertThat(assembler.proven()).isEqualTo(Position.ORIGIN);
    assertThat(assembler.hasContent()).isFalse();
  }

  @Test
  @DisplayName("Each row goes to its table's part of the range, in order and as it came")
  void rows_go_to_their_tables_as_they_came() {
    RangeAssembler assembler = started();
    offer(assembler, row(Position.ORIGIN, 1, 0));
    offer(assembler, item(at(1, 0), Bench.tieredRow(1, 1)));
    offer(assembler, row(at(1, 1), 1, 2));
    offer(assembler, coverage(at(1, 2), Bench.end(1), 1500));

    CutRange cut = assembler.cut();

    assertThat(cut.range().tables().get(Bench.DEFAULT).rows()).isEqualTo(2);
    assertThat(cut.range().tables().get(Bench.TIERED).amountSum())
        .isEqualTo(Optional.of(java.math.BigInteger.TEN));
    java.util.ArrayList<CanonicalRow> rows = new java.util.ArrayList<>();
    cut.rows().get(Bench.DEFAULT).forEach(rows::add);
    assertThat(rows).containsExactly(Bench.row(1, 0), Bench.row(1, 2));
  }

  @Test
  @DisplayName("A limit that is not positive is a caller's mistake")
  void limits_are_positive() {
    assertThatThrownBy(() -> new AssemblyLimits(0, 1, 2))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new AssemblyLimits(1, 0, 2))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new AssemblyLimits(1, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new StreamItem.Row(at(1, 0), Bench.row(1, 0)))
        .isInstanceOf(MalformedRecordException.class);
  }
}
