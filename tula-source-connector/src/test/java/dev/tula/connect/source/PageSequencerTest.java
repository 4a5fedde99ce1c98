package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.Rows;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class PageSequencerTest {
  private static final long SECOND = Rows.MICROS_PER_SECOND;

  @Nested
  class Items {
    private final PageSequencer sequencer =
        new PageSequencer(identity(0, 1), Position.batchEnd(4), 4 * SECOND, true);

    @Test
    @DisplayName("C12: a page whose covered end lies past its last row ends with a coverage record")
    void a_page_ends_with_a_coverage_record() {
      List<StreamItem> items =
          accept(
              sequencer,
              page(
                  "4:2147483647",
                  "5:2147483647",
                  6 * SECOND - 1,
                  Rows.transaction(5, 0),
                  Rows.transaction(5, 1)));
      assertThat(items)
          .containsExactly(
              new StreamItem.Row(Position.batchEnd(4), Rows.transaction(5, 0)),
              new StreamItem.Row(Position.parse("5:0"), Rows.transaction(5, 1)),
              new StreamItem.Coverage(
                  Position.parse("5:1"), Position.batchEnd(5), 6 * SECOND - 1, identity(0, 1)));
    }

    @Test
    void a_page_that_is_cut_inside_a_batch_has_nothing_to_cover() {
      assertThat(
              accept(
                  sequencer, page("4:2147483647", "5:0", 5 * SECOND - 1, Rows.transaction(5, 0))))
          .hasSize(1);
      assertThat(sequencer.proven()).isEqualTo(Position.parse("5:0"));
    }

    @Test
    void a_stretch_of_other_partitions_rows_is_covered() {
      assertThat(accept(sequencer, page("4:2147483647", "9:2147483647", 10 * SECOND - 1)))
          .containsExactly(
              new StreamItem.Coverage(
                  Position.batchEnd(4), Position.batchEnd(9), 10 * SECOND - 1, identity(0, 1)));
    }

    @Test
    void an_idle_ledger_still_says_that_time_has_closed() {
      assertThat(accept(sequencer, page("4:2147483647", "4:2147483647", 7 * SECOND)))
          .containsExactly(
              new StreamItem.Coverage(
                  Position.batchEnd(4), Position.batchEnd(4), 7 * SECOND, identity(0, 1)));
      assertThat(accept(sequencer, page("4:2147483647", "4:2147483647", 7 * SECOND)))
          .as("nothing new, not even time")
          .isEmpty();
    }
  }

  @Nested
  class BrokenPromises {
    @Test
    void a_page_after_another_position_is_refused() {
      assertBroken(page("3:2147483647", "5:2147483647", 6 * SECOND), "after 3:2147483647 came");
    }

    @Test
    void a_page_that_covers_backwards_is_refused() {
      assertBroken(page("4:2147483647", "4:0", 6 * SECOND), "covers only to 4:0");
    }

    @Test
    void a_page_beyond_its_own_head_is_refused() {
      assertBroken(page("4:2147483647", "101:2147483647", 6 * SECOND), "beyond its head");
    }

    @Test
    void rows_out_of_order_are_refused() {
      assertBroken(
          page(
              "4:2147483647",
              "5:2147483647",
              6 * SECOND,
              Rows.transaction(5, 1),
              Rows.transaction(5, 0)),
          "row 5:0 comes after 5:1");
    }

    @Test
    void a_row_twice_is_refused() {
      assertBroken(
          page(
              "4:2147483647",
              "5:2147483647",
              6 * SECOND,
              Rows.transaction(5, 1),
              Rows.transaction(5, 1)),
          "row 5:1 comes after 5:1");
    }

    @Test
    void a_row_beyond_the_covered_end_is_refused() {
      assertBroken(
          page("4:2147483647", "5:2147483647", 6 * SECOND, Rows.transaction(6, 0)),
          "beyond the page's end");
    }

    @Test
    void a_row_of_another_partition_is_refused() {
      PageSequencer half = new PageSequencer(identity(0, 2), Position.batchEnd(4), -1, true);
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(
              () ->
                  accept(
                      half,
                      page("4:2147483647", "5:2147483647", 6 * SECOND, Rows.transaction(5, 0))))
          .withMessageContaining("another export partition");
    }

    @Test
    void metadata_that_was_not_asked_for_is_refused() {
      assertBroken(
          page("4:2147483647", "5:2147483647", 6 * SECOND, Rows.currencyChange(5, 0)),
          "CURRENCY_CHANGE");
    }

    private void assertBroken(Message.Page page, String words) {
      PageSequencer sequencer =
          new PageSequencer(identity(0, 1), Position.batchEnd(4), 4 * SECOND, true);
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(() -> accept(sequencer, page))
          .withMessageContaining(words)
          .satisfies(failure -> assertThat(failure.code()).isEqualTo(FailureCode.CONTRACT));
    }
  }

  @Nested
  class ClosedThrough {
    @Test
    void a_closed_time_that_goes_back_stops_a_strict_export() {
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(
              () -> accept(sequencer(true), page("4:2147483647", "5:2147483647", 4 * SECOND - 1)))
          .withMessageContaining("closed-through went back")
          .withMessageContaining("tula.strict.closed.through");
    }

    @Test
    void a_row_of_a_time_that_was_closed_stops_a_strict_export() {
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(
              () ->
                  accept(
                      sequencer(true),
                      page(
                          "4:2147483647",
                          "5:2147483647",
                          6 * SECOND,
                          Rows.transaction(5, 0, 4 * SECOND))))
          .withMessageContaining("row 5:0 was recorded at");
    }

    @Test
    void otherwise_it_is_counted_and_consumers_never_see_time_go_back() {
      PageSequencer lenient = sequencer(false);
      List<StreamItem> items =
          accept(lenient, page("4:2147483647", "5:2147483647", 4 * SECOND - 1));
      assertThat(lenient.closedThroughRegressions()).isEqualTo(1);
      assertThat(((StreamItem.Coverage) items.get(0)).closedThroughMicros()).isEqualTo(4 * SECOND);
    }

    private PageSequencer sequencer(boolean strict) {
      return new PageSequencer(identity(0, 1), Position.batchEnd(4), 4 * SECOND, strict);
    }
  }

  static StreamIdentity identity(int partition, int count) {
    return new StreamIdentity(FakeEngine.CLUSTER, "p", 1, partition, count, false, false);
  }

  private static List<StreamItem> accept(PageSequencer sequencer, Message.Page page) {
    List<StreamItem> items = new ArrayList<>();
    sequencer.accept(
        page,
        (item, provesTo) -> {
          assertThat(provesTo).isEqualTo(item.provesTo());
          items.add(item);
        });
    return items;
  }

  private static Message.Page page(
      String from, String to, long closedThroughMicros, CanonicalRow... rows) {
    return new Message.Page(
        1,
        Position.parse(from),
        Position.parse(to),
        Position.batchEnd(100),
        Position.ORIGIN,
        closedThroughMicros,
        Message.PageFlags.NONE,
        Message.GroupStatus.NONE,
        List.of(rows));
  }
}
