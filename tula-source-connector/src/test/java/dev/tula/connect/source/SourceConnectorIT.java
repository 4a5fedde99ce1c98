package dev.tula.connect.source;

import static dev.tula.connect.source.SourceOnConnect.await;
import static dev.tula.connect.source.SourceOnConnect.offset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.LedgerConverter;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.cluster.AckEvent;
import dev.tula.connect.refnode.cluster.Cluster;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.runtime.rest.entities.ConfigInfos;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorOffset;
import org.apache.kafka.connect.util.clusters.EmbeddedConnectCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The connector on a real worker and broker, reading a real ledger over TCP. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class SourceConnectorIT {
  private static SourceOnConnect workers;
  private static EmbeddedConnectCluster connect;
  private static ReferenceCluster ledger;

  @BeforeAll
  static void start() {
    workers =
        SourceOnConnect.start(
            "source-it",
            Map.of(
                "config.providers",
                "directory",
                "config.providers.directory.class",
                "org.apache.kafka.common.config.provider.DirectoryConfigProvider"));
    connect = workers.connect();
    ledger = ReferenceCluster.builder().nodes(3).seed(11).rows(5_000).start();
  }

  @AfterAll
  static void stop() {
    if (workers != null) {
      workers.close();
    }
    if (ledger != null) {
      ledger.close();
    }
  }

  @Test
  void every_row_reaches_kafka_once_through_the_json_converter() throws Exception {
    JsonConverter converter = new JsonConverter();
    converter.configure(Map.of("schemas.enable", "true"), false);
    try (ReferenceCluster small = ReferenceCluster.builder().seed(5).rows(1_500).start()) {
      Map<String, String> properties = properties("json", 2);
      properties.put(QueryPortConfig.HOSTS, String.join(",", small.addresses()));
      properties.put(SourceConfig.INCLUDE_METADATA, "true");
      properties.put(SourceConfig.FULL_TXN_RECORD, "true");
      properties.put("value.converter", JsonConverter.class.getName());
      properties.put("value.converter.schemas.enable", "true");
      workers.configure("json", properties);
      workers.assertTopicEqualsTruth(small, "data-json", 2, RecordForm.FULL, converter);
      workers.delete("json");
    }
  }

  @Test
  void every_row_reaches_kafka_once_through_the_compact_converter() throws Exception {
    workers.configure("compact", properties("compact", 1));
    workers.assertTopicEqualsTruth(ledger, "data-compact", 1);
    assertTopicIsFit("data-compact");
    workers.delete("compact");
  }

  @Test
  @DisplayName("KIP-618: restarted again and again under load, no row is missing and none doubled")
  void restarts_under_load_leave_no_gap_and_no_double() throws Exception {
    Map<String, String> properties = properties("restarts", 2);
    properties.put("transaction.boundary", "connector");
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "200");
    workers.configure("restarts", properties);
    ledger.startLoad(ledger.rows() + 12_000, 4_000);
    for (int i = 1; i <= 3; i++) {
      long sofar = i;
      await(() -> workers.lastOffsetOf("restarts").filter(batch -> batch > sofar * 3).isPresent());
      connect.restartConnectorAndTasks("restarts", false, true, false);
      await(() -> workers.isRunning("restarts", 2));
    }
    ledger.faults().changeLeader();
    assertThat(ledger.awaitLoad(180_000)).isTrue();
    workers.assertTopicEqualsTruth(ledger, "data-restarts", 2);
    workers.delete("restarts");
  }

  @Test
  @DisplayName("A bootstrap on three tasks that are restarted begins at one place and seeds once")
  void a_bootstrap_survives_restarts_and_seeds_once() throws Exception {
    try (ReferenceCluster reclaimed = ReferenceCluster.builder().seed(7).rows(3_000).start()) {
      Position p = Position.batchEnd(reclaimed.head().globalBatchSeq() / 2);
      reclaimed.faults().advanceFloor(p);
      Map<String, String> properties = properties("bootstrap", 3);
      properties.put(QueryPortConfig.HOSTS, String.join(",", reclaimed.addresses()));
      properties.put(SourceConfig.INCLUDE_METADATA, "true");
      properties.put("tasks.max", "3");
      properties.put(SourceConfig.BOOTSTRAP, SourceConfig.BOOTSTRAP_INITIAL);
      properties.put(SourceConfig.PAGE_MAX_RECORDS, "20");
      properties.put("transaction.boundary", "connector");
      workers.configure("bootstrap", properties);
      for (int i = 0; i < 3; i++) {
        await(() -> workers.isRunning("bootstrap", 3));
        connect.restartConnectorAndTasks("bootstrap", false, true, false);
      }
      for (int partition = 0; partition < 3; partition++) {
        assertBootstrapped(reclaimed, "data-bootstrap", partition, 3, p);
      }
      workers.delete("bootstrap");
    }
  }

  private static void assertBootstrapped(
      ReferenceCluster source, String topic, int partition, int partitionCount, Position p)
      throws Exception {
    await(
        () -> {
          List<StreamItem> items = workers.read(topic, partition, new LedgerConverter());
          return !items.isEmpty() && items.get(items.size() - 1).provesTo().equals(source.head());
        });
    List<CanonicalRow> expected = new ArrayList<>();
    boolean seeds = p.exportPartition(partitionCount) == partition;
    if (seeds) {
      expected.addAll(state(source, p));
    }
    truth(source, partition, partitionCount, new RecordForm(true, false)).stream()
        .filter(row -> row.position().isAfter(p))
        .forEach(expected::add);
    List<CanonicalRow> rows = new ArrayList<>();
    Position proven = seeds ? Position.beforeSeeded(p.globalBatchSeq()) : p;
    for (StreamItem item : workers.read(topic, partition, new LedgerConverter())) {
      assertThat(item.provesAfter()).as("C12: %s continues", item).isEqualTo(proven);
      proven = item.provesTo();
      if (item instanceof StreamItem.Row row) {
        rows.add(row.row());
      }
    }
    assertThat(rows).isEqualTo(expected);
  }

  private static List<CanonicalRow> state(ReferenceCluster source, Position asOf) {
    Cluster.ReadContext context = source.cluster().readContext("test", 1 << 20);
    List<CanonicalRow> rows = new ArrayList<>();
    for (Message.StateKind kind : Message.StateKind.values()) {
      rows.addAll(
          source.cluster().state(0, context, new Message.State(kind, asOf, "", 10_000)).records());
    }
    return rows;
  }

  @Test
  void offsets_are_read_altered_and_refused_through_rest() throws Exception {
    Map<String, String> properties = properties("offsets", 1);
    workers.configure("offsets", properties);
    await(() -> workers.lastOffsetOf("offsets").filter(ledgerHead()::equals).isPresent());
    connect.stopConnector("offsets");
    await(() -> connect.connectorStatus("offsets").tasks().isEmpty());
    ConnectorOffset stored = connect.connectorOffsets("offsets").offsets().get(0);
    assertThat(stored.partition())
        .isEqualTo(
            Map.of("pipeline", "offsets", "generation", 1, "partition", 0, "partition_count", 1));
    assertThat(new HashMap<String, Object>(stored.offset()))
        .containsOnlyKeys(
            "global_batch_seq", "array_index", "cluster_id", "include_metadata", "full_txn_record")
        .containsEntry("cluster_id", ledger.clusterId())
        .containsEntry("include_metadata", false);

    Map<String, ?> partition = stored.partition();
    assertRefused(partition, Map.of("lsn", 5), "exactly the keys");
    assertRefused(reversed(partition), stored.offset(), "in the order [pipeline, generation");
    assertRefused(Map.of("pipeline", "offsets"), stored.offset(), "exactly the keys");
    assertRefused(partition, offset("5:3", "other-cluster"), "another cluster");
    assertRefused(partition, offset("999999999:1", ledger.clusterId()), "beyond the ledger's end");
    assertThat(alter(partition, offset("2:2147483647", ledger.clusterId())))
        .contains("successfully");
    connect.resumeConnector("offsets");
    await(
        () ->
            workers.readTopic("data-offsets", 1, new LedgerConverter()).stream()
                .anyMatch(SourceConnectorIT::opensAtBatchTwo));
    workers.delete("offsets");
  }

  private static Map<String, ?> reversed(Map<String, ?> map) {
    List<String> keys = new ArrayList<>(map.keySet());
    Collections.reverse(keys);
    Map<String, Object> reversed = new LinkedHashMap<>();
    keys.forEach(key -> reversed.put(key, map.get(key)));
    return reversed;
  }

  private static boolean opensAtBatchTwo(StreamItem item) {
    return item instanceof StreamItem.Coverage coverage
        && coverage.from().equals(coverage.to())
        && coverage.to().equals(Position.batchEnd(2));
  }

  @Test
  void an_offset_below_the_engine_s_floor_is_refused_through_rest_and_fails_a_task_with_87()
      throws Exception {
    try (ReferenceCluster reclaimed = ReferenceCluster.builder().seed(3).rows(2_000).start()) {
      reclaimed.faults().advanceFloor(Position.batchEnd(3));
      Map<String, String> properties = properties("floor", 1);
      properties.put(QueryPortConfig.HOSTS, String.join(",", reclaimed.addresses()));
      workers.configure("floor", properties);
      await(
          () ->
              connect.connectorStatus("floor").tasks().stream()
                  .anyMatch(task -> "FAILED".equals(task.state())));
      assertThat(connect.connectorStatus("floor").tasks().get(0).trace())
          .startsWith("TULA-87 ")
          .contains("(0:2147483647, 3:2147483647]");
      connect.stopConnector("floor");
      await(() -> connect.connectorStatus("floor").tasks().isEmpty());
      Map<String, Object> partition = new SourcePartition("floor", 1, 0, 1).asMap();
      assertThatThrownBy(
              () -> workers.alter("floor", partition, offset("2:0", reclaimed.clusterId())))
          .hasMessageContaining("TULA-87")
          .hasMessageContaining("(2:0, 3:2147483647]");
      workers.delete("floor");
    }
  }

  @Test
  @DisplayName("I6: a pipeline writes nothing into a topic that begins with another one's stream")
  void another_pipeline_s_topic_is_left_alone() throws Exception {
    workers.configure("owner", properties("owner", 1));
    await(() -> workers.lastOffsetOf("owner").isPresent());
    Map<String, String> properties = properties("intruder", 1);
    properties.put(SourceConfig.TOPIC, "data-owner");
    workers.configure("intruder", properties);
    await(
        () ->
            connect.connectorStatus("intruder").tasks().stream()
                .anyMatch(task -> "FAILED".equals(task.state())));
    assertThat(connect.connectorStatus("intruder").tasks().get(0).trace())
        .startsWith("TULA-88 ")
        .contains("topic data-owner, partition 0, begins with the stream of owner:1")
        .contains("this connector is intruder:1");
    assertThat(workers.lastOffsetOf("intruder")).isEmpty();
    workers.delete("intruder");
    workers.delete("owner");
  }

  @Test
  void validation_over_rest_puts_every_error_on_its_field() {
    Map<String, String> properties = properties("validated", 3);
    connect.kafka().createTopic("data-validated", 2, 1, Map.of("cleanup.policy", "compact"));
    properties.put(QueryPortConfig.CLUSTER_ID, "another");
    Map<String, List<String>> online = validate(properties);
    assertThat(online).containsOnlyKeys(QueryPortConfig.CLUSTER_ID, SourceConfig.TOPIC);
    assertThat(String.join(" ", online.get(SourceConfig.TOPIC)))
        .contains("2 partitions")
        .contains("compacted");
    assertThat(String.join(" ", online.get(QueryPortConfig.CLUSTER_ID))).contains("TULA-88");

    properties.put("errors.tolerance", "all");
    properties.put("tula.topik", "x");
    properties.put(SourceConfig.BOOTSTRAP, "some");
    properties.remove(SourceConfig.PIPELINE);
    Map<String, List<String>> offline = validate(properties);
    assertThat(offline)
        .containsOnlyKeys(
            "errors.tolerance", "tula.topik", SourceConfig.BOOTSTRAP, SourceConfig.PIPELINE);
    assertThat(offline.get("tula.topik").get(0)).contains("did you mean tula.topic?");
  }

  @Test
  void a_secret_from_a_config_provider_shows_in_no_reply_of_the_worker(@TempDir Path secrets)
      throws Exception {
    String secret = "hunter2-hunter2";
    Files.writeString(secrets.resolve("password"), secret);
    String reference = "${directory:" + secrets + ":password}";
    Map<String, String> properties = properties("secret", 1);
    properties.put("tula.ssl.keystore.location", secrets.resolve("missing.p12").toString());
    properties.put("tula.ssl.keystore.password", reference);
    properties.put("tula.ssl.keystore.pasword", reference);
    ConfigInfos reply =
        connect.validateConnectorConfig(TulaSourceConnector.class.getSimpleName(), properties);
    assertThat(reply.configs().toString()).doesNotContain(secret).contains("Unknown key");
    assertThatThrownBy(() -> workers.configure("secret", properties))
        .hasMessageContaining("tula.ssl.keystore.pasword")
        .hasMessageNotContaining(secret);
    properties.remove("tula.ssl.keystore.pasword");
    assertThatThrownBy(() -> workers.configure("secret", properties))
        .as("the provider's value was looked at, as the key store is")
        .hasMessageContaining("TLS settings can't be used")
        .hasMessageContaining("missing.p12")
        .hasMessageNotContaining(secret);
  }

  @Test
  @DisplayName("I4: acks follow the checkpoints topic exactly, and nothing else")
  void checkpoints_drive_the_ack() throws Exception {
    workers.configure("acks", properties("acks", 2));
    await(() -> workers.lastOffsetOf("acks").filter(ledgerHead()::equals).isPresent());
    assertThat(acksOf("acks")).as("there is no checkpoints topic, so no ack").isEmpty();

    connect.kafka().createTopic("acks.checkpoints", 2, 1, Map.of("cleanup.policy", "compact"));
    publish(checkpoint("acks", 0, 4, 1), checkpoint("acks", 0, 2, 2), checkpoint("acks", 1, 7, 1));
    publish(checkpoint("other", 0, 9, 1));
    await(() -> acksOf("acks").size() >= 2);
    publish(checkpoint("acks", 0, 6, 3));
    await(() -> acksOf("acks").stream().anyMatch(ack -> ack.through().globalBatchSeq() == 6));
    ledger.faults().changeLeader();
    long term = ledger.cluster().term();
    await(() -> acksOf("acks").stream().filter(ack -> ack.term() == term).count() >= 2);
    assertThat(acksOf("acks"))
        .extracting(ack -> ack.partition() + " " + ack.through())
        .as("never above the highest checkpoint")
        .containsOnly("0 4:2147483647", "0 6:2147483647", "1 7:2147483647");
    workers.delete("acks");
  }

  private static List<AckEvent> acksOf(String pipeline) {
    return ledger.acks().stream()
        .filter(ack -> ack.pipeline().equals(pipeline) && ack.accepted())
        .toList();
  }

  private static CheckpointEvent checkpoint(
      String pipeline, int partition, long batch, long claim) {
    return SourceOnConnect.checkpoint(
        new EventIdentity(pipeline, ledger.clusterId(), 1, partition, 2), batch, claim);
  }

  private static void publish(CheckpointEvent... events) throws Exception {
    workers.publish("acks.checkpoints", events);
  }

  private static Map<String, String> properties(String name, int partitionCount) {
    return workers.properties(name, ledger, partitionCount);
  }

  private static Long ledgerHead() {
    return ledger.head().globalBatchSeq();
  }

  private static void assertRefused(Map<String, ?> partition, Map<String, ?> offset, String words) {
    assertThatThrownBy(() -> alter(partition, offset)).hasMessageContaining(words);
  }

  private static String alter(Map<String, ?> partition, Map<String, ?> offset) {
    return workers.alter("offsets", partition, offset);
  }

  private static Map<String, List<String>> validate(Map<String, String> properties) {
    return connect
        .validateConnectorConfig(TulaSourceConnector.class.getSimpleName(), properties)
        .configs()
        .stream()
        .map(info -> info.configValue())
        .filter(value -> !value.errors().isEmpty())
        .collect(Collectors.toMap(value -> value.name(), value -> value.errors()));
  }

  private static void assertTopicIsFit(String topic) throws Exception {
    try (Admin admin = connect.kafka().createAdminClient()) {
      TopicDescription description =
          admin.describeTopics(List.of(topic)).topicNameValues().get(topic).get();
      assertThat(description.partitions()).hasSize(1);
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      var settings = admin.describeConfigs(Set.of(resource)).values().get(resource).get();
      assertThat(settings.get("cleanup.policy").value()).isEqualTo("delete");
      assertThat(settings.get("retention.ms").value()).isEqualTo("604800000");
    }
  }

  private static List<CanonicalRow> truth(
      ReferenceCluster source, int partition, int partitionCount, RecordForm form)
      throws Exception {
    try (TruthReader reader = source.truth(partition, partitionCount, form)) {
      List<CanonicalRow> rows = reader.remaining();
      assertThat(rows).isNotEmpty();
      return rows;
    }
  }
}
