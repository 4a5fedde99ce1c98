package dev.tula.connect.source;

import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.QueryPortFactory;
import java.util.function.Supplier;

/**
 * What a task works with outside of itself; a test puts its own in.
 *
 * @param queryPorts makes connections to the engine
 * @param topicAdmin connects to the brokers, to look at topics
 * @param checkpointTail opens the checkpoints topic
 * @param topicStarts opens the data topic, to see where its streams begin
 * @param clock the time
 */
record Collaborators(
    QueryPortFactory queryPorts,
    Supplier<TopicAdmin> topicAdmin,
    Supplier<CheckpointTail> checkpointTail,
    Supplier<TopicStarts> topicStarts,
    Clock clock) {

  /** The real ones. */
  static Collaborators of(SourceConfig config) {
    Clock clock = Clock.system();
    return new Collaborators(
        config.queryPort().factory(),
        () -> TopicAdmin.connect(config, config.queryPort().requestTimeoutMs()),
        KafkaCheckpointTail.factory(config, clock),
        KafkaTopicStarts.factory(config, clock),
        clock);
  }
}
