package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.queryport.ManualClock;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StreamOpeningTest {
  private final FakeEngine engine = new FakeEngine().commitBatches(10, 2);
  private final Map<String, String> properties = Configs.ofTask(1, "0");

  @Test
  @DisplayName("C12: a generation opens with START, its session with coverage of no width")
  void without_an_offset_the_stream_starts_at_the_origin() throws Exception {
    StreamOpening opening = open(Optional.empty());
    assertThat(opening.position()).isEqualTo(Position.ORIGIN);
    assertThat(opening.items())
        .containsExactly(
            new StreamItem.Start(Position.ORIGIN, 999_999, identity()),
            new StreamItem.Coverage(Position.ORIGIN, Position.ORIGIN, 999_999, identity()));
  }

  @Test
  @DisplayName("C12: a session that resumes opens with coverage of no width, and no START")
  void with_an_offset_the_stream_goes_on_there() throws Exception {
    StreamOpening opening = open(offset("4:1"));
    assertThat(opening.items())
        .containsExactly(
            new StreamItem.Coverage(
                Position.parse("4:1"), Position.parse("4:1"), 3_999_999, identity()));
    assertThat(engine.fetches())
        .singleElement()
        .satisfies(
            fetch -> {
              assertThat(fetch.until()).contains(Position.parse("4:1"));
              assertThat(fetch.waitMs()).isZero();
              assertThat(fetch.options().lease()).isTrue();
            });
  }

  @Test
  void a_start_position_that_is_configured_does_not_move_a_stream_that_runs() throws Exception {
    properties.put(SourceConfig.START_POSITION, "8:2147483647");
    assertThat(open(offset("4:1")).position()).isEqualTo(Position.parse("4:1"));
    assertThat(open(Optional.empty()).position()).isEqualTo(Position.batchEnd(8));
  }

  @Test
  void earliest_is_refused_with_the_missing_range_once_the_engine_has_a_floor() {
    engine.reclaim(Position.batchEnd(3));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> open(Optional.empty()))
        .withMessageStartingWith("TULA-87 ")
        .withMessageContaining("(0:2147483647, 3:2147483647]");
  }

  @Test
  void floor_leaves_the_older_part_out_knowingly() throws Exception {
    properties.put(SourceConfig.START_POSITION, SourceConfig.FLOOR);
    engine.reclaim(Position.batchEnd(3));
    assertThat(open(Optional.empty()).items().get(0))
        .isEqualTo(new StreamItem.Start(Position.batchEnd(3), 3_999_999, identity()));
  }

  @Test
  void a_floor_that_moves_while_it_is_asked_for_is_asked_for_again() throws Exception {
    properties.put(SourceConfig.START_POSITION, SourceConfig.FLOOR);
    engine.reclaim(Position.batchEnd(3));
    engine.failFetch(node -> engine.reclaim(Position.batchEnd(5)));
    assertThat(open(Optional.empty()).position()).isEqualTo(Position.batchEnd(5));
  }

  @Test
  void an_offset_below_the_floor_is_87_with_the_missing_range() {
    engine.reclaim(Position.batchEnd(6));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> open(offset("4:1")))
        .withMessageContaining("(4:1, 6:2147483647]");
  }

  @Test
  void an_offset_beyond_the_ledger_s_end_is_86() {
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> open(offset("11:0")))
        .withMessageStartingWith("TULA-86 ");
  }

  private StreamIdentity identity() {
    return new SourceConfig(properties).identity(0);
  }

  private static Optional<SourceOffset> offset(String position) {
    return Optional.of(new SourceOffset(Position.parse(position), FakeEngine.CLUSTER, null));
  }

  private StreamOpening open(Optional<SourceOffset> offset) throws InterruptedException {
    SourceConfig config = new SourceConfig(properties);
    try (LeaderClient client =
        LeaderClient.builder(config.queryPort(), "me")
            .factory(engine)
            .clock(new ManualClock())
            .build()) {
      return StreamOpening.open(
          config, identity(), offset, client, new FetchRequests(config, identity()));
    }
  }
}
