package dev.tula.connect.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * One Kafka broker in a process of its own, broker and KRaft controller in one, on loopback.
 *
 * <p>Safe for any thread.
 */
public final class LocalBroker implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(3);
  private static final int ADMIN_TIMEOUT_MS = 5_000;

  private final String bootstrapServers;
  private volatile ChildProcess process;

  private LocalBroker(ChildProcess process, String bootstrapServers) {
    this.process = process;
    this.bootstrapServers = bootstrapServers;
  }

  /** Starts a broker that clients reach directly. */
  public static LocalBroker start(Path directory) {
    return start(directory, IntUnaryOperator.identity());
  }

  /**
   * Starts a broker and waits until it answers.
   *
   * @param directory where its data, properties and log go
   * @param advertised from the port that it listens on to the one that clients use
   * @throws StackException with the end of its log, if it does not come up
   */
  public static LocalBroker start(Path directory, IntUnaryOperator advertised) {
    List<Integer> ports = FreePorts.find(2);
    int clientPort = advertised.applyAsInt(ports.get(0));
    Path properties = directory.resolve("broker.properties");
    PropertiesFile.write(properties, properties(directory, ports.get(0), ports.get(1), clientPort));
    ChildProcess process =
        ChildProcess.java("the broker")
            .classPath(System.getProperty("java.class.path"))
            .mainClass(BrokerMain.class.getName())
            .jvmArgs("-Xms128m", "-Xmx768m", "-XX:+UseSerialGC")
            .jvmArgs(Logging.jvmArg(directory, "WARN"))
            .args(List.of(properties.toString()))
            .log(directory.resolve("broker.log"))
            .start();
    LocalBroker broker = new LocalBroker(process, "127.0.0.1:" + clientPort);
    try {
      Wait.forValue("the broker at " + broker.bootstrapServers, START_LIMIT, broker::answer);
      return broker;
    } catch (RuntimeException e) {
      process.close();
      throw e;
    }
  }

  private Optional<String> answer() throws Exception {
    process.checkAlive();
    try (Admin admin = admin()) {
      return Optional.of(
          admin.describeCluster().clusterId().get(ADMIN_TIMEOUT_MS, TimeUnit.MILLISECONDS));
    }
  }

  private static Map<String, String> properties(
      Path directory, int port, int controllerPort, int clientPort) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("process.roles", "broker,controller");
    all.put("node.id", "1");
    all.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    all.put("controller.listener.names", "CONTROLLER");
    all.put(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    all.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + clientPort);
    all.put("log.dirs", directory.resolve("data").toString());
    all.put("auto.create.topics.enable", "false");
    // Lets a checkpoint be dated by the broker that made it durable, for the check of the acks.
    all.put("log.message.timestamp.type", "LogAppendTime");
    all.put("offsets.topic.replication.factor", "1");
    all.put("offsets.topic.num.partitions", "1");
    all.put("transaction.state.log.replication.factor", "1");
    all.put("transaction.state.log.min.isr", "1");
    all.put("transaction.state.log.num.partitions", "1");
    all.put("group.initial.rebalance.delay.ms", "0");
    // Lets a worker that is killed on purpose be missed within a second or two.
    all.put("group.min.session.timeout.ms", "1000");
    // The cleaner's buffer is allocated whether used or not: 4 MiB of heap instead of 128.
    all.put("log.cleaner.dedupe.buffer.size", "4194304");
    return all;
  }

  /** SIGKILL: what the operating system has not written yet is in its cache, and stays. */
  public void kill() {
    process.kill();
  }

  /** Starts it again after its end, over the same data, and waits until it answers. */
  public void startAgain() {
    process = process.again();
    Wait.forValue("the broker at " + bootstrapServers, START_LIMIT, this::answer);
  }

  /** What clients connect to. */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /** The process, for its log and its end. */
  public ChildProcess process() {
    return process;
  }

  /** A new admin client, the caller's to close. */
  public Admin admin() {
    return Admin.create(
        Map.of(
            AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
            AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ADMIN_TIMEOUT_MS,
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 2 * ADMIN_TIMEOUT_MS));
  }

  @Override
  public void close() {
    process.close();
  }
}
