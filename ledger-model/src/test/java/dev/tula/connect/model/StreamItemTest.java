package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StreamItemTest {
  private static final StreamIdentity IDENTITY =
      new StreamIdentity("cluster", "ledger", 2, 1, 4, true, true);

  @Test
  @DisplayName("An item proves (pred, pos] or (from, to] (C12)")
  void items_prove_a_stretch_of_positions() {
    CanonicalRow row = row(5, 3);
    StreamItem item = new StreamItem.Row(Position.batchEnd(1), row);
    assertThat(item.kind()).isEqualTo(RecordKind.CURRENCY_CHANGE);
    assertThat(item.provesAfter()).isEqualTo(Position.batchEnd(1));
    assertThat(item.provesTo()).isEqualTo(new Position(5, 3));
    StreamItem coverage =
        new StreamItem.Coverage(Position.ORIGIN, Position.batchEnd(5), 7, IDENTITY);
    assertThat(coverage.provesAfter()).isEqualTo(Position.ORIGIN);
    assertThat(coverage.provesTo()).isEqualTo(Position.batchEnd(5));
    StreamItem start = new StreamItem.Start(Position.batchEnd(5), 7, IDENTITY);
    assertThat(start.provesAfter()).isEqualTo(start.provesTo()).isEqualTo(Position.batchEnd(5));
  }

  @Test
  void a_predecessor_that_is_not_before_its_row_is_refused() {
    CanonicalRow row = row(5, 3);
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> new StreamItem.Row(new Position(5, 3), row))
        .withMessageContaining("5:3");
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> new StreamItem.Row(new Position(5, 4), row));
  }

  @Test
  void coverage_may_stand_still_but_not_run_backwards() {
    Position at = Position.batchEnd(5);
    assertThat(new StreamItem.Coverage(at, at, 0, IDENTITY).provesTo()).isEqualTo(at);
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> new StreamItem.Coverage(at, Position.batchEnd(4), 0, IDENTITY))
        .withMessageContaining("backwards");
  }

  @Test
  void topics_take_the_generation_after_the_first() {
    assertThat(IDENTITY.topic("commits")).isEqualTo("commits.g2");
    assertThat(StreamIdentity.topic("commits", 1)).isEqualTo("commits");
    assertThat(IDENTITY.withPartition(3))
        .isEqualTo(new StreamIdentity("cluster", "ledger", 2, 3, 4, true, true));
  }

  @Test
  void identities_that_contradict_themselves_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StreamIdentity("", "p", 1, 0, 1, false, false));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StreamIdentity("c", "", 1, 0, 1, false, false));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StreamIdentity("c", "p", 0, 0, 1, false, false))
        .withMessageContaining("generation");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StreamIdentity("c", "p", 1, 1, 1, false, false));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StreamIdentity("c", "p", 1, -1, 1, false, false));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StreamIdentity("c", "p", 1, 0, 0, false, false));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StreamIdentity("c", "p", 1, 0, 1, false, true))
        .withMessageContaining("metadata");
  }

  private static CanonicalRow row(long globalBatchSeq, int arrayIndex) {
    RowWriter writer = new RowWriter().begin(RecordKind.CURRENCY_CHANGE);
    writer.putLong(globalBatchSeq).putLong(1).putInt(arrayIndex).putTimestamp(1).putTimestamp(1);
    return writer.putString("EUR").putString("created").putString("stream").absentToEnd().toRow();
  }
}
