package dev.tula.connect.sink.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.connect.util.clusters.EmbeddedKafkaCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The event topics on a real broker. */
class EventsOnKafkaIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static EmbeddedKafkaCluster cluster;
  private static Map<String, Object> kafka;
  private static int tests;

  private EventTopicNames names;

  @BeforeAll
  static void start() {
    Properties broker = new Properties();
    broker.put("log.cleaner.dedupe.buffer.size", "4194304");
    broker.put("auto.create.topics.enable", "false");
    cluster = new EmbeddedKafkaCluster(1, broker);
    cluster.start();
    // With what a worker's own properties bring along.
    kafka =
        Map.of(
            "bootstrap.servers", cluster.bootstrapServers(),
            "group.id", "connect-workers",
            "key.converter", "org.apache.kafka.connect.json.JsonConverter");
  }

  @AfterAll
  static void stop() {
    cluster.stop();
  }

  @BeforeEach
  void takeNames() {
    tests++;
    names = new EventTopicNames("p" + tests + ".commits", "p" + tests + ".checkpoints");
  }

  private List<String> ensure(int partitions) {
    return EventTopics.ensure(kafka, names, partitions, Optional.empty(), LIMIT);
  }

  private static void create(String topic, int partitions, Map<String, String> config)
      throws Exception {
    try (Admin admin = Admin.create(kafka)) {
      admin
          .createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(config)))
          .all()
          .get();
      awaitThatItIsKnown(admin, topic);
    }
  }

  /** The controller answers before every broker knows. */
  private static void awaitThatItIsKnown(Admin admin, String topic) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!admin.listTopics().names().get().contains(topic)) {
      assertThat(System.nanoTime()).as("waiting for " + topic).isLessThan(deadline);
    }
  }

  private KafkaEventLog log(EventIdentity own) {
    return new KafkaEventLog(kafka, names, own, LIMIT, LIMIT);
  }

  @Test
  @DisplayName("C30: missing topics are created compacted, with N partitions, and warned of")
  void missing_topics_are_created_compacted_with_as_many_partitions() throws Exception {
    List<String> warnings = ensure(3);

    assertThat(warnings).hasSize(2).allMatch(warning -> warning.contains("min.insync.replicas=1"));
    try (Admin admin = Admin.create(kafka)) {
      for (String topic : names.all()) {
        TopicDescription description =
            admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
        assertThat(description.partitions()).hasSize(3);
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        assertThat(
                admin
                    .describeConfigs(List.of(resource))
                    .all()
                    .get()
                    .get(resource)
                    .get("cleanup.policy")
                    .value())
            .isEqualTo("compact");
      }
      ConfigResource checkpoints =
          new ConfigResource(ConfigResource.Type.TOPIC, names.checkpoints());
      Config config = admin.describeConfigs(List.of(checkpoints)).all().get().get(checkpoints);
      EventTopics.COMPACTED_SOON.forEach(
          (key, value) -> assertThat(config.get(key).value()).as(key).isEqualTo(value));
    }
    assertThat(ensure(3)).hasSize(2);
  }

  @Test
  @DisplayName("C30: enough replicas in sync, and nobody is warned")
  void topics_with_enough_replicas_in_sync_are_not_warned_of() throws Exception {
    Map<String, String> config = Map.of("cleanup.policy", "compact", "min.insync.replicas", "2");
    create(names.commits(), 1, config);
    create(names.checkpoints(), 1, config);

    assertThat(ensure(1)).isEmpty();
  }

  @Test
  void topic_that_would_lose_events_is_refused() throws Exception {
    create(names.commits(), 2, Map.of("cleanup.policy", "compact,delete"));

    assertThatThrownBy(() -> ensure(2))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContainingAll(names.commits(), "cleanup.policy=", "delete", "set it to compact");
  }

  @Test
  @DisplayName("C2: another number of partitions is refused")
  void topic_with_another_number_of_partitions_is_refused() throws Exception {
    create(names.commits(), 2, Map.of("cleanup.policy", "compact"));

    assertThatThrownBy(() -> ensure(3))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContainingAll(names.commits(), "2 partitions", "tula.partition.count=3");
  }

  @Test
  @DisplayName("C2: the data topic has exactly N partitions")
  void data_topic_is_waited_for_and_its_partitions_are_checked() throws Exception {
    String data = "data" + tests;
    assertThatThrownBy(() -> EventTopics.checkData(kafka, data, 2, LIMIT))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
        .hasMessageContaining("not there yet");

    create(data, 2, Map.of());

    EventTopics.checkData(kafka, data, 2, LIMIT);
    assertThatThrownBy(() -> EventTopics.checkData(kafka, data, 3, LIMIT))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse());
  }

  @Test
  @DisplayName("C19, C20: what was published is read, by its own partition alone")
  void published_events_are_read_back_by_their_partition() {
    ensure(2);
    EventIdentity other = new EventIdentity("payments", "cluster-1", 1, 0, 2);
    try (KafkaEventLog log = log(Events.OWN);
        KafkaEventLog otherLog = log(other)) {
      assertThat(log.read()).isEqualTo(EventsView.EMPTY);

      log.publish(
          List.of(Events.table(Events.OWN, 1, 5), Events.checkpoint(1, 5), Events.halt("h1")));
      log.publish(List.of(Events.checkpoint(2, 6)));

      EventsView view = log.read();
      assertThat(view.newestCheckpoint()).contains(Events.checkpoint(2, 6));
      assertThat(view.anyTrace()).isTrue();
      assertThat(view.halts()).containsOnlyKeys("h1");
      assertThat(otherLog.read()).isEqualTo(EventsView.EMPTY);
    }
  }

  @Test
  void topics_that_are_not_there_fail_within_the_limit() {
    try (KafkaEventLog log =
        new KafkaEventLog(kafka, names, Events.OWN, Duration.ofSeconds(2), Duration.ofSeconds(2))) {
      assertThatThrownBy(log::read).isInstanceOf(LakeException.class);
      assertThatThrownBy(() -> log.publish(List.of(Events.checkpoint(1, 5))))
          .isInstanceOf(LakeException.class);
    }
  }

  @Test
  void broker_that_does_not_answer_is_a_failure_that_may_pass() {
    Map<String, Object> nobody = Map.of("bootstrap.servers", "127.0.0.1:1");

    assertThatThrownBy(
            () -> EventTopics.ensure(nobody, names, 1, Optional.empty(), Duration.ofSeconds(2)))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue());
  }

  @Test
  void settings_that_no_client_takes_fail_for_good() {
    Map<String, Object> wrong = Map.of("bootstrap.servers", "no-port");
    try (KafkaEventLog log = new KafkaEventLog(wrong, names, Events.OWN, LIMIT, LIMIT)) {
      assertThatThrownBy(log::read)
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse());
      assertThatThrownBy(() -> log.publish(List.of(Events.checkpoint(1, 5))))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse());
    }
  }
}
