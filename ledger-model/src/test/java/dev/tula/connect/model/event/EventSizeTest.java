package dev.tula.connect.model.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.LedgerConverter;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import java.lang.reflect.RecordComponent;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the connectors write to Kafka beside rows, against the size that a broker takes. */
class EventSizeTest {
  /** Kafka's default {@code max.request.size} is 256 times that. */
  private static final int LIMIT_BYTES = 4 * 1024;

  /** Some times what the longest message of a halt has with the longest names in it. */
  private static final int LONG_MESSAGE = 8 * 1024;

  /** The longest that the settings take; JSON makes six characters of each of these. */
  private static final String CLUSTER = "\u0001".repeat(200);

  private static final String PIPELINE = "p".repeat(100);
  private static final String TOPIC = "t".repeat(249);
  private static final String TABLE = "x".repeat(255);
  private static final String ID = "i".repeat(100);
  private static final String SHA_256 = "f".repeat(64);
  private static final EventIdentity IDENTITY =
      new EventIdentity(PIPELINE, CLUSTER, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
  private static final Position LAST = new Position(Long.MAX_VALUE, Integer.MAX_VALUE);
  private static final Instant AT = Instant.parse("9999-12-31T23:59:59.999999999Z");

  /** As many of the lowest amount, which has 39 digits, as a count can say. */
  private static final BigInteger SUM =
      BigInteger.TWO.pow(127).negate().multiply(BigInteger.valueOf(Long.MAX_VALUE));

  private static final Set<Class<?>> ONE_VALUE =
      Set.of(
          int.class, long.class, String.class, Position.class, Instant.class, EventIdentity.class);

  static Stream<LakeEvent> largest() {
    return Stream.of(
        new TableEvent(
            IDENTITY,
            TABLE,
            ID,
            LAST,
            LAST,
            SHA_256,
            SHA_256,
            Long.MAX_VALUE,
            Optional.of(SUM),
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE),
        new CheckpointEvent(
            IDENTITY,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            ID,
            LAST,
            LAST,
            Long.MAX_VALUE,
            TOPIC,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            AT),
        new ClearEvent(IDENTITY, ID, Optional.of(LAST), ID, AT),
        halt(""));
  }

  private static HaltEvent halt(String message) {
    return new HaltEvent(IDENTITY, ID, ID, message, ID, Long.MAX_VALUE, Long.MAX_VALUE, AT);
  }

  private static int bytes(LakeEvent event) {
    return (event.key() + event.value()).getBytes(StandardCharsets.UTF_8).length;
  }

  @ParameterizedTest
  @MethodSource("largest")
  void the_largest_event_is_far_below_what_a_broker_takes(LakeEvent event) {
    assertThat(LakeEvent.parse(event.value())).isEqualTo(event);
    assertThat(bytes(event)).isLessThan(LIMIT_BYTES);
  }

  @Test
  void a_halt_adds_no_more_than_its_message() {
    assertThat(bytes(halt("m".repeat(LONG_MESSAGE))))
        .isEqualTo(bytes(halt("")) + LONG_MESSAGE)
        .isLessThan(LIMIT_BYTES + LONG_MESSAGE);
  }

  @ParameterizedTest
  @MethodSource("largest")
  void an_event_lists_nothing_so_neither_rows_nor_files_nor_tables_make_it_longer(LakeEvent event) {
    assertThat(Arrays.stream(event.getClass().getRecordComponents()).map(RecordComponent::getType))
        .allMatch(type -> ONE_VALUE.contains(type) || type == Optional.class);
  }

  @Test
  void the_record_that_opens_a_generation_is_as_bounded() {
    StreamIdentity identity =
        new StreamIdentity(CLUSTER, PIPELINE, Integer.MAX_VALUE, 0, Integer.MAX_VALUE, true, true);
    StreamItem start = new StreamItem.Start(Position.batchEnd(1), Long.MAX_VALUE, identity);
    assertThat(LedgerConverter.encode(start)).hasSizeLessThan(LIMIT_BYTES);
  }
}
