package dev.tula.connect.refnode.truth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.history.RecordForm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamTruthTest {
  private static final RecordForm FORM = new RecordForm(true, false);

  private final StreamIdentity identity =
      new StreamIdentity(ReferenceCluster.DEFAULT_CLUSTER_ID, "p", 1, 0, 1, true, false);
  private ReferenceCluster ledger;
  private List<StreamItem> stream;

  @BeforeEach
  void make() {
    ledger = ReferenceCluster.builder().seed(3).rows(40).start();
    stream = new ArrayList<>();
    stream.add(new StreamItem.Start(Position.ORIGIN, 0, identity));
    try (TruthReader truth = ledger.truth(FORM)) {
      while (truth.next()) {
        CanonicalRow row = CanonicalRow.of(truth.row().toByteArray());
        stream.add(new StreamItem.Row(last(), row));
      }
    }
    stream.add(new StreamItem.Coverage(last(), ledger.head(), 0, identity));
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  private Position last() {
    return stream.get(stream.size() - 1).provesTo();
  }

  private StreamTruth verdict() {
    try (TruthReader truth = ledger.truth(FORM)) {
      return StreamTruth.of(stream, truth);
    }
  }

  @Test
  void a_stream_that_is_the_ledger_is_exactly_once() {
    assertThat(verdict().problem()).isEmpty();
    assertThat(verdict().isExactlyOnce()).isTrue();
    assertThat(verdict().rows()).isEqualTo(stream.size() - 2);
    assertThat(verdict().provenTo()).isEqualTo(ledger.head());
  }

  @Test
  void rows_that_come_again_are_counted_and_no_problem() {
    stream.addAll(List.copyOf(stream));
    assertThat(verdict().problem()).isEmpty();
    assertThat(verdict().replayed()).isEqualTo(verdict().rows());
    assertThat(verdict().isExactlyOnce()).isFalse();
  }

  @Test
  void a_row_that_is_missing_is_a_gap_at_the_next() {
    stream.remove(4);
    assertThat(verdict().problem().orElseThrow()).startsWith("item 4, ").contains("a gap");
  }

  @Test
  void a_row_that_a_coverage_record_hides_is_found() {
    StreamItem hidden = stream.remove(4);
    stream.add(4, new StreamItem.Coverage(hidden.provesAfter(), hidden.provesTo(), 0, identity));
    assertThat(verdict().problem().orElseThrow()).startsWith("item 5 is ");
    stream = stream.subList(0, 5);
    assertThat(verdict().problem().orElseThrow()).contains("is not in it");
  }

  @Test
  void a_stream_without_its_beginning_is_wrong() {
    stream.remove(0);
    assertThat(verdict().problem().orElseThrow()).contains("not with START");
  }
}
