package dev.tula.connect.local.chaos;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.Collection;
import java.util.Locale;

/**
 * How long the polls and the stops of all source tasks of a run took.
 *
 * @param polls those of tasks whose worker ran all the time that they were there
 * @param pollsStoodStill those of tasks whose worker was made to stand still while they were there
 * @param stops those of the first kind of tasks
 * @param stopsStoodStill those of the second
 * @param tasks how many tasks there were, each restart a new one
 * @param cutShort those that did not end in order, so that polls after the last sample and a stop
 *     are not counted
 */
record SourceTimes(
    Durations polls,
    Durations pollsStoodStill,
    Durations stops,
    Durations stopsStoodStill,
    int tasks,
    int cutShort) {
  private static final long POLL_LIMIT_MS = 1_000;
  private static final long STOP_LIMIT_MS = 2_000;
  private static final SourceTimes NONE =
      new SourceTimes(Durations.NONE, Durations.NONE, Durations.NONE, Durations.NONE, 0, 0);

  /** Of the tasks whose workers ran all the time, and of the others. */
  static SourceTimes of(Collection<SourceLife> ran, Collection<SourceLife> stoodStill) {
    SourceTimes times = NONE;
    for (SourceLife life : ran) {
      times = times.plus(life.polls(), Durations.NONE, stop(life), Durations.NONE, life);
    }
    for (SourceLife life : stoodStill) {
      times = times.plus(Durations.NONE, life.polls(), Durations.NONE, stop(life), life);
    }
    return times;
  }

  private static Durations stop(SourceLife life) {
    return life.stopMs().isEmpty() ? Durations.NONE : Durations.ofCall(life.stopMs().getAsLong());
  }

  private SourceTimes plus(
      Durations polled, Durations polledStill, Durations end, Durations endStill, SourceLife life) {
    return new SourceTimes(
        polls.plus(polled),
        pollsStoodStill.plus(polledStill),
        stops.plus(end),
        stopsStoodStill.plus(endStill),
        tasks + 1,
        cutShort + (life.stopMs().isEmpty() ? 1 : 0));
  }

  /** Prints a table for people. */
  void print(PrintStream out) {
    out.printf(
        Locale.ROOT,
        "%n  source tasks: %d, %d of them cut short. * while they were there, their worker stood"
            + " still%n%n",
        tasks,
        cutShort);
    out.printf("  %9s %12s %12s %9s %9s%n", "ms", "polls", "polls *", "stops", "stops *");
    for (long limit : Durations.LIMITS_MS) {
      row(
          out,
          "≤ " + limit,
          polls.counts().get(limit),
          pollsStoodStill.counts().get(limit),
          stops.counts().get(limit),
          stopsStoodStill.counts().get(limit));
    }
    row(
        out,
        "more",
        polls.beyond(),
        pollsStoodStill.beyond(),
        stops.beyond(),
        stopsStoodStill.beyond());
    row(
        out,
        "longest",
        polls.longestMs(),
        pollsStoodStill.longestMs(),
        stops.longestMs(),
        stopsStoodStill.longestMs());
    out.printf(
        Locale.ROOT,
        "  polls over 1 s: %d, and %d *; stops over 2 s: %d, and %d *%n",
        polls.over(POLL_LIMIT_MS),
        pollsStoodStill.over(POLL_LIMIT_MS),
        stops.over(STOP_LIMIT_MS),
        stopsStoodStill.over(STOP_LIMIT_MS));
  }

  private static void row(
      PrintStream out, String name, long polls, long pollsStill, long stops, long stopsStill) {
    out.printf(
        Locale.ROOT, "  %9s %,12d %,12d %,9d %,9d%n", name, polls, pollsStill, stops, stopsStill);
  }

  /** Puts all of it into a run's line. */
  void put(ObjectNode json) {
    json.put("source_tasks", tasks);
    json.put("source_tasks_cut_short", cutShort);
    put(json.putObject("polls_ms"), polls);
    put(json.putObject("polls_ms_stood_still"), pollsStoodStill);
    put(json.putObject("stops_ms"), stops);
    put(json.putObject("stops_ms_stood_still"), stopsStoodStill);
    json.put("polls_over_1s", polls.over(POLL_LIMIT_MS));
    json.put("stops_over_2s", stops.over(STOP_LIMIT_MS));
  }

  private static void put(ObjectNode json, Durations durations) {
    json.put("total", durations.total());
    durations.counts().forEach((limit, count) -> json.put(Long.toString(limit), count));
    json.put("more", durations.beyond());
    json.put("longest", durations.longestMs());
  }
}
