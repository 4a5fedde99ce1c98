package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.ReferenceCluster;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * In whatever state a task is, stopping it leaves no thread behind: each of them came to its end
 * within the limit that stopping has, where waiting for the node would take a minute.
 */
@Timeout(300)
class StopInAnyStateTest {
  private static final String NAME = "stopped";

  /** Half of what waiting for the node would take. */
  private static final long END_LIMIT_NS = 30_000_000_000L;

  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();
  private final ReferenceCluster ledger =
      ReferenceCluster.builder().nodes(3).seed(41).rows(3_000).maxBatchRecords(20).start();
  private final Map<String, String> properties = Configs.ofTask(1, "0");
  private long stopping;
  private Supplier<TopicStarts> topicStarts = new DataTopicDouble()::look;

  enum State {
    A_LONG_POLL_ON_AN_IDLE_LEDGER,
    A_FULL_QUEUE,
    EVERY_HOST_DOWN_AND_BACKING_OFF,
    A_NODE_THAT_TAKES_CONNECTIONS_AND_SAYS_NOTHING,
    A_TLS_HANDSHAKE_THAT_NEVER_ENDS,
    ANOTHER_OWNER_S_LEASE_IS_WAITED_FOR,
    A_NODE_THAT_DELAYS_ITS_ANSWERS,
    BROKERS_THAT_SAY_NOTHING_WHERE_THE_BEGINNING_IS_LOOKED_UP
  }

  @AfterEach
  void stop() {
    ledger.close();
  }

  @ParameterizedTest
  @EnumSource
  void poll_returns_and_stop_leaves_no_thread_behind(State state) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      properties.put(SourceConfig.NAME, NAME);
      properties.put(QueryPortConfig.HOSTS, String.join(",", ledger.addresses()));
      properties.put(QueryPortConfig.CLUSTER_ID, ledger.clusterId());
      properties.put(SourceConfig.FETCH_WAIT_MS, "60000");
      properties.put(QueryPortConfig.REQUEST_TIMEOUT_MS, "60000");
      properties.put(QueryPortConfig.RETRY_BACKOFF_INITIAL_MS, "60000");
      properties.put(QueryPortConfig.RETRY_BACKOFF_MAX_MS, "60000");
      BooleanSupplier reached = arrange(state, silent);
      StartedSourceTask task = start();
      try {
        await(reached);
        task.poll();
      } finally {
        stopping = System.nanoTime();
        task.stop();
      }
      await(() -> threads().isEmpty() || System.nanoTime() - stopping > END_LIMIT_NS);
      assertThat(threads()).isEmpty();
    }
  }

  private BooleanSupplier arrange(State state, ServerSocket silent) {
    String quiet = "127.0.0.1:" + silent.getLocalPort();
    switch (state) {
      case A_LONG_POLL_ON_AN_IDLE_LEDGER -> {
        return () -> isAtHead() && waitsAt("TcpQueryPort", "receive");
      }
      case A_FULL_QUEUE -> {
        properties.put(SourceConfig.QUEUE_MAX_BYTES, Integer.toString(1 << 20));
        properties.put(SourceConfig.PAGE_MAX_RECORDS, "500");
        return () -> waitsAt("PageQueue", "offer");
      }
      case EVERY_HOST_DOWN_AND_BACKING_OFF -> {
        for (int node = 0; node < 3; node++) {
          ledger.faults().stopNode(node);
        }
        return () -> waitsAt("LeaderClient$Attempts", "moveOn");
      }
      case A_NODE_THAT_TAKES_CONNECTIONS_AND_SAYS_NOTHING -> {
        properties.put(QueryPortConfig.HOSTS, quiet);
        return () -> waitsAt("TcpQueryPort", "receive");
      }
      case A_TLS_HANDSHAKE_THAT_NEVER_ENDS -> {
        properties.put(QueryPortConfig.HOSTS, quiet);
        properties.put("tula.ssl.protocol", "TLSv1.3");
        return () -> waitsAt("TlsConnector", "secure");
      }
      case ANOTHER_OWNER_S_LEASE_IS_WAITED_FOR -> {
        ledger.faults().groupConflict(1_000, 2);
        return () -> waitsAt("LeaderClient$Attempts", "failed");
      }
      case A_NODE_THAT_DELAYS_ITS_ANSWERS -> {
        ledger.faults().switches().delayMs(60_000);
        return () -> waitsAt("TcpQueryPort", "receive");
      }
      case BROKERS_THAT_SAY_NOTHING_WHERE_THE_BEGINNING_IS_LOOKED_UP -> {
        properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, quiet);
        topicStarts = KafkaTopicStarts.factory(new SourceConfig(properties), Clock.system());
        return () -> waitsAt("KafkaTopicStarts", "firstRecord");
      }
      default -> throw new IllegalArgumentException(state.toString());
    }
  }

  private StartedSourceTask start() {
    SourceConfig config = new SourceConfig(properties);
    return StartedSourceTask.start(
        config,
        Map.of(),
        Optional.empty(),
        new Collaborators(
            config.queryPort().factory(),
            () -> new TopicAdmin(admin, 1_000),
            SilentTail::new,
            topicStarts,
            Clock.system()));
  }

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .filter(
            thread ->
                thread.getName().startsWith("tula-fetch-" + NAME)
                    || thread.getName().startsWith("tula-ack-" + NAME))
        .toList();
  }

  private static boolean waitsAt(String className, String method) {
    return threads().stream()
        .flatMap(thread -> List.of(thread.getStackTrace()).stream())
        .anyMatch(
            frame ->
                frame.getClassName().endsWith("." + className)
                    && frame.getMethodName().equals(method));
  }

  private boolean isAtHead() {
    return TaskBean.attribute(NAME, 0, "FetchedGlobalBatchSeq")
        .equals(ledger.head().globalBatchSeq());
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  /** A topic where nothing happens. */
  private static final class SilentTail implements CheckpointTail {
    @Override
    public Reach poll(long waitMs, Sink sink) throws InterruptedException {
      TimeUnit.MILLISECONDS.sleep(waitMs);
      return Reach.THROUGH;
    }

    @Override
    public void close() {}
  }
}
