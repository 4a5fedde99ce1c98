package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.queryport.SharedFakePort;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.server.PortSecurity;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ServerSocketFactory;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.source.ConnectorTransactionBoundaries;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.apache.kafka.connect.source.SourceConnectorContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.junit.jupiter.api.Test;

class TulaSourceConnectorTest {
  @Property(tries = 200)
  void every_export_partition_has_exactly_one_task(
      @ForAll @IntRange(min = 1, max = 32) int partitionCount,
      @ForAll @IntRange(min = 1, max = 80) int maxTasks) {
    Map<String, String> properties = Configs.minimal();
    properties.put(SourceConfig.PARTITION_COUNT, Integer.toString(partitionCount));
    TulaSourceConnector connector = initialized();
    connector.start(properties);
    List<Map<String, String>> configs = connector.taskConfigs(maxTasks);
    assertThat(configs).hasSize(Math.min(maxTasks, partitionCount));
    List<Integer> dealt = new ArrayList<>();
    for (int task = 0; task < configs.size(); task++) {
      SourceConfig config = new SourceConfig(configs.get(task));
      assertThat(config.taskIndex()).isEqualTo(task);
      assertThat(config.taskPartitions().size())
          .isBetween(
              partitionCount / configs.size(),
              (partitionCount + configs.size() - 1) / configs.size());
      dealt.addAll(config.taskPartitions());
    }
    assertThat(dealt)
        .containsExactlyInAnyOrderElementsOf(
            Stream.iterate(0, i -> i + 1).limit(partitionCount).toList());
  }

  @Test
  void no_offset_is_ever_part_of_a_task_s_configuration() {
    TulaSourceConnector connector = initialized();
    connector.start(Configs.minimal());
    assertThat(connector.taskConfigs(1).get(0).keySet())
        .noneMatch(key -> key.contains("offset") || key.contains("batch"));
  }

  @Test
  void exactly_once_and_own_transaction_boundaries_are_supported() {
    TulaSourceConnector connector = new TulaSourceConnector();
    assertThat(connector.exactlyOnceSupport(Configs.minimal()))
        .isEqualTo(ExactlyOnceSupport.SUPPORTED);
    assertThat(connector.canDefineTransactionBoundaries(Configs.minimal()))
        .isEqualTo(ConnectorTransactionBoundaries.SUPPORTED);
  }

  @Test
  void it_is_found_by_the_service_loader() {
    assertThat(ServiceLoader.load(SourceConnector.class).stream().map(ServiceLoader.Provider::type))
        .anyMatch(TulaSourceConnector.class::equals);
  }

  @Test
  void validation_asks_each_node_once_and_the_brokers() {
    FakeEngine engine = new FakeEngine();
    engine.failOpen(FakeEngine.lost());
    Map<String, List<String>> errors = validate(engine);
    assertThat(engine.opens()).containsExactlyInAnyOrder(FakeEngine.A, FakeEngine.B, FakeEngine.C);
    assertThat(engine.openConnections()).isZero();
    assertThat(errors)
        .as("one node that is down does not matter, brokers that can't be reached do")
        .containsOnlyKeys(SourceConfig.KAFKA_BOOTSTRAP_SERVERS);
  }

  @Test
  void validation_says_that_no_node_can_be_reached() {
    FakeEngine engine = new FakeEngine();
    engine.failOpen(FakeEngine.lost(), FakeEngine.lost(), FakeEngine.lost());
    assertThat(validate(engine).get(QueryPortConfig.HOSTS).get(0))
        .contains("No node can be reached")
        .contains("a:1", "b:2", "c:3");
  }

  @Test
  void validation_finds_another_cluster() {
    FakeEngine engine = new FakeEngine();
    engine.clusterId("other");
    assertThat(validate(engine).get(QueryPortConfig.CLUSTER_ID).get(0)).contains("other");
  }

  @Test
  void validation_ends_by_itself_and_throws_nothing_when_nodes_and_brokers_hang() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + silent.getLocalPort();
      Map<String, String> properties = Configs.minimal();
      properties.put(QueryPortConfig.HOSTS, address);
      properties.put(QueryPortConfig.VALIDATION_TIMEOUT_MS, "100");
      properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, address);
      Map<String, List<String>> errors = validate(properties);
      assertThat(errors)
          .containsOnlyKeys(QueryPortConfig.HOSTS, SourceConfig.KAFKA_BOOTSTRAP_SERVERS);
      assertThat(errors.get(QueryPortConfig.HOSTS).get(0))
          .contains("No node can be reached", address);
    }
  }

  @Test
  void validation_finds_that_the_certificate_lacks_the_exporter_role() throws Exception {
    PortSecurity nobody =
        new PortSecurity() {
          @Override
          public ServerSocketFactory sockets() {
            return ServerSocketFactory.getDefault();
          }

          @Override
          public boolean isExporter(Socket peer) {
            return false;
          }

          @Override
          public boolean mayListenAt(InetAddress address) {
            return true;
          }
        };
    try (ReferenceCluster ledger =
        ReferenceCluster.builder().nodes(3).rows(10).security(nobody).start()) {
      Map<String, String> properties = Configs.minimal();
      properties.put(QueryPortConfig.HOSTS, String.join(",", ledger.addresses()));
      properties.put(QueryPortConfig.CLUSTER_ID, ledger.clusterId());
      properties.put(QueryPortConfig.VALIDATION_TIMEOUT_MS, "5000");
      properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, "127.0.0.1:1");
      assertThat(validate(properties).get(QueryPortConfig.HOSTS))
          .singleElement()
          .asString()
          .contains("needs the exporter role (OU=exporter");
      assertThat(ledger.cluster().status(0).leases()).as("and left nothing behind").isEmpty();
    }
  }

  private static TulaSourceConnector initialized() {
    TulaSourceConnector connector = new TulaSourceConnector();
    SourceConnectorContext context = mock(SourceConnectorContext.class);
    when(context.offsetStorageReader()).thenReturn(mock(OffsetStorageReader.class));
    connector.initialize(context);
    return connector;
  }

  private static Map<String, List<String>> validate(FakeEngine engine) {
    SharedFakePort.use(engine);
    Map<String, String> properties = Configs.minimal();
    properties.put(QueryPortConfig.QUERY_PORT_CLASS, SharedFakePort.class.getName());
    properties.put(QueryPortConfig.VALIDATION_TIMEOUT_MS, "3000");
    properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, "127.0.0.1:1");
    return validate(properties);
  }

  private static Map<String, List<String>> validate(Map<String, String> properties) {
    return new TulaSourceConnector()
        .validate(properties).configValues().stream()
            .filter(value -> !value.errorMessages().isEmpty())
            .collect(Collectors.toMap(ConfigValue::name, ConfigValue::errorMessages));
  }
}
