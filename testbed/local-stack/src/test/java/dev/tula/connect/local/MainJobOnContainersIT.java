package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/** The main job on the broker that the Kafka project ships as an image. */
@Testcontainers(disabledWithoutDocker = true)
@DisplayName("I1, I2, I4, on Kafka's own image: every row once, and no ack above the watermark")
class MainJobOnContainersIT {
  private static final long ROWS = 50_000;

  @Container
  private static final KafkaContainer KAFKA =
      new KafkaContainer(DockerImageName.parse("apache/kafka:4.3.1"))
          .withEnv("KAFKA_LOG_MESSAGE_TIMESTAMP_TYPE", "LogAppendTime")
          .withEnv("KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR", "1")
          .withEnv("KAFKA_TRANSACTION_STATE_LOG_MIN_ISR", "1")
          .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false");

  @TempDir Path directory;

  @Test
  void a_ledger_reaches_the_lake_row_for_row() {
    StackOptions options =
        StackOptions.of(TestPaths.root(), directory, 1, ROWS)
            .withBootstrapServers(KAFKA.getBootstrapServers());
    Path examples = TestPaths.root().resolve("config-examples/local");
    try (LocalStack stack = LocalStack.start(options);
        Pipeline pipeline =
            new Pipeline(
                stack,
                ConnectorConfig.read(examples.resolve("source.json")),
                ConnectorConfig.read(examples.resolve("sink.json")));
        LakeVerifier verifier = LakeVerifier.open(directory.resolve("verify"), 512)) {
      pipeline.start();
      Wait.until("the lake to be complete", Duration.ofMinutes(6), () -> poll(pipeline));
      Wait.until("the last ack", Duration.ofMinutes(3), pipeline::ackedThroughWatermark);

      AckCheck acks = pipeline.checkAcks();
      LakeVerdict verdict = pipeline.verify(verifier);

      assertThat(acks.violations()).isEmpty();
      assertThat(acks.acks()).isPositive();
      assertThat(verdict.agrees()).as("%s", verdict).isTrue();
      assertThat(verdict.rows()).isEqualTo(ROWS);
    }
  }

  private static boolean poll(Pipeline pipeline) {
    pipeline.poll();
    pipeline
        .failure()
        .ifPresent(
            failure -> {
              throw new StackException(failure);
            });
    return pipeline.complete();
  }
}
