package dev.tula.connect.lake;

import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/**
 * One broker for all tests of the JVM, started with the first that asks.
 *
 * <p>Its folder is its own. Those that Kafka's test kit makes by itself are deleted by another hook
 * at the same time as this one stops the broker, and a broker whose folder is gone halts the JVM
 * with 1.
 */
public final class TestBroker {
  private static final long LIMIT_S = 120;
  private static final TestBroker INSTANCE = new TestBroker();

  private final KafkaClusterTestKit cluster;

  private TestBroker() {
    try {
      cluster =
          new KafkaClusterTestKit.Builder(
                  new TestKitNodes.Builder()
                      .setBaseDirectory(Files.createTempDirectory("tula-broker"))
                      .setCombined(true)
                      .setNumBrokerNodes(1)
                      .setNumControllerNodes(1)
                      .build())
              .setConfigProp("log.cleaner.dedupe.buffer.size", "4194304")
              .setConfigProp("auto.create.topics.enable", "false")
              .build();
      cluster.format();
      cluster.startup();
      cluster.waitForReadyBrokers();
      Runtime.getRuntime().addShutdownHook(new Thread(this::close, "broker-shutdown"));
    } catch (Exception e) {
      throw new IllegalStateException("the broker did not start", e);
    }
  }

  private void close() {
    try {
      cluster.close();
    } catch (Exception e) {
      throw new IllegalStateException("the broker did not stop", e);
    }
  }

  public static String bootstrapServers() {
    return INSTANCE.cluster.bootstrapServers();
  }

  static void createCompacted(String topic, int partitions) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      NewTopic wanted =
          new NewTopic(topic, Optional.of(partitions), Optional.of((short) 1))
              .configs(Map.of("cleanup.policy", "compact"));
      admin.createTopics(List.of(wanted)).all().get(LIMIT_S, TimeUnit.SECONDS);
      await(() -> isThere(admin, topic));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Creates a topic as the source would, and fills its first partition. */
  static void createData(String topic, int records) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      NewTopic wanted = new NewTopic(topic, Optional.of(1), Optional.of((short) 1));
      admin.createTopics(List.of(wanted)).all().get(LIMIT_S, TimeUnit.SECONDS);
      await(() -> isThere(admin, topic));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < records; i++) {
        producer.send(new ProducerRecord<>(topic, 0, null, new byte[] {(byte) 0xff}));
      }
    }
  }

  static void delete(String topic) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      admin.deleteTopics(List.of(topic)).all().get(LIMIT_S, TimeUnit.SECONDS);
      await(() -> !isThere(admin, topic));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isThere(Admin admin, String topic) throws Exception {
    return admin.listTopics().names().get(LIMIT_S, TimeUnit.SECONDS).contains(topic);
  }

  /** The controller answers before every broker knows. */
  private static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("a topic's change did not spread within " + LIMIT_S + " s");
      }
      Thread.onSpinWait();
    }
  }
}
