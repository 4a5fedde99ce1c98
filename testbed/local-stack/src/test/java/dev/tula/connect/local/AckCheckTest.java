package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.local.AckCheck.WatermarkSnapshot;
import dev.tula.connect.model.Position;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("I4: the ack never passes W, and follows the checkpoint")
class AckCheckTest {
  private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

  @TempDir Path directory;

  @Test
  void an_ack_after_its_checkpoint_and_commit_is_covered() {
    AckCheck check =
        AckCheck.of(
            List.of(ack(0, 10, 20), ack(0, 7, 20)),
            List.of(checkpoint(0, 10, 15)),
            List.of(snapshot(0, 10, 12)));

    assertThat(check.violations()).isEmpty();
    assertThat(check.acks()).isEqualTo(2);
  }

  @Test
  void an_ack_before_its_checkpoint_was_appended_is_a_violation() {
    AckCheck check =
        AckCheck.of(
            List.of(ack(0, 10, 14)),
            List.of(checkpoint(0, 9, 1), checkpoint(0, 10, 15)),
            List.of(snapshot(0, 10, 12)));

    assertThat(check.violations()).singleElement().asString().contains("checkpoint");
  }

  @Test
  void an_ack_before_the_watermark_was_committed_is_a_violation() {
    AckCheck check =
        AckCheck.of(
            List.of(ack(0, 10, 14)), List.of(checkpoint(0, 10, 5)), List.of(snapshot(0, 10, 15)));

    assertThat(check.violations()).singleElement().asString().contains("watermark table");
  }

  @Test
  void an_ack_above_everything_is_a_violation() {
    AckCheck check =
        AckCheck.of(
            List.of(ack(0, 11, 99)), List.of(checkpoint(0, 10, 5)), List.of(snapshot(0, 10, 4)));

    assertThat(check.violations()).hasSize(1);
  }

  @Test
  void another_partitions_checkpoint_covers_nothing() {
    AckCheck check =
        AckCheck.of(
            List.of(ack(1, 10, 99)), List.of(checkpoint(0, 10, 5)), List.of(snapshot(0, 10, 4)));

    assertThat(check.violations()).hasSize(1);
  }

  @Test
  void an_ack_in_the_same_millisecond_is_after_its_checkpoint() {
    AckCheck check =
        AckCheck.of(
            List.of(new Ack(0, Position.batchEnd(10), NOON.plusNanos(900_000))),
            List.of(new Checkpoint(0, Position.batchEnd(10), 0, NOON)),
            List.of(new WatermarkSnapshot(0, Position.batchEnd(10), NOON)));

    assertThat(check.violations()).isEmpty();
  }

  @Test
  void the_engines_log_reads_line_by_line() throws Exception {
    Path log =
        Files.writeString(
            directory.resolve("acks.log"),
            "{\"time\":\"2026-01-31T12:00:00.000000123Z\",\"partition\":3,\"through\":\"42:7\"}\n");

    assertThat(Ack.readLog(log))
        .containsExactly(new Ack(3, new Position(42, 7), NOON.plusNanos(123)));
    assertThat(Ack.readLog(directory.resolve("none.log"))).isEmpty();
  }

  private static Ack ack(int partition, long batch, long atMs) {
    return new Ack(partition, Position.batchEnd(batch), NOON.plusMillis(atMs));
  }

  private static Checkpoint checkpoint(int partition, long batch, long atMs) {
    return new Checkpoint(partition, Position.batchEnd(batch), 0, NOON.plusMillis(atMs));
  }

  private static WatermarkSnapshot snapshot(int partition, long batch, long atMs) {
    return new WatermarkSnapshot(partition, Position.batchEnd(batch), NOON.plusMillis(atMs));
  }
}
