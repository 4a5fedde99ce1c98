package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LakeConnectionTest {
  private static final int LIMIT_MS = 30_000;

  @Test
  void a_partition_waits_for_another_one_s_connecting_only_so_long_and_may_try_again()
      throws Exception {
    try (ServerSocket broker = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      broker.setSoTimeout(LIMIT_MS);
      LakeConnection connection =
          new LakeConnection(config(broker.getLocalPort()), "ledger", Duration.ofMillis(1));
      Thread first = new Thread(() -> openAndFail(connection), "first");
      first.setDaemon(true);
      first.start();
      try (Socket silent = broker.accept()) {
        assertThat(silent.isConnected()).isTrue();
        assertThatThrownBy(() -> connection.open(1))
            .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
            .hasMessageContaining("partition 1 waited 1 ms to be connected after another one");
      } finally {
        connection.close();
        first.interrupt();
      }
    }
  }

  private static void openAndFail(LakeConnection connection) {
    assertThatThrownBy(() -> connection.open(0)).isInstanceOf(LakeException.class);
  }

  private static SinkConfig config(int port) {
    Map<String, String> config = TestLedger.sinkConfig();
    config.put("iceberg.catalog.type", "rest");
    config.put("iceberg.kafka.bootstrap.servers", "127.0.0.1:" + port);
    return new SinkConfig(config);
  }
}
