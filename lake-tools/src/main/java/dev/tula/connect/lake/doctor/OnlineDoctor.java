package dev.tula.connect.lake.doctor;

import dev.tula.connect.lake.config.SinkSettings;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import dev.tula.connect.source.TulaSourceConnector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigValue;

/**
 * Asks catalog, brokers and ledger, and makes a trial commit in tables of its own. What belongs to
 * the pipeline is read and never changed.
 */
public final class OnlineDoctor {
  private static final Duration KAFKA_LIMIT = Duration.ofSeconds(30);
  private static final String CATALOG_KEYS = "iceberg.catalog.*";
  private static final String KAFKA_KEYS = "iceberg.kafka.*";
  private static final String SOURCE_KEYS = "tula.hosts, tula.kafka.*";

  private OnlineDoctor() {}

  /** The ids of the checks, in their order. */
  public static List<String> checks() {
    return List.of("online.catalog", "online.trial-commit", "online.topics", "online.source");
  }

  /**
   * Looks, as far as the configurations are sound.
   *
   * @param setup the configurations
   * @param offline what the checks without a network found; what a connector refuses is not tried
   * @param settings the sink's settings for Kafka clients; may throw a {@link ToolException}
   */
  public static List<Finding> examine(
      Setup setup, List<Finding> offline, Supplier<SinkSettings> settings) {
    List<Finding> findings = new ArrayList<>();
    if (isRefused(offline, "sink.config")) {
      Findings skipped = new Findings("online.catalog");
      skipped.skip(CATALOG_KEYS, "the sink refuses the configuration", "Put that right first.");
      findings.addAll(skipped.list());
    } else {
      SinkConfig config = setup.sinkConfig().orElseThrow();
      findings.addAll(lake(config));
      findings.addAll(topics(config, setup.source().isEmpty(), settings));
    }
    if (setup.source().isPresent() && !isRefused(offline, "source.config")) {
      findings.addAll(source(setup.source().get()));
    }
    return findings;
  }

  private static boolean isRefused(List<Finding> offline, String check) {
    return offline.stream()
        .anyMatch(finding -> finding.check().equals(check) && finding.verdict() == Verdict.FAIL);
  }

  private static List<Finding> lake(SinkConfig config) {
    Findings findings = new Findings("online.catalog");
    Deque<Catalog> opened = new ArrayDeque<>();
    try {
      opened.push(IcebergCatalogs.build(config.stock()));
      opened.push(IcebergCatalogs.build(config.stock()));
      return lake(config, opened.getLast(), opened.getFirst());
    } catch (LakeException e) {
      findings.fail(CATALOG_KEYS, "the catalog can't be opened", e.getMessage());
      return findings.list();
    } finally {
      opened.forEach(IcebergCatalogs::close);
    }
  }

  /**
   * As the above, on catalogs that are open.
   *
   * @param catalog the caller's to close
   * @param rival the same as another process would have it
   */
  static List<Finding> lake(SinkConfig config, Catalog catalog, Catalog rival) {
    Namespace namespace = Namespace.of(config.namespace().split("\\."));
    LakeOptions options =
        LakeOptions.of(config.stock().autoCreateProps(), config.stock().writeProps());
    List<Finding> findings = new ArrayList<>();
    Findings connected = new Findings("online.catalog");
    connect(config.identity(), catalog, namespace, options, connected);
    findings.addAll(connected.list());
    if (findings.stream().allMatch(finding -> finding.verdict() == Verdict.OK)) {
      Findings tried = new Findings("online.trial-commit");
      attempt(new TrialCommit(catalog, rival, namespace, options), tried);
      findings.addAll(tried.list());
    }
    return findings;
  }

  private static void connect(
      PipelineIdentity identity,
      Catalog catalog,
      Namespace namespace,
      LakeOptions options,
      Findings findings) {
    try (IcebergLake lake = new IcebergLake(catalog, namespace, identity, 0, options)) {
      Lake.IdentityLookup found = lake.lookUpIdentity();
      List<String> differences =
          found.properties().map(identity::differencesFrom).orElse(List.of());
      if (!differences.isEmpty()) {
        findings.fail(
            SinkConfig.NAMESPACE,
            "another pipeline's tables: " + String.join("; ", differences),
            "Set these as they were, or use another namespace: the sink refuses this (88).");
      } else if (found.properties().isPresent()) {
        findings.ok(SinkConfig.NAMESPACE, "the pipeline's tables are there");
      } else {
        describeEmpty(found.watermarkTable(), findings);
      }
    } catch (LakeException e) {
      findings.fail(CATALOG_KEYS, "the catalog does not answer as it should", e.getMessage());
    }
  }

  private static void describeEmpty(Optional<String> watermark, Findings findings) {
    watermark.ifPresentOrElse(
        table ->
            findings.fail(
                SinkConfig.NAMESPACE,
                "table " + table + " without a pipeline's identity",
                "See what tula-lake status says of it, or use another namespace."),
        () -> findings.ok(SinkConfig.NAMESPACE, "no tables of this generation yet"));
  }

  private static void attempt(TrialCommit trial, Findings findings) {
    TrialCommit.Result result = trial.run();
    result
        .fault()
        .ifPresentOrElse(
            fault -> findings.fail(CATALOG_KEYS, "the trial did not work", fault),
            () ->
                findings.ok(
                    CATALOG_KEYS, "scratch tables were created, committed to, read and fenced"));
    if (!result.left().isEmpty()) {
      findings.warn(
          SinkConfig.NAMESPACE,
          "left behind: " + String.join(", ", result.left()),
          "Drop them; the log says why it did not work here.");
    }
  }

  private static List<Finding> topics(
      SinkConfig config, boolean data, Supplier<SinkSettings> settings) {
    Findings findings = new Findings("online.topics");
    try (Admin admin = Admin.create(client(settings.get().kafka()))) {
      new OnlineTopics(admin, KAFKA_LIMIT, findings).examine(config, data);
    } catch (ToolException e) {
      findings.skip(KAFKA_KEYS, "no brokers to ask", e.getMessage());
    } catch (KafkaException e) {
      findings.fail(KAFKA_KEYS, "the settings make no client", String.valueOf(e.getMessage()));
    }
    return findings.list();
  }

  private static Map<String, Object> client(Map<String, String> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    int millis = Math.toIntExact(KAFKA_LIMIT.toMillis());
    settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, "tula-doctor");
    settings.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
    settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, millis);
    return settings;
  }

  /** The source's own questions, to each node of the ledger and about its topics. */
  static List<Finding> source(Map<String, String> properties) {
    Findings findings = new Findings("online.source");
    for (ConfigValue value : new TulaSourceConnector().validate(properties).configValues()) {
      value.errorMessages().forEach(error -> findings.fail(value.name(), "is refused", error));
    }
    if (findings.isEmpty()) {
      findings.ok(SOURCE_KEYS, "ledger and brokers answer as they should");
    }
    return findings.list();
  }
}
