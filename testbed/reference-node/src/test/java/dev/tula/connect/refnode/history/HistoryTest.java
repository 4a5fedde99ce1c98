package dev.tula.connect.refnode.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
  @TempDir private Path directory;

  private final List<CanonicalRow> written = new ArrayList<>();

  private History open(long segmentBytes) {
    History history = new History(directory, segmentBytes);
    List<CanonicalRow> replayed = new ArrayList<>();
    history.load((type, row, locator) -> replayed.add(CanonicalRow.of(row.toByteArray())));
    assertThat(replayed).isEqualTo(written);
    return history;
  }

  private long commit(History history, long recordedAt, int records) {
    long gbs = history.head() + 1;
    for (int index = 0; index < records; index++) {
      CanonicalRow row =
          new RowWriter()
              .begin(RecordKind.SOURCE_CHANGE)
              .putLong(gbs)
              .putLong(gbs)
              .putInt(index)
              .putTimestamp(recordedAt)
              .putTimestamp(recordedAt)
              .putString("source " + gbs)
              .putString("created")
              .putString("stream")
              .putString("name")
              .putString("active")
              .toRow();
      history.append(row.array(), row.length(), 0, 0, (byte) 0);
      written.add(row);
    }
    return history.commitBatch(recordedAt, gbs * 10);
  }

  @Test
  void a_reopened_history_holds_what_was_committed() {
    try (History history = open(1000)) {
      for (int i = 1; i <= 20; i++) {
        commit(history, i * 100, i % 4 + 1);
      }
    }
    try (History history = open(1000)) {
      assertThat(history.head()).isEqualTo(20);
      assertThat(history.rows()).isEqualTo(written.size());
      assertThat(history.inputCursor()).isEqualTo(200);
      assertThat(history.recordedAtMicros(20)).isEqualTo(2000);
      assertThat(rows(history)).isEqualTo(written);
      commit(history, 2000, 2);
      assertThat(rows(history)).isEqualTo(written);
    }
    assertThat(segments()).as("segments roll").hasSizeGreaterThan(3);
  }

  private static List<CanonicalRow> rows(History history) {
    List<CanonicalRow> rows = new ArrayList<>();
    for (long gbs = 1; gbs <= history.head(); gbs++) {
      RecordCursor cursor = history.batch(gbs);
      while (cursor.next()) {
        assertThat(cursor.position()).isEqualTo(cursor.stored().position());
        rows.add(cursor.row(RecordForm.FULL));
      }
    }
    return rows;
  }

  private List<Path> segments() {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".tlog")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_batch_that_a_crash_cut_off_is_dropped_and_its_number_used_again() throws IOException {
    try (History history = open(1 << 20)) {
      commit(history, 100, 3);
      commit(history, 200, 3);
    }
    Path segment = segments().get(0);
    byte[] whole = Files.readAllBytes(segment);
    List<CanonicalRow> both = List.copyOf(written);
    for (int cut = 1; cut < whole.length / 2; cut += 7) {
      written.clear();
      written.addAll(both.subList(0, 3));
      Files.write(segment, Arrays.copyOf(whole, whole.length - cut));
      try (History history = open(1 << 20)) {
        assertThat(history.head()).isEqualTo(1);
        assertThat(commit(history, 300, 1)).isEqualTo(2);
      }
      open(1 << 20).close();
    }
  }

  @Test
  void a_changed_byte_anywhere_is_noticed_when_the_history_is_opened() throws IOException {
    try (History history = open(1 << 20)) {
      commit(history, 100, 2);
      history.tick(150);
      commit(history, 200, 1);
    }
    Path segment = segments().get(0);
    byte[] whole = Files.readAllBytes(segment);
    for (int at = 0; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x20;
      Files.write(segment, changed);
      History history = new History(directory, 1 << 20);
      try {
        assertThatThrownBy(() -> history.load((type, row, locator) -> {}))
            .as("byte %d", at)
            .isInstanceOf(HistoryException.class)
            .hasMessageContaining("damaged");
      } finally {
        history.close();
      }
    }
  }

  @Test
  void one_directory_serves_one_history_at_a_time() {
    try (History history = open(1 << 20)) {
      assertThat(history.head()).isZero();
      assertThatThrownBy(() -> new History(directory, 1 << 20))
          .isInstanceOf(HistoryException.class)
          .hasMessageContaining("in use");
    }
    open(1 << 20).close();
  }

  @Test
  void what_is_closed_never_goes_back_and_no_later_batch_lies_at_or_below_it() {
    try (History history = open(1 << 20)) {
      commit(history, 100, 2);
      // The next batch may share the commit time, so it is not closed yet.
      assertThat(history.closedThroughMicros(Position.batchEnd(1))).isEqualTo(99);
      commit(history, 100, 1);
      assertThat(history.closedThroughMicros(Position.batchEnd(1))).isEqualTo(99);
      history.tick(120);
      assertThat(history.closedThroughMicros(Position.batchEnd(2))).isEqualTo(120);
      assertThatThrownBy(() -> commit(history, 120, 1)).hasMessageContaining("closed");
    }
  }

  @Test
  void within_a_batch_its_own_commit_time_is_not_closed() {
    try (History history = open(1 << 20)) {
      commit(history, 100, 3);
      commit(history, 200, 1);
      assertThat(history.closedThroughMicros(Position.ORIGIN)).isEqualTo(99);
      assertThat(history.closedThroughMicros(new Position(1, 0))).isEqualTo(99);
      assertThat(history.closedThroughMicros(new Position(1, 1))).isEqualTo(99);
      assertThat(history.closedThroughMicros(new Position(1, 2))).isEqualTo(199);
      assertThat(history.closedThroughMicros(Position.batchEnd(1))).isEqualTo(199);
    }
  }

  @Test
  void a_tick_survives_a_restart() {
    try (History history = open(1 << 20)) {
      commit(history, 100, 1);
      history.tick(5000);
    }
    try (History history = open(1 << 20)) {
      assertThat(history.closedThroughMicros()).isEqualTo(5000);
    }
  }

  @Test
  void an_interrupted_reader_does_not_take_the_history_away_from_others() throws Exception {
    try (History history = open(1 << 20)) {
      commit(history, 100, 2);
      Thread reader =
          new Thread(
              () -> {
                Thread.currentThread().interrupt();
                try {
                  history.batch(1);
                } catch (HistoryException e) {
                  // What the interrupt leads to in that thread is its own affair.
                }
              });
      reader.start();
      reader.join();
      assertThat(rows(history)).isEqualTo(written);
      commit(history, 200, 1);
      assertThat(rows(history)).isEqualTo(written);
    }
  }
}
