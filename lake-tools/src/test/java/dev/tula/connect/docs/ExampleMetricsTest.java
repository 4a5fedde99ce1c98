package dev.tula.connect.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.sink.SinkPartitionMXBean;
import dev.tula.connect.source.SourcePollsMXBean;
import dev.tula.connect.source.SourceTaskMXBean;
import io.prometheus.jmx.JmxCollector;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.apache.kafka.common.MetricNameTemplate;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetricsContext;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.connect.runtime.ConnectMetricsRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What Prometheus sees of the beans by way of monitoring/jmx-exporter.yml, scraped by the real
 * exporter from real names and interfaces; and the files beside it that use it.
 */
class ExampleMetricsTest {
  private static final String PREFIX = "tuladb_iceberg_exporter_";
  private static final String STALE = PREFIX + "snapshot_stale";
  private static final String ODD_NAME = "ledger, \"first\"";

  /** What may be given by the beans themselves; the rest comes from the scrape configuration. */
  private static final Set<String> BEAN_LABELS = Set.of("connector", "task", "partition");

  private static final Set<String> SCRAPE_LABELS = Set.of("cluster", "node", "pipeline");

  /** The names under which a pipeline is known, whoever exports it, and the attribute of each. */
  private static final Map<String, String> CONTRACT = contract();

  private static final Map<Double, String> ATTRIBUTES = new HashMap<>();
  private static final List<ObjectName> REGISTERED = new ArrayList<>();
  private static final Metrics CONNECT = connectMetrics();
  private static List<Sample> samples = List.of();
  private static String exposition = "";

  /** A line that Prometheus reads. */
  record Sample(String name, String type, Map<String, String> labels, double value) {}

  private static Map<String, String> contract() {
    Map<String, String> names = new TreeMap<>();
    for (String sink :
        List.of(
            "up",
            "running",
            "halted",
            "last_success_unix",
            "export_lag_seconds",
            "committed_global_batch_seq",
            "rows_total",
            "bytes_total",
            "replayed_rows_total",
            "commit_conflicts_total",
            "fencing_active",
            "fencing_lost_total")) {
      names.put(sink, "sink-task " + camelCase(sink));
    }
    names.put("commit_seconds", "sink-task LastCommitSeconds");
    for (String source :
        List.of(
            "export_lag_batches",
            "checkpoint_global_batch_seq",
            "acked_global_batch_seq",
            "export_headroom_batches",
            "export_cursor_detached",
            "export_range_reclaimed_total",
            "export_gap_batches",
            "export_fail_closed_total",
            "export_errors_total",
            "export_lease_not_durable_total",
            "export_no_lease_total",
            "export_hold_released_total",
            "partition_group_status",
            "partition_group_members_present",
            "partition_group_conflicts_total")) {
      names.put(source, "source-task " + camelCase(source));
    }
    return names;
  }

  private static String camelCase(String name) {
    return Arrays.stream(name.split("_"))
        .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
        .collect(Collectors.joining());
  }

  @BeforeAll
  static void scrape() throws Exception {
    for (int partition = 0; partition < 2; partition++) {
      register(
          MBeanRegistration.nameOf("source-task", "tula-source", 0, partition),
          SourceTaskMXBean.class);
      register(
          MBeanRegistration.nameOf("sink-task", "tula-sink", partition, partition),
          SinkPartitionMXBean.class);
    }
    register(MBeanRegistration.nameOf("source-polls", "tula-source", 0), SourcePollsMXBean.class);
    register(MBeanRegistration.nameOf("sink-task", ODD_NAME, 0, 0), SinkPartitionMXBean.class);

    PrometheusRegistry registry = new PrometheusRegistry();
    new JmxCollector(Examples.file("monitoring/jmx-exporter.yml").toFile()).register(registry);
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create().write(text, registry.scrape());
    exposition = text.toString(StandardCharsets.UTF_8);
    samples = parse(exposition);
  }

  @AfterAll
  static void unregister() throws Exception {
    for (ObjectName name : REGISTERED) {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }
    CONNECT.close();
  }

