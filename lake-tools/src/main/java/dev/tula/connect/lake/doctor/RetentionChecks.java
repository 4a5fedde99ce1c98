package dev.tula.connect.lake.doctor;

import static dev.tula.connect.lake.doctor.Setup.CREATE_PREFIX;

import dev.tula.connect.lake.output.Format;
import dev.tula.connect.sink.SinkConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Snapshots: how many a table keeps, who expires them, and what must not. */
final class RetentionChecks {
  private static final String INTERVAL = SinkConfig.COMMIT_INTERVAL_MS;
  private static final String PREVIOUS_VERSIONS = "write.metadata.previous-versions-max";
  private static final int PREVIOUS_VERSIONS_DEFAULT = 100;
  private static final String GC = "gc.enabled";
  private static final String REF_AGE = "history.expire.max-ref-age-ms";

  /** Every commit writes the file anew and every load reads it, whatever the catalog takes. */
  private static final long COMFORTABLE_BYTES = 16L << 20;

  private static final Duration PLANNED_OLDER_THAN = Duration.ofMinutes(30);

  private RetentionChecks() {}

  static void metadata(Setup setup, Findings findings) {
    if (setup.kind() == CatalogKind.S3_TABLES) {
      findings.ok(INTERVAL, "S3 Tables expires snapshots by itself");
      return;
    }
    Optional<SinkConfig> sink = setup.sinkConfig();
    if (sink.isEmpty()) {
      findings.skip(INTERVAL, "the sink refuses the configuration", "Put that right first.");
      return;
    }
    MetadataGrowth growth =
        new MetadataGrowth(
            Duration.ofMillis(sink.get().commitIntervalMs()),
            sink.get().identity().tables().size(),
            previousVersions(setup));
    OptionalLong limit = setup.kind().metadataLimitBytes();
    if (setup.cleanup().every().isPresent()) {
      judge(setup, growth, setup.cleanup().every().get(), findings);
    } else if (limit.isPresent()) {
      unplanned(setup, growth, limit.getAsLong(), findings);
    } else {
      findings.skip(
          INTERVAL,
          "up to "
              + Format.number(growth.bytesPerDay())
              + " bytes of metadata a day in a table, until its snapshots are cleaned up",
          "Schedule tula-lake cleanup --execute, and say how often with --cleanup-every.");
    }
  }

  private static int previousVersions(Setup setup) {
    try {
      return setup
          .create(PREVIOUS_VERSIONS)
          .map(Integer::valueOf)
          .orElse(PREVIOUS_VERSIONS_DEFAULT);
    } catch (NumberFormatException e) {
      return PREVIOUS_VERSIONS_DEFAULT;
    }
  }

  private static void unplanned(Setup setup, MetadataGrowth growth, long limit, Findings findings) {
    findings.warn(
        INTERVAL,
        "a table's metadata may have "
            + Format.number(limit)
            + " bytes on "
            + setup.kind().words()
            + " and may be full after "
            + Format.span(growth.full(limit)),
        advice(growth, limit, PLANNED_OLDER_THAN, setup.cleanup().keep())
            + " Say how often it runs with --cleanup-every.");
  }

  private static void judge(Setup setup, MetadataGrowth growth, Duration every, Findings findings) {
    CleanupPlan plan = setup.cleanup();
    OptionalLong limit = setup.kind().metadataLimitBytes();
    long atMost = limit.orElse(COMFORTABLE_BYTES);
    long snapshots = growth.snapshots(every, plan.olderThan(), plan.keep());
    String seen =
        "up to "
            + Format.number(snapshots)
            + " snapshots and "
            + Format.number(growth.bytes(snapshots))
            + " bytes of metadata between two runs";
    if (growth.keepsBelow(atMost, every, plan.olderThan(), plan.keep())) {
      findings.ok(INTERVAL, seen);
    } else if (limit.isPresent()) {
      findings.fail(
          INTERVAL,
          seen + ", of " + Format.number(atMost),
          advice(growth, atMost, plan.olderThan(), plan.keep()));
    } else {
      findings.warn(
          INTERVAL,
          seen,
          "Each commit writes all of it anew. "
              + advice(growth, atMost, plan.olderThan(), plan.keep()));
    }
  }

  /** With the given span if it can be had at all, else with the longest that can. */
  private static String advice(MetadataGrowth growth, long limit, Duration olderThan, int keep) {
    Optional<Duration> every = growth.neededEvery(limit, olderThan, keep);
    if (every.isPresent()) {
      return command(olderThan, every.get());
    }
    return growth
        .neededOlderThan(limit, keep)
        .map(span -> command(span, span))
        .orElse(
            "No cleanup is often enough for this: raise "
                + INTERVAL
                + ", or lower --cleanup-keep.");
  }

  private static String command(Duration olderThan, Duration every) {
    return "Run tula-lake cleanup --execute --older-than "
        + option(olderThan)
        + " every "
        + option(every)
        + " or more often.";
  }

  /** A span as the command line takes it. */
  private static String option(Duration span) {
    long seconds = span.toSeconds();
    if (seconds % 86_400 == 0 && seconds > 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3_600 == 0 && seconds > 0) {
      return seconds / 3_600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** Iceberg refuses to expire the snapshots of a table whose garbage is not its own. */
  static void garbage(Setup setup, Findings findings) {
    Optional<String> enabled = setup.create(GC);
    if (enabled.isEmpty()) {
      return;
    }
    if (enabled.get().equalsIgnoreCase("false")) {
      findings.fail(
          CREATE_PREFIX + GC,
          "false",
          "Leave it out: Iceberg then refuses to expire snapshots, and tula-lake cleanup can't"
              + " work.");
    } else {
      findings.ok(CREATE_PREFIX + GC, enabled.get());
    }
  }

  /** A pin is a tag; a tag without an age of its own ends by the table's property (C29). */
  static void pins(Setup setup, Findings findings) {
    Optional<String> age = setup.create(REF_AGE);
    if (age.isPresent()) {
      findings.warn(
          CREATE_PREFIX + REF_AGE,
          age.get(),
          "Leave it out: a tag that pins a snapshot ends at that age, and the next expiry takes the"
              + " snapshot.");
    } else {
      findings.ok(CREATE_PREFIX + REF_AGE, "not set: what a tag pins stays until the tag ends");
    }
  }
}
