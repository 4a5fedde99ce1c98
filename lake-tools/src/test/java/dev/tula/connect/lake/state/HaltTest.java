package dev.tula.connect.lake.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.HaltReason;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** C25: a halt is in force until a clear names its id in either place. */
class HaltTest {
  private static final Instant AT = Instant.parse("2026-01-31T12:00:00Z");

  private static HaltEvent event(String reason, String message) {
    return new HaltEvent(new EventIdentity("p", "c", 1, 0, 1), "h", reason, message, "w", 1, 1, AT);
  }

  private static Halt merged(
      Map<String, HaltEvent> events,
      Set<String> clearedInTopic,
      Map<String, String> messages,
      Set<String> clearedInTable) {
    return Halt.merge(events, clearedInTopic, messages, clearedInTable).get("h");
  }

  private static final Map<String, HaltEvent> EVENT = Map.of("h", event("gap", "a gap"));
  private static final Map<String, String> MESSAGE = Map.of("h", "a gap");

  @Test
  void either_record_is_enough_to_be_in_force_and_either_clear_to_lift_it() {
    assertThat(merged(EVENT, Set.of(), Map.of(), Set.of()).inForce()).isTrue();
    assertThat(merged(Map.of(), Set.of(), MESSAGE, Set.of()).inForce()).isTrue();
    assertThat(merged(EVENT, Set.of(), MESSAGE, Set.of()).inForce()).isTrue();
    assertThat(merged(EVENT, Set.of("h"), MESSAGE, Set.of()).inForce()).isFalse();
    assertThat(merged(EVENT, Set.of(), MESSAGE, Set.of("h")).inForce()).isFalse();
    assertThat(merged(EVENT, Set.of(), Map.of(), Set.of("h")).inForce()).isFalse();
    assertThat(merged(EVENT, Set.of("other"), MESSAGE, Set.of("other")).inForce()).isTrue();
  }

  @Test
  void it_is_half_cleared_where_one_place_still_has_it_recorded_alone() {
    assertThat(merged(EVENT, Set.of("h"), MESSAGE, Set.of()).isHalfCleared()).isTrue();
    assertThat(merged(EVENT, Set.of(), MESSAGE, Set.of("h")).isHalfCleared()).isTrue();
    assertThat(merged(EVENT, Set.of("h"), MESSAGE, Set.of("h")).isHalfCleared()).isFalse();
    assertThat(merged(EVENT, Set.of("h"), Map.of(), Set.of()).isHalfCleared()).isFalse();
    assertThat(merged(EVENT, Set.of(), MESSAGE, Set.of()).isHalfCleared()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(HaltReason.class)
  void the_table_alone_tells_the_kind_by_the_cure_in_the_message(HaltReason reason) {
    String message = new Finding(reason, "table x has y").message();

    Halt halt = merged(Map.of(), Set.of(), Map.of("h", message), Set.of());

    assertThat(halt.reason()).contains(reason);
    assertThat(halt.finding()).isEqualTo("table x has y.");
    assertThat(halt.cure()).contains(reason.cure());
    assertThat(halt.at()).isEmpty();
  }

  @Test
  void a_kind_that_this_version_does_not_know_is_shown_with_its_whole_message() {
    Halt halt =
        merged(Map.of("h", event("of_the_future", "x. Do y.")), Set.of(), Map.of(), Set.of());

    assertThat(halt.reasonWord()).isEqualTo("of_the_future");
    assertThat(halt.finding()).isEqualTo("x. Do y.");
    assertThat(halt.cure()).isEmpty();
    assertThat(halt.at()).contains(AT);
  }
}
