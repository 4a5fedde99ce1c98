package dev.tula.connect.lake.doctor;

import dev.tula.connect.lake.output.Format;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the connectors need of the worker. Meanings and defaults are those of Kafka Connect's
 * documentation of worker and source connector configurations.
 */
final class WorkerChecks {
  private static final String EXACTLY_ONCE = "exactly.once.source.support";
  private static final String REQUIRED = "exactly.once.support";
  private static final String STANDALONE = "offset.storage.file.filename";
  private static final String DISCOVERY = "plugin.discovery";
  private static final String POLICY = "connector.client.config.override.policy";
  private static final String ALLOWLIST = "connector.client.config.override.allowlist";
  private static final String POLICY_SUFFIX = "ConnectorClientConfigOverridePolicy";
  private static final String CONSUMER_OVERRIDE = "consumer.override.";
  private static final String PRODUCER_OVERRIDE = "producer.override.";
  private static final String ADMIN_OVERRIDE = "admin.override.";
  private static final String ISOLATION = "isolation.level";
  private static final String BOUNDARY = "transaction.boundary";
  private static final String BOUNDARY_INTERVAL = "transaction.boundary.interval.ms";
  private static final String FLUSH_INTERVAL = "offset.flush.interval.ms";
  private static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";
  private static final long MINUTE_MS = 60_000;
  private static final Set<String> DISCOVERIES =
      Set.of("only_scan", "hybrid_warn", "hybrid_fail", "service_load");
  private static final Set<String> PRINCIPAL =
      Set.of("sasl.jaas.config", "sasl.mechanism", "security.protocol");
  private static final List<String> STORES =
      List.of(
          "offset.storage.replication.factor",
          "config.storage.replication.factor",
          "status.storage.replication.factor");

  private WorkerChecks() {}

  private static boolean isUnknown(Setup setup, String key, Findings findings) {
    if (setup.worker().isEmpty()) {
      findings.skip(
          key, "no worker properties", "Name the worker's properties with --worker-config.");
      return true;
    }
    return false;
  }

  /** KIP-618: records and source offsets in one transaction. */
  static void exactlyOnce(Setup setup, Findings findings) {
    if (isUnknown(setup, EXACTLY_ONCE, findings)) {
      return;
    }
    String support = setup.worker(EXACTLY_ONCE).orElse("disabled");
    boolean required = setup.source(REQUIRED).orElse("").equalsIgnoreCase("required");
    if (setup.worker(STANDALONE).isPresent()) {
      findings.warn(
          STANDALONE,
          "a standalone worker",
          "Run a distributed one: exactly-once support is only there.");
    } else if (support.equalsIgnoreCase("enabled")) {
      findings.ok(EXACTLY_ONCE, support);
    } else if (required) {
      findings.fail(
          EXACTLY_ONCE,
          support + ", and the source has " + REQUIRED + "=required",
          "Set it to enabled on every worker: Connect refuses the source otherwise.");
    } else {
      findings.warn(
          EXACTLY_ONCE,
          support,
          "Set it to enabled on every worker: after a crash the topic holds records twice, which the"
              + " sink drops and other consumers see.");
    }
  }

  /** Whether a worker takes what a connector says about its clients. */
  static void overridePolicy(Setup setup, Findings findings) {
    Set<String> overrides = new TreeSet<>(overrides(setup.sink()));
    setup.source().ifPresent(source -> overrides.addAll(overrides(source)));
    if (overrides.isEmpty() || isUnknown(setup, POLICY, findings)) {
      return;
    }
    String policy = setup.worker(POLICY).orElse("All");
    String shortName = policy.substring(policy.lastIndexOf('.') + 1).replace(POLICY_SUFFIX, "");
    switch (shortName) {
      case "All" -> findings.ok(POLICY, policy);
      case "None" -> refused(policy, overrides, findings);
      case "Principal" -> allowed(policy, overrides, PRINCIPAL, findings);
      case "Allowlist" -> allowed(policy, overrides, allowlist(setup), findings);
      default ->
          findings.skip(
              POLICY, policy, "Only the worker knows whether it takes " + overrides + ": try it.");
    }
  }

  private static List<String> overrides(Map<String, String> connector) {
    List<String> overrides = new ArrayList<>();
    for (String prefix : List.of(CONSUMER_OVERRIDE, PRODUCER_OVERRIDE, ADMIN_OVERRIDE)) {
      connector.keySet().stream().filter(key -> key.startsWith(prefix)).forEach(overrides::add);
    }
    return overrides;
  }

  private static Set<String> allowlist(Setup setup) {
    return Arrays.stream(setup.worker(ALLOWLIST).orElse("").split(","))
        .map(String::trim)
        .collect(Collectors.toSet());
  }

  private static void allowed(
      String policy, Set<String> overrides, Set<String> names, Findings findings) {
    Set<String> others = new TreeSet<>(overrides);
    others.removeIf(key -> names.contains(key.substring(key.indexOf(".override.") + 10)));
    if (others.isEmpty()) {
      findings.ok(POLICY, policy);
    } else {
      refused(policy, others, findings);
    }
  }

  private static void refused(String policy, Set<String> overrides, Findings findings) {
    findings.fail(
        POLICY,
        policy + ", which does not take " + String.join(", ", overrides),
        "Set it to All on every worker, or set these for all connectors in the worker's"
            + " properties: Connect refuses the connector otherwise.");
  }

