package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.lake.LakeOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LakeConnectionTest {
  private static final int LIMIT_MS = 60_000;

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

  @Test
  void the_time_limits_of_the_lake_s_calls_are_settings() {
    SinkConfig unset = config(1);
    SinkConfig set =
        config(1, Map.of("tula.lake.call.timeout.ms", "5000", "tula.lake.file.timeout.ms", "7000"));

    assertThat(LakeConnection.options(unset, unset.stock()))
        .extracting(LakeOptions::callLimit, LakeOptions::fileLimit)
        .containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(10));
    assertThat(LakeConnection.options(set, set.stock()))
        .extracting(LakeOptions::callLimit, LakeOptions::fileLimit)
        .containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(7));
    assertThatThrownBy(() -> config(1, Map.of("tula.lake.call.timeout.ms", "0")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("tula.lake.call.timeout.ms");
  }

  private static void openAndFail(LakeConnection connection) {
    assertThatThrownBy(() -> connection.open(0)).isInstanceOf(LakeException.class);
  }

  private static SinkConfig config(int port) {
    return config(port, Map.of());
  }

  private static SinkConfig config(int port, Map<String, String> more) {
    Map<String, String> config = TestLedger.sinkConfig();
    config.put("iceberg.catalog.type", "rest");
    config.put("iceberg.kafka.bootstrap.servers", "127.0.0.1:" + port);
    config.putAll(more);
    return new SinkConfig(config);
  }
}
