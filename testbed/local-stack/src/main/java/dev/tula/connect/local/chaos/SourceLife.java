package dev.tula.connect.local.chaos;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One source task from its start to its end, as far as it was seen.
 *
 * @param id what its MBean calls it
 * @param started when it started
 * @param seen when it was seen last
 * @param polls how long its polls took until then
 * @param stopMs how long it took to stop, in ms; absent where it did not end in order, or not yet
 */
record SourceLife(String id, Instant started, Instant seen, Durations polls, OptionalLong stopMs) {
  private static final Pattern STOPPED =
      Pattern.compile(
          "^(\\d{4}-\\d\\d-\\d\\dT[\\d:]+,\\d{3}) INFO .* stopped in (\\d+) ms; it ran for (\\d+) ms"
              + " and polled (\\d+) times, the longest (\\d+) ms; within ms: ([0-9= ]+)"
              + " \\(([0-9a-f-]+)\\)$");

  /** As its MBean says while it runs. */
  static SourceLife ofBean(Map<String, Object> values, Instant now) {
    Map<Long, Long> within = new HashMap<>();
    for (long limit : Durations.LIMITS_MS) {
      within.put(limit, number(values, "PollsWithin" + limit + "Ms"));
    }
    return new SourceLife(
        values.get("InstanceId").toString(),
        Instant.ofEpochSecond(number(values, "StartedUnix")),
        now,
        Durations.ofWithin(within, number(values, "PollsTotal"), number(values, "LongestPollMs")),
        OptionalLong.empty());
  }

  private static long number(Map<String, Object> values, String name) {
    return ((Number) values.get(name)).longValue();
  }

  /**
   * As the worker's log says once it has ended; empty if the line is about something else.
   *
   * @param zone the log's
   */
  static Optional<SourceLife> ofLog(String line, ZoneId zone) {
    Matcher matcher = STOPPED.matcher(line);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Instant end = LocalDateTime.parse(matcher.group(1).replace(',', '.')).atZone(zone).toInstant();
    Map<Long, Long> within = new HashMap<>();
    for (String count : matcher.group(6).split(" ")) {
      int split = count.indexOf('=');
      within.put(
          Long.parseLong(count.substring(0, split)), Long.parseLong(count.substring(split + 1)));
    }
    return Optional.of(
        new SourceLife(
            matcher.group(7),
            end.minusMillis(Long.parseLong(matcher.group(3))),
            end,
            Durations.ofWithin(
                within, Long.parseLong(matcher.group(4)), Long.parseLong(matcher.group(5))),
            OptionalLong.of(Long.parseLong(matcher.group(2)))));
  }

  /** Whether it was there at some time of a span. */
  boolean during(Instant from, Instant to) {
    return !started.isAfter(to) && !seen.isBefore(from);
  }
}