  /** Who reads uncommitted records reads those of aborted transactions too. */
  static void isolation(Setup setup, Findings findings) {
    String key = CONSUMER_OVERRIDE + ISOLATION;
    Optional<String> level = setup.sink(key).or(() -> setup.worker("consumer." + ISOLATION));
    if (level.isEmpty() && setup.worker().isEmpty()) {
      findings.warn(
          key,
          "not set, which is read_uncommitted unless the worker says otherwise",
          "Set it to read_committed: aborted records are read as replays otherwise.");
    } else if (level.filter("read_committed"::equals).isPresent()) {
      findings.ok(key, "read_committed");
    } else {
      findings.warn(
          key,
          level.orElse("not set, which is read_uncommitted"),
          "Set it to read_committed: aborted records are read as replays otherwise.");
    }
  }

  /** The brokers abort a transaction that is open for too long, and the task fails. */
  static void transactionTimeout(Setup setup, Findings findings) {
    if (setup.source().isEmpty()) {
      findings.skip(
          PRODUCER_OVERRIDE + TRANSACTION_TIMEOUT,
          "no source configuration",
          "Name the source's configuration with --source-config.");
      return;
    }
    if (!setup.source(BOUNDARY).orElse("poll").equalsIgnoreCase("interval")) {
      return;
    }
    Optional<Long> interval =
        setup
            .source(BOUNDARY_INTERVAL)
            .or(() -> setup.worker(FLUSH_INTERVAL))
            .map(WorkerChecks::number)
            .orElse(Optional.of(MINUTE_MS));
    Optional<Long> timeout =
        setup
            .source(PRODUCER_OVERRIDE + TRANSACTION_TIMEOUT)
            .or(() -> setup.worker("producer." + TRANSACTION_TIMEOUT))
            .map(WorkerChecks::number)
            .orElse(Optional.of(MINUTE_MS));
    if (interval.isPresent() && timeout.isPresent()) {
      compare(setup, interval.get(), timeout.get(), findings);
    }
  }

  private static void compare(Setup setup, long intervalMs, long timeoutMs, Findings findings) {
    String key =
        setup.source(BOUNDARY_INTERVAL).isPresent()
            ? BOUNDARY_INTERVAL
            : BOUNDARY_INTERVAL + ", " + FLUSH_INTERVAL;
    String seen =
        "a transaction is open for " + span(intervalMs) + " and aborted after " + span(timeoutMs);
    if (timeoutMs <= intervalMs) {
      findings.fail(
          key,
          seen,
          "Set transaction.boundary.interval.ms to some hundred, or raise"
              + " producer.override.transaction.timeout.ms well above it.");
    } else if (timeoutMs < 2 * intervalMs) {
      findings.warn(
          key,
          seen,
          "Leave more between the two: slow brokers make tasks fail. Set"
              + " transaction.boundary.interval.ms to some hundred.");
    } else {
      findings.ok(key, seen);
    }
  }

  private static String span(long millis) {
    return Format.span(Duration.ofMillis(millis));
  }

  /** What is no number is for Connect to refuse. */
  private static Optional<Long> number(String text) {
    try {
      return Optional.of(Long.valueOf(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  static void pluginDiscovery(Setup setup, Findings findings) {
    if (isUnknown(setup, DISCOVERY, findings)) {
      return;
    }
    String discovery = setup.worker(DISCOVERY).orElse("hybrid_warn").toLowerCase(Locale.ROOT);
    if (!DISCOVERIES.contains(discovery)) {
      findings.fail(DISCOVERY, discovery, "Set it to service_load: Connect knows no such mode.");
    } else if (discovery.equals("only_scan")) {
      findings.warn(
          DISCOVERY,
          discovery,
          "Set it to service_load: the plugins name themselves, and scanning makes the worker's"
              + " start slow.");
    } else {
      findings.ok(DISCOVERY, discovery);
    }
  }

  static void pluginPath(Setup setup, Findings findings) {
    String key = "plugin.path";
    if (isUnknown(setup, key, findings)) {
      return;
    }
    Optional<String> path = setup.worker(key);
    if (path.isPresent()) {
      findings.ok(key, path.get());
    } else {
      findings.warn(
          key,
          "not set",
          "Set it to the folder that the zips are unpacked into: on the worker's own class path their"
              + " jars mix with the worker's.");
    }
  }

  /** The source's offsets, and what the sink is for, are in the worker's own topics. */
  static void storage(Setup setup, Findings findings) {
    if (setup.worker().isEmpty() || setup.worker(STANDALONE).isPresent()) {
      return;
    }
    for (String key : STORES) {
      setup
          .worker(key)
          .flatMap(WorkerChecks::number)
          .filter(factor -> factor == 1 || factor == 2)
          .ifPresent(
              factor ->
                  findings.warn(
                      key,
                      factor.toString(),
                      "Set it to 3 before the first start: the loss of a broker would lose where the"
                          + " source stands."));
    }
    if (findings.isEmpty()) {
      findings.ok(STORES.get(0), setup.worker(STORES.get(0)).orElse("not set, which is 3"));
    }
  }

  /** Without exactly-once support, so much comes again after a crash. */
  static void offsetFlush(Setup setup, Findings findings) {
    if (setup.worker().isEmpty()
        || setup.worker(EXACTLY_ONCE).orElse("").equalsIgnoreCase("enabled")) {
      return;
    }
    long intervalMs = setup.worker(FLUSH_INTERVAL).flatMap(WorkerChecks::number).orElse(MINUTE_MS);
    if (intervalMs > MINUTE_MS) {
      findings.warn(
          FLUSH_INTERVAL,
          span(intervalMs),
          "Set it to a minute or less: without exactly-once support so much is sent again after a"
              + " crash, and the sink compares all of it.");
    } else {
      findings.ok(FLUSH_INTERVAL, span(intervalMs));
    }
  }
}
