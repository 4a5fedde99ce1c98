package dev.tula.connect.lake.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.RepairEvent;
import dev.tula.connect.model.event.RepairEvent.RepairedRange;
import dev.tula.connect.sink.engine.WriterClaim;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RepairEventsTest {
  private static final EventIdentity IDENTITY =
      EventIdentity.of(new StreamIdentity("cluster", "ledger", 1, 0, 1, false, false));

  /** A broker's default for the largest record is a megabyte, and ours are to stay well below. */
  private static final int WELL_BELOW_BYTES = 500_000;

  private static final WriterClaim CLAIM = new WriterClaim(3, 7, "writer");

  private static List<RepairedRange> ranges(int count) {
    Position last = new Position(Long.MAX_VALUE, Integer.MAX_VALUE);
    return LongStream.range(0, count)
        .mapToObj(
            batch ->
                new RepairedRange(
                    new Position(Long.MAX_VALUE - 1 - batch, Integer.MAX_VALUE),
                    last,
                    "f".repeat(64),
                    Long.MAX_VALUE,
                    Optional.of(BigInteger.TEN.pow(38).negate())))
        .toList();
  }

  private static List<LakeEvent> events(List<RepairedRange> ranges) {
    return RepairEvents.of(
        IDENTITY, "transactions", "repair-1", ranges, 5, CLAIM, 1, Instant.EPOCH);
  }

  @Test
  void a_repair_of_few_ranges_is_one_event_under_its_own_id() {
    assertThat(events(ranges(RepairEvents.RANGES_PER_EVENT)))
        .singleElement()
        .isInstanceOfSatisfying(
            RepairEvent.class, event -> assertThat(event.id()).isEqualTo("repair-1"));
  }

  @Test
  void however_many_ranges_there_are_each_is_told_once_and_every_event_fits() {
    List<RepairedRange> ranges = ranges(10 * RepairEvents.RANGES_PER_EVENT + 1);

    List<RepairEvent> events = events(ranges).stream().map(RepairEvent.class::cast).toList();

    assertThat(events).hasSize(11);
    assertThat(events).flatExtracting(RepairEvent::ranges).containsExactlyElementsOf(ranges);
    assertThat(events).extracting(RepairEvent::key).doesNotHaveDuplicates();
    assertThat(events)
        .allSatisfy(
            event ->
                assertThat(event.value().getBytes(StandardCharsets.UTF_8).length)
                    .isLessThan(WELL_BELOW_BYTES));
  }
}