  /** Every attribute of every bean has a value of its own, by which it is known again. */
  private static <T> void register(ObjectName name, Class<T> type) throws Exception {
    Map<String, Object> values = new HashMap<>();
    Arrays.stream(type.getMethods())
        .sorted(Comparator.comparing(Method::getName))
        .forEach(getter -> values.put(getter.getName(), value(name, getter)));
    T bean =
        type.cast(
            Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> values.get(method.getName())));
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    server.registerMBean(new StandardMBean(bean, type, true), name);
    REGISTERED.add(name);
  }

  private static Object value(ObjectName name, Method getter) {
    String attribute = getter.getName().substring("get".length());
    if (getter.getReturnType() == String.class) {
      return attribute.equals("LastError") ? "a secret: running: 1\nhalted: 1" : "Reading";
    }
    int value = 1_000 + ATTRIBUTES.size();
    ATTRIBUTES.put((double) value, name.getKeyProperty("type") + " " + attribute);
    return getter.getReturnType() == int.class
        ? value
        : getter.getReturnType() == long.class ? (Object) (long) value : (Object) (double) value;
  }

  /** Connect's own counts, under the names and in the way that a worker registers them. */
  private static Metrics connectMetrics() {
    JmxReporter reporter = new JmxReporter();
    reporter.contextChange(new KafkaMetricsContext("kafka.connect"));
    Metrics metrics =
        new Metrics(
            new MetricConfig(),
            List.of(reporter),
            Time.SYSTEM,
            new KafkaMetricsContext("kafka.connect"));
    ConnectMetricsRegistry registry = new ConnectMetricsRegistry();
    int value = 1;
    for (MetricNameTemplate count :
        List.of(
            registry.connectorTotalTaskCount,
            registry.connectorRunningTaskCount,
            registry.connectorPausedTaskCount,
            registry.connectorFailedTaskCount)) {
      Gauge<Integer> gauge = gauge(value++);
      metrics.addMetric(metrics.metricInstance(count, "connector", "tula-sink"), gauge);
    }
    return metrics;
  }

  private static Gauge<Integer> gauge(int value) {
    return (config, now) -> value;
  }

  private static List<Sample> parse(String text) {
    Map<String, String> types = new HashMap<>();
    Pattern.compile("(?m)^# TYPE (\\S+) (\\S+)$")
        .matcher(text)
        .results()
        .forEach(type -> types.put(type.group(1), type.group(2)));
    return Pattern.compile("(?m)^([a-z]\\w*)(?:\\{(.*)})? (\\S+)$")
        .matcher(text)
        .results()
        .map(
            line ->
                new Sample(
                    line.group(1),
                    types.get(line.group(1)),
                    labels(line.group(2)),
                    Double.parseDouble(line.group(3))))
        .filter(sample -> !sample.name().startsWith("jmx_"))
        .toList();
  }

  private static Map<String, String> labels(String text) {
    Map<String, String> labels = new LinkedHashMap<>();
    Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"")
        .matcher(text == null ? "" : text)
        .results()
        .forEach(label -> labels.put(label.group(1), label.group(2)));
    return labels;
  }

  private static Map<String, List<Sample>> byName() {
    return samples.stream().collect(Collectors.groupingBy(Sample::name));
  }

  @Test
  void a_scrape_ends_without_an_error() {
    assertThat(exposition).contains("\njmx_scrape_error 0.0\n");
  }

  @Test
  void every_name_of_the_contract_comes_from_its_attribute_once_a_partition() {
    Map<String, List<Sample>> byName = byName();
    CONTRACT.forEach(
        (name, attribute) ->
            assertThat(byName.getOrDefault(PREFIX + name, List.of()))
                .as(name)
                .filteredOn(sample -> !sample.labels().get("connector").contains("first"))
                .hasSize(2)
                .allSatisfy(
                    sample -> assertThat(ATTRIBUTES.get(sample.value())).isEqualTo(attribute))
                .extracting(sample -> sample.labels().get("partition"))
                .containsExactlyInAnyOrder("0", "1"));
  }

  @Test
  void the_contract_is_whole_with_what_is_recorded_and_documented() throws IOException {
    assertThat(CONTRACT).hasSize(28);
    assertThat(Docs.read("docs/monitor.md"))
        .contains(CONTRACT.keySet().stream().map(name -> "`" + name + "`").toList())
        .contains("`snapshot_stale`");
    assertThat(recorded().keySet()).containsExactly(STALE);
  }

  @Test
  void every_number_of_every_bean_comes_out_once() {
    Map<String, Long> seen =
        samples.stream()
            .filter(sample -> ATTRIBUTES.containsKey(sample.value()))
            .collect(
                Collectors.groupingBy(
                    sample -> sample.value() + " " + ATTRIBUTES.get(sample.value()),
                    Collectors.counting()));
    assertThat(seen).hasSize(ATTRIBUTES.size());
    assertThat(seen.values()).containsOnly(1L);
  }

  @Test
  void no_two_samples_have_one_name_and_the_same_labels() {
    assertThat(samples.stream().map(sample -> sample.name() + new TreeMap<>(sample.labels())))
        .doesNotHaveDuplicates();
  }

  @Test
  void no_attribute_of_one_bean_has_the_name_of_another_beans_attribute() {
    Map<String, Set<String>> beans = new TreeMap<>();
    for (Sample sample : samples) {
      String attribute = ATTRIBUTES.get(sample.value());
      if (attribute != null) {
        beans
            .computeIfAbsent(sample.name(), name -> new TreeSet<>())
            .add(attribute.substring(0, attribute.indexOf(' ')));
      }
    }
    assertThat(beans.values()).allMatch(types -> types.size() == 1);
  }

  @Test
  void counters_are_counters_and_nothing_else_is() {
    for (Sample sample : samples) {
      String attribute = ATTRIBUTES.getOrDefault(sample.value(), "");
      boolean counter = attribute.endsWith("Total") || attribute.contains("PollsWithin");
      assertThat(sample.type()).as(sample.toString()).isEqualTo(counter ? "counter" : "gauge");
      assertThat(sample.name().endsWith("_total")).as(sample.toString()).isEqualTo(counter);
    }
  }

  @Test
  void a_sample_says_which_connector_task_and_partition_it_is_of() {
    for (Sample sample : samples) {
      Set<String> expected = new TreeSet<>(BEAN_LABELS);
      if (sample.name().startsWith("kafka_connect_")) {
        expected = Set.of("connector");
      } else if (ATTRIBUTES.getOrDefault(sample.value(), "").startsWith("source-polls")) {
        expected.remove("partition");
      }
      assertThat(sample.labels().keySet()).as(sample.toString()).containsAll(expected);
    }
    assertThat(samples)
        .filteredOn(sample -> sample.name().equals(PREFIX + "up"))
        .extracting(sample -> sample.labels().get("connector"))
        .contains("tula-sink")
        .anyMatch(name -> name.contains("first"));
  }

  @Test
  void texts_that_are_bounded_become_labels_and_the_others_stay_behind() {
    Map<String, List<Sample>> byName = byName();
    assertThat(byName.get(PREFIX + "source_leader"))
        .hasSize(2)
        .allMatch(sample -> sample.labels().get("leader").equals("Reading") && sample.value() == 1);
    assertThat(byName.get(PREFIX + "sink_phase"))
        .hasSize(3)
        .allMatch(sample -> sample.labels().get("phase").equals("Reading") && sample.value() == 1);
    assertThat(exposition).doesNotContain("secret");
  }

  @Test
  void polls_are_a_histogram() {
    List<Sample> buckets = byName().get(PREFIX + "source_polls_within_ms_total");
    Map<String, String> attributes = new LinkedHashMap<>();
    buckets.forEach(
        bucket -> attributes.put(bucket.labels().get("le"), ATTRIBUTES.get(bucket.value())));
    assertThat(attributes)
        .hasSize(10)
        .containsEntry("250", "source-polls PollsWithin250Ms")
        .containsEntry("+Inf", "source-polls PollsTotal");
  }

  @Test
  void tasks_are_counted_by_state_as_connect_does() {
    Map<String, Double> counts = new TreeMap<>();
    samples.stream()
        .filter(sample -> sample.name().startsWith("kafka_connect_"))
        .filter(sample -> sample.labels().equals(Map.of("connector", "tula-sink")))
        .forEach(sample -> counts.put(sample.name(), sample.value()));
    assertThat(counts)
        .isEqualTo(
            Map.of(
                "kafka_connect_connector_total_tasks", 1.0,
                "kafka_connect_connector_running_tasks", 2.0,
                "kafka_connect_connector_paused_tasks", 3.0,
                "kafka_connect_connector_failed_tasks", 4.0));
  }

  private static List<Map<String, Object>> rules() throws IOException {
    List<Map<String, Object>> rules = new ArrayList<>();
    for (Object group : Examples.list(Examples.yaml("monitoring/rules.yml").get(0).get("groups"))) {
      Examples.list(Examples.map(group).get("rules"))
          .forEach(rule -> rules.add(Examples.map(rule)));
    }
    return rules;
  }

  private static Map<String, String> recorded() throws IOException {
    Map<String, String> recorded = new TreeMap<>();
    for (Map<String, Object> rule : rules()) {
      if (rule.containsKey("record")) {
        recorded.put(rule.get("record").toString(), rule.get("expr").toString());
      }
    }
    return recorded;
  }

  private static List<Map<String, Object>> alerts() throws IOException {
    return rules().stream().filter(rule -> rule.containsKey("alert")).toList();
  }

  /** What an expression may name. */
  private static Set<String> metrics() throws IOException {
    Set<String> names = new TreeSet<>(byName().keySet());
    names.addAll(recorded().keySet());
    return names;
  }

  private static Set<String> labels() {
    Set<String> labels = new TreeSet<>(SCRAPE_LABELS);
    samples.forEach(sample -> labels.addAll(sample.labels().keySet()));
    return labels;
  }

  @Test
  void rules_name_what_is_exported_and_nothing_else() throws IOException {
    for (Map<String, Object> rule : rules()) {
      PromQl expression = PromQl.of(rule.get("expr").toString());
      assertThat(expression.metrics()).as(rule.toString()).isNotEmpty().isSubsetOf(metrics());
      assertThat(expression.labels()).as(rule.toString()).isSubsetOf(labels());
    }
  }

  /** Of a counter that is gone with its task only the last that was seen of it tells. */
  @Test
  void an_alert_on_a_counter_that_goes_on_ends_when_it_stands_still() throws IOException {
    Pattern use = Pattern.compile("(\\w+)\\((\\w+_total)\\b");
    Set<String> ofTheLastSeen = new TreeSet<>();
    int uses = 0;
    for (Map<String, Object> alert : alerts()) {
      Matcher matcher = use.matcher(alert.get("expr").toString());
      while (matcher.find()) {
        uses++;
        if (!matcher.group(1).equals("increase")) {
          ofTheLastSeen.add(matcher.group(2));
        }
      }
    }
    assertThat(uses).isGreaterThan(10);
    assertThat(ofTheLastSeen)
        .containsExactly(
            "tuladb_iceberg_exporter_export_fail_closed_total",
            "tuladb_iceberg_exporter_export_range_reclaimed_total");
  }

  @Test
  void alerts_have_names_of_their_own_and_say_what_to_do() throws IOException {
    assertThat(alerts().stream().map(alert -> alert.get("alert"))).doesNotHaveDuplicates();
    Pattern label = Pattern.compile("\\$labels\\.(\\w+)");
    for (Map<String, Object> alert : alerts()) {
      Map<String, Object> annotations = Examples.map(alert.get("annotations"));
      assertThat(annotations.keySet())
          .containsExactlyInAnyOrder("summary", "description", "runbook");
      assertThat(Docs.matches(annotations.toString(), label)).isSubsetOf(labels());
      assertThat(Examples.at(alert, "labels", "severity")).isIn("critical", "warning", "info");
      String[] runbook = annotations.get("runbook").toString().split("#");
      Set<String> anchors = Docs.anchors(Docs.read(runbook[0]));
      if (runbook.length > 1) {
        assertThat(anchors).as(alert.get("alert").toString()).contains(runbook[1]);
      }
    }
  }

  @Test
  void nothing_that_has_to_be_known_goes_without_an_alert() throws IOException {
    Set<String> watched = new TreeSet<>();
    for (Map<String, Object> alert : alerts()) {
      watched.addAll(PromQl.of(alert.get("expr").toString()).metrics());
    }
    assertThat(watched)
        .contains(
            "kafka_connect_connector_failed_tasks",
            STALE,
            PREFIX + "halted",
            PREFIX + "export_lag_seconds",
            PREFIX + "export_headroom_batches",
            PREFIX + "export_range_reclaimed_total",
            PREFIX + "export_fail_closed_total",
            PREFIX + "export_lease_not_durable_total",
            PREFIX + "export_no_lease_total",
            PREFIX + "export_hold_released_total",
            PREFIX + "export_cursor_detached",
            PREFIX + "partition_group_status",
            PREFIX + "partition_group_conflicts_total",
            PREFIX + "fencing_lost_total",
            PREFIX + "sink_memory_bytes");
  }

  @Test
  void dashboard_shows_what_is_exported_and_nothing_else() throws IOException {
    Map<String, Object> dashboard = dashboard();
    for (Object panel : Examples.list(dashboard.get("panels"))) {
      Object targets = Examples.map(panel).get("targets");
      for (Object target : targets == null ? List.of() : Examples.list(targets)) {
        PromQl expression = PromQl.of(Examples.at(target, "expr").toString());
        assertThat(expression.metrics()).as(panel.toString()).isNotEmpty().isSubsetOf(metrics());
        assertThat(expression.labels()).as(panel.toString()).isSubsetOf(labels());
      }
    }
    Pattern query = Pattern.compile("label_values\\((\\w+)(?:\\{[^}]*})?, (\\w+)\\)");
    for (Object variable : Examples.list(Examples.at(dashboard, "templating", "list"))) {
      if (Examples.at(variable, "type").equals("query")) {
        Matcher values = query.matcher(Examples.at(variable, "query").toString());
        assertThat(values.matches()).isTrue();
        assertThat(metrics()).contains(values.group(1));
        assertThat(SCRAPE_LABELS).contains(values.group(2));
      }
    }
  }

  @Test
  void panels_of_the_dashboard_stand_side_by_side() throws IOException {
    Set<Object> ids = new TreeSet<>();
    Set<String> cells = new TreeSet<>();
    List<Object> panels = Examples.list(dashboard().get("panels"));
    for (Object panel : panels) {
      ids.add(Examples.at(panel, "id"));
      int left = (int) Examples.at(panel, "gridPos", "x");
      int top = (int) Examples.at(panel, "gridPos", "y");
      int right = left + (int) Examples.at(panel, "gridPos", "w");
      assertThat(right).as(panel.toString()).isLessThanOrEqualTo(24);
      for (int x = left; x < right; x++) {
        for (int y = top; y < top + (int) Examples.at(panel, "gridPos", "h"); y++) {
          assertThat(cells.add(x + "," + y)).as(panel.toString()).isTrue();
        }
      }
    }
    assertThat(ids).hasSameSizeAs(panels);
  }

  private static Map<String, Object> dashboard() throws IOException {
    return Examples.map(
        Examples.JSON.readValue(
            Docs.read(Examples.file("monitoring/dashboard.json")), TreeMap.class));
  }

  @Test
  void scrape_configurations_give_the_labels_that_the_beans_lack() throws IOException {
    Object job =
        Examples.at(Examples.yaml("monitoring/prometheus.yml").get(0), "scrape_configs", 0);
    Set<Object> given = new TreeSet<>();
    given.addAll(Examples.map(Examples.at(job, "static_configs", 0, "labels")).keySet());
    given.addAll(targetLabels(Examples.at(job, "relabel_configs"), "target_label"));
    Object byConnector = Examples.at(job, "metric_relabel_configs");
    given.addAll(targetLabels(byConnector, "target_label"));
    assertThat(given).isEqualTo(new TreeSet<>(SCRAPE_LABELS));
    assertNamesPipeline(Examples.at(byConnector, 0));

    Object endpoint =
        Examples.at(
            Examples.yaml("strimzi/pod-monitor.yaml").get(0), "spec", "podMetricsEndpoints", 0);
    Set<Object> ofPods =
        new TreeSet<>(targetLabels(Examples.at(endpoint, "relabelings"), "targetLabel"));
    ofPods.addAll(targetLabels(Examples.at(endpoint, "metricRelabelings"), "targetLabel"));
    assertThat(ofPods).isEqualTo(new TreeSet<>(SCRAPE_LABELS));
    assertNamesPipeline(Examples.at(endpoint, "metricRelabelings", 0));
  }

  private static List<Object> targetLabels(Object relabelings, String key) {
    return Examples.list(relabelings).stream().map(each -> Examples.at(each, key)).toList();
  }

  /** The connectors of the examples are those whose metrics get their pipeline's name. */
  private static void assertNamesPipeline(Object relabeling) throws IOException {
    for (String file : List.of("connectors/source.json", "connectors/sink-jdbc.json")) {
      Map<String, String> connector = Examples.json(Examples.file(file));
      assertThat(connector.get("name")).matches(Examples.at(relabeling, "regex").toString());
      assertThat(connector)
          .containsEntry("tula.pipeline", Examples.at(relabeling, "replacement").toString());
    }
  }

  @Test
  void the_rules_are_where_the_strimzi_worker_looks_for_them() throws IOException {
    Object metrics =
        Examples.at(
            Examples.yaml("strimzi/kafka-connect.yaml").get(0),
            "spec",
            "metricsConfig",
            "valueFrom",
            "configMapKeyRef");
    assertThat(Docs.read(Examples.file("strimzi/kafka-connect.yaml")))
        .contains(
            "kubectl create configmap "
                + Examples.at(metrics, "name")
                + " --from-file="
                + Examples.at(metrics, "key")
                + "=monitoring/jmx-exporter.yml");
  }
}
