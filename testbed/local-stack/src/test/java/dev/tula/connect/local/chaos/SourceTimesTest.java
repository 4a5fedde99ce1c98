package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SourceTimesTest {
  private static final String LINE =
      "2026-03-01T08:00:20,500 INFO  d.t.c.s.StartedSourceTask [task-thread-tula-source-0]"
          + " tula-source-0 stopped in 12 ms; it ran for 10500 ms and polled 9 times, the longest"
          + " 11234 ms; within ms: 1=2 5=3 10=3 50=3 100=4 250=4 500=6 1000=7 2000=8"
          + " (5f1a-77)";

  @Test
  void the_line_of_a_task_that_ended_in_order_is_read_back() {
    SourceLife life = SourceLife.ofLog(LINE, ZoneOffset.UTC).orElseThrow();
    assertThat(life.id()).isEqualTo("5f1a-77");
    assertThat(life.started()).isEqualTo("2026-03-01T08:00:10Z");
    assertThat(life.seen()).isEqualTo("2026-03-01T08:00:20.500Z");
    assertThat(life.stopMs()).hasValue(12);
    assertThat(life.polls().total()).isEqualTo(9);
    assertThat(life.polls().counts().values()).containsExactly(2L, 1L, 0L, 0L, 1L, 0L, 2L, 1L, 1L);
    assertThat(life.polls().beyond()).isOne();
    assertThat(life.polls().over(1_000)).isEqualTo(2);
    assertThat(life.polls().longestMs()).isEqualTo(11_234);
  }

  @Test
  void any_other_line_is_about_something_else() {
    assertThat(SourceLife.ofLog("2026-03-01T08:00:20,500 INFO  x stopped", ZoneOffset.UTC))
        .isEmpty();
  }

  @Test
  void a_bean_and_the_line_of_its_task_say_the_same_of_its_polls() {
    Map<String, Object> values = new HashMap<>();
    values.put("InstanceId", "5f1a-77");
    values.put("StartedUnix", Instant.parse("2026-03-01T08:00:10Z").getEpochSecond());
    values.put("PollsTotal", 9L);
    values.put("LongestPollMs", 11_234L);
    long[] within = {2, 3, 3, 3, 4, 4, 6, 7, 8};
    for (int i = 0; i < within.length; i++) {
      values.put("PollsWithin" + Durations.LIMITS_MS.get(i) + "Ms", within[i]);
    }
    SourceLife logged = SourceLife.ofLog(LINE, ZoneOffset.UTC).orElseThrow();
    SourceLife sampled = SourceLife.ofBean(values, logged.seen());
    assertThat(sampled)
        .isEqualTo(
            new SourceLife(
                logged.id(),
                logged.started(),
                logged.seen(),
                logged.polls(),
                OptionalLong.empty()));
  }

  @Test
  void a_task_was_there_while_the_worker_stood_still_if_the_spans_touch() {
    SourceLife life = SourceLife.ofLog(LINE, ZoneOffset.UTC).orElseThrow();
    Instant start = life.started();
    Instant end = life.seen();
    assertThat(life.during(start.minusSeconds(2), start.minusSeconds(1))).isFalse();
    assertThat(life.during(start.minusSeconds(2), start)).isTrue();
    assertThat(life.during(end, end.plusSeconds(1))).isTrue();
    assertThat(life.during(end.plusMillis(1), end.plusSeconds(1))).isFalse();
  }

  @Test
  void each_kind_of_task_is_counted_apart_and_a_stop_only_where_one_was_seen() {
    Durations polls = Durations.ofCall(3).plus(Durations.ofCall(1_001));
    SourceLife whole = new SourceLife("a", Instant.EPOCH, Instant.EPOCH, polls, OptionalLong.of(7));
    SourceLife killed =
        new SourceLife("b", Instant.EPOCH, Instant.EPOCH, polls, OptionalLong.empty());
    SourceTimes times = SourceTimes.of(List.of(whole, killed), List.of(whole));
    assertThat(times.tasks()).isEqualTo(3);
    assertThat(times.cutShort()).isOne();
    ObjectNode json = new ObjectMapper().createObjectNode();
    times.put(json);
    assertThat(json.path("polls_over_1s").asInt()).isEqualTo(2);
    assertThat(json.path("polls_ms").path("5").asInt()).isEqualTo(2);
    assertThat(json.path("polls_ms").path("2000").asInt()).isEqualTo(2);
    assertThat(json.path("polls_ms_stood_still").path("total").asInt()).isEqualTo(2);
    assertThat(json.path("stops_ms").path("total").asInt()).isOne();
    assertThat(json.path("stops_ms").path("10").asInt()).isOne();
    assertThat(json.path("stops_over_2s").asInt()).isZero();
  }
}
