package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.queryport.CapturedLog;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.ReferenceCluster;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Secrets reach the connector resolved, as Connect's ConfigProviders give them, and stay in it:
 * every key that holds one gets a value that is looked for in whatever comes out.
 */
@Timeout(300)
class SecretsTest {
  private static final String SECRET = "hunter2-hunter2";

  @TempDir private Path directory;
  private final List<String> seen = new ArrayList<>();

  @Test
  void secrets_appear_in_no_log_no_error_no_validation_reply_and_no_metric() throws Exception {
    try (ReferenceCluster ledger = ReferenceCluster.builder().nodes(3).rows(10).start();
        CapturedLog log = new CapturedLog("dev.tula", Level.ALL);
        CapturedLog clients = new CapturedLog("org.apache.kafka", Level.INFO)) {
      for (Map<String, String> variant : variants()) {
        Map<String, String> properties = Configs.ofTask(1, "0");
        properties.put(QueryPortConfig.HOSTS, String.join(",", ledger.addresses()));
        properties.put(QueryPortConfig.CLUSTER_ID, ledger.clusterId());
        properties.put(QueryPortConfig.VALIDATION_TIMEOUT_MS, "300");
        properties.put(QueryPortConfig.REQUEST_TIMEOUT_MS, "300");
        properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, "127.0.0.1:1");
        properties.putAll(variant);
        validate(properties);
        run(properties);
      }
      seen.addAll(log.lines());
      seen.addAll(clients.lines());
      assertThat(log.lines()).as("something was there to leak into").isNotEmpty();
      assertThat(clients.lines()).anyMatch(line -> line.contains("[hidden]"));
    }
    assertThat(seen.stream().filter(text -> text.contains(SECRET))).isEmpty();
  }

  /** Stores that are missing, keys that are none, typing errors, and credentials of the brokers. */
  private List<Map<String, String>> variants() {
    Map<String, String> stores = new HashMap<>();
    stores.put("tula.ssl.keystore.location", directory.resolve("missing.p12").toString());
    stores.put("tula.ssl.keystore.type", "PKCS12");
    stores.put("tula.ssl.keystore.password", SECRET);
    stores.put("tula.ssl.key.password", SECRET);
    stores.put("tula.ssl.truststore.location", directory.resolve("missing.jks").toString());
    stores.put("tula.ssl.truststore.password", SECRET);
    Map<String, String> pem = new HashMap<>();
    pem.put("tula.ssl.keystore.type", "PEM");
    pem.put("tula.ssl.keystore.key", "-----BEGIN PRIVATE KEY-----\n" + SECRET);
    pem.put("tula.ssl.keystore.certificate.chain", "-----BEGIN CERTIFICATE-----\n" + SECRET);
    pem.put("tula.ssl.truststore.type", "PEM");
    pem.put("tula.ssl.truststore.certificates", SECRET);
    Map<String, String> brokers = new HashMap<>();
    brokers.put("tula.kafka.security.protocol", "SASL_PLAINTEXT");
    brokers.put("tula.kafka.sasl.mechanism", "PLAIN");
    brokers.put(
        "tula.kafka.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"me\""
            + " password=\""
            + SECRET
            + "\";");
    Map<String, String> malformed = new HashMap<>(brokers);
    malformed.put("tula.kafka.sasl.jaas.config", "NoSuchModule " + SECRET);
    Map<String, String> typingError = Map.of("tula.ssl.keystore.pasword", SECRET);
    return List.of(stores, pem, brokers, malformed, typingError);
  }

  private void validate(Map<String, String> properties) {
    for (ConfigValue value : new TulaSourceConnector().validate(properties).configValues()) {
      seen.add(value.name() + " = " + value.value() + " " + value.errorMessages());
      assertThat(value.toString()).doesNotContain(SECRET);
    }
  }

  /** What did not pass validation for a typing error never runs. */
  private void run(Map<String, String> properties) throws Exception {
    if (properties.containsKey("tula.ssl.keystore.pasword")) {
      return;
    }
    properties.put(QueryPortConfig.RETRY_TIMEOUT_MS, "300");
    SourceConfig config = new SourceConfig(properties);
    seen.add(config + " " + config.queryPort());
    Collaborators real = Collaborators.of(config);
    boolean brokersMatter = properties.containsKey("tula.kafka.sasl.mechanism");
    StartedSourceTask task =
        StartedSourceTask.start(
            config,
            Map.of(),
            Optional.empty(),
            new Collaborators(
                real.queryPorts(),
                brokersMatter
                    ? real.topicAdmin()
                    : () -> new TopicAdmin(MockAdminClient.create().numBrokers(1).build(), 1_000),
                real.checkpointTail(),
                brokersMatter ? real.topicStarts() : new DataTopicDouble()::look,
                Clock.system()));
    try {
      lookAtMetrics();
      while (true) {
        task.poll();
      }
    } catch (RuntimeException e) {
      for (Throwable each = e; each != null; each = each.getCause()) {
        seen.add(String.valueOf(each));
      }
    } finally {
      task.stop();
    }
  }

  private void lookAtMetrics() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    List<ObjectName> beans = List.copyOf(server.queryNames(new ObjectName("tula.connect:*"), null));
    assertThat(beans).isNotEmpty();
    for (ObjectName bean : beans) {
      seen.add(bean.toString());
      for (MBeanAttributeInfo attribute : server.getMBeanInfo(bean).getAttributes()) {
        seen.add(String.valueOf(server.getAttribute(bean, attribute.getName())));
      }
    }
  }
}
