package dev.tula.connect.lake.doctor;

import dev.tula.connect.lake.output.Format;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.source.SourceConfig;
import java.time.Duration;
import java.util.Optional;

/** How long topics keep what nobody has read, and on how many brokers. */
final class TopicChecks {
  private static final Duration COMFORTABLE = Duration.ofDays(1);
  private static final int SAFE_REPLICAS = 3;
  private static final int SAFE_MIN_INSYNC = 2;

  private TopicChecks() {}

  /** So long the sink may be down before records are gone from the topic. */
  static void retention(Setup setup, Findings findings) {
    String key = SourceConfig.TOPIC_RETENTION_MS;
    if (setup.sourceConfig().isEmpty() || setup.sinkConfig().isEmpty()) {
      findings.skip(
          key,
          setup.source().isEmpty()
              ? "no source configuration"
              : "a connector refuses its configuration",
          setup.source().isEmpty()
              ? "Name the source's configuration with --source-config."
              : "Put that right first.");
      return;
    }
    long retentionMs = setup.sourceConfig().get().getLong(key);
    if (retentionMs < 0) {
      findings.ok(key, "for ever");
      return;
    }
    SinkConfig sink = setup.sinkConfig().get();
    Duration retention = Duration.ofMillis(retentionMs);
    Duration needed =
        Duration.ofMillis(sink.getLong(SinkConfig.RETRY_TIMEOUT_MS) + 2 * sink.commitIntervalMs());
    if (retention.compareTo(needed) <= 0) {
      findings.fail(
          key,
          Format.span(retention),
          "Set it above "
              + Format.span(needed)
              + ": so long the sink may wait for the catalog with records that it has not committed"
              + " ("
              + SinkConfig.RETRY_TIMEOUT_MS
              + " and two of "
              + SinkConfig.COMMIT_INTERVAL_MS
              + ").");
    } else if (retention.compareTo(COMFORTABLE) < 0) {
      findings.warn(
          key,
          Format.span(retention),
          "Set it to the longest time that the sink may be down, a day or more.");
    } else {
      findings.ok(key, Format.span(retention));
    }
  }

  /** The event topics are the evidence that acks rest on (C30). */
  static void replicas(Setup setup, Findings findings) {
    replicas("sink", setup.sink(SinkConfig.TOPIC_REPLICATION_FACTOR), findings);
    if (setup.source().isPresent()) {
      replicas("source", setup.source(SourceConfig.TOPIC_REPLICATION_FACTOR), findings);
      setup
          .source(SourceConfig.TOPIC_MIN_INSYNC_REPLICAS)
          .filter(value -> isFrom(1, SAFE_MIN_INSYNC - 1, value))
          .ifPresent(
              value ->
                  findings.warn(
                      SourceConfig.TOPIC_MIN_INSYNC_REPLICAS,
                      value,
                      "Set it to 2 or more: a record counts as durable on one broker alone."));
    }
    if (findings.isEmpty()) {
      findings.ok(
          SinkConfig.TOPIC_REPLICATION_FACTOR,
          setup.sink(SinkConfig.TOPIC_REPLICATION_FACTOR).orElse("the broker's default"));
    }
  }

  private static void replicas(String connector, Optional<String> factor, Findings findings) {
    factor
        .filter(value -> isFrom(1, SAFE_REPLICAS - 1, value))
        .ifPresent(
            value ->
                findings.warn(
                    SinkConfig.TOPIC_REPLICATION_FACTOR,
                    value + " in the " + connector,
                    "Set it to 3, with min.insync.replicas=2 on the brokers: acks to the ledger rest"
                        + " on these topics."));
  }

  private static boolean isFrom(int least, int most, String value) {
    try {
      int number = Integer.parseInt(value);
      return number >= least && number <= most;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
