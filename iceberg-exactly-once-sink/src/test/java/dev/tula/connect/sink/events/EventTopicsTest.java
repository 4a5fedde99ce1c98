package dev.tula.connect.sink.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** What the event topics are created with. */
class EventTopicsTest {
  private static final EventTopicNames NAMES = new EventTopicNames("p.commits", "p.checkpoints");
  private static final Node NODE = new Node(0, "localhost", 9092);

  /** Brokers whose policy may refuse a setting, or every topic. */
  private static final class Brokers extends MockAdminClient {
    private final String refused;
    private final Map<String, Map<String, String>> created = new HashMap<>();

    Brokers(String refused) {
      super(List.of(NODE), NODE);
      this.refused = refused;
    }

    @Override
    public synchronized CreateTopicsResult createTopics(
        Collection<NewTopic> topics, CreateTopicsOptions options) {
      for (NewTopic topic : topics) {
        if (topic.configs().containsKey(refused)) {
          KafkaFutureImpl<CreateTopicsResult.TopicMetadataAndConfig> refusal =
              new KafkaFutureImpl<>();
          refusal.completeExceptionally(new PolicyViolationException(refused + " is not yours"));
          return new Refused(Map.of(topic.name(), refusal));
        }
        created.put(topic.name(), topic.configs());
      }
      return super.createTopics(topics, options);
    }
  }

  private static final class Refused extends CreateTopicsResult {
    Refused(Map<String, KafkaFuture<CreateTopicsResult.TopicMetadataAndConfig>> futures) {
      super(futures);
    }
  }

  private static void ensure(Brokers brokers) {
    new EventTopics(brokers, 1, Optional.of((short) 1), Duration.ofSeconds(5)).ensure(NAMES);
  }

  @Test
  void checkpoints_topic_is_created_so_that_it_is_compacted_soon() {
    try (Brokers brokers = new Brokers("none")) {
      ensure(brokers);

      assertThat(brokers.created.get("p.checkpoints"))
          .containsEntry("cleanup.policy", "compact")
          .containsEntry("segment.bytes", "16777216")
          .containsEntry("segment.ms", "3600000")
          .containsEntry("min.cleanable.dirty.ratio", "0.1");
      assertThat(brokers.created.get("p.commits")).isEqualTo(Map.of("cleanup.policy", "compact"));
    }
  }

  @Test
  void brokers_that_refuse_the_segments_settings_get_a_topic_without_them() {
    try (Brokers brokers = new Brokers("segment.bytes")) {
      ensure(brokers);

      assertThat(brokers.created.get("p.checkpoints"))
          .isEqualTo(Map.of("cleanup.policy", "compact"));
    }
  }

  @Test
  void brokers_that_refuse_compaction_are_not_given_another_topic() {
    try (Brokers brokers = new Brokers("cleanup.policy")) {
      assertThatThrownBy(() -> ensure(brokers))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
          .hasMessageContaining("cleanup.policy is not yours");

      assertThat(brokers.created).isEmpty();
    }
  }

  @Test
  void topics_that_are_there_keep_their_settings() {
    try (Brokers brokers = new Brokers("none")) {
      ensure(brokers);
      brokers.created.clear();

      ensure(brokers);

      assertThat(brokers.created).isEmpty();
    }
  }
}
