package dev.tula.connect.queryport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.server.PortSecurity;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Mutual TLS with Kafka's settings, against the reference node behind TLS sockets. */
@Timeout(60)
class TlsQueryPortTest {
  private static final String PASSWORD = "changeit";

  @TempDir private static Path directory;
  private static ReferenceCluster ledger;

  @BeforeAll
  static void start() throws Exception {
    keyStore("server", "CN=node", "ip:127.0.0.1");
    keyStore("exporter", "CN=me,OU=exporter", "dns:me");
    keyStore("nobody", "CN=nobody", "dns:nobody");
    keyStore("elsewhere", "CN=node", "dns:elsewhere.example");
    trustStore("clients", "exporter", "nobody");
    trustStore("nodes", "server");
    trustStore("other", "elsewhere");
    ledger = ReferenceCluster.builder().rows(100).security(tls("server")).start();
  }

  @AfterAll
  static void stop() {
    if (ledger != null) {
      ledger.close();
    }
  }

  @Test
  void an_exporter_s_certificate_opens_the_port() throws Exception {
    try (QueryPort port = port("exporter", "nodes")) {
      assertThat(open(port, ledger).clusterId()).isEqualTo(ledger.clusterId());
      assertThat(port.status().head()).isEqualTo(ledger.head());
      assertThat(port.fetch(fetch()).records()).isNotEmpty();
    }
  }

  @Test
  void a_certificate_without_the_role_is_told_so() throws Exception {
    try (QueryPort port = port("nobody", "nodes")) {
      assertThatExceptionOfType(ErrorReplyException.class)
          .isThrownBy(
              () -> {
                open(port, ledger);
                port.fetch(fetch());
              })
          .satisfies(e -> assertThat(e.reply().code()).isEqualTo(ErrorCode.ERR_UNAUTHORIZED));
    }
  }

  @Test
  void a_node_that_nobody_vouches_for_is_refused() {
    try (QueryPort port = port("exporter", "other")) {
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> open(port, ledger))
          .withMessageContaining("can't connect to");
    }
  }

  @Test
  void a_node_under_another_name_than_its_certificate_s_is_refused() throws Exception {
    try (ReferenceCluster impostor =
            ReferenceCluster.builder().rows(10).security(tls("elsewhere")).start();
        QueryPort port = port("exporter", "other")) {
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> open(port, impostor))
          .withMessageContaining("127.0.0.1");
    }
  }

  @Test
  void settings_that_can_not_be_used_say_so() {
    try (QueryPort port = port("missing", "nodes")) {
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> open(port, ledger))
          .withMessageContaining("TLS settings can't be used")
          .withMessageNotContaining(PASSWORD);
    }
  }

  private static Message.Welcome open(QueryPort port, ReferenceCluster cluster)
      throws QueryPortException {
    NodeAddress node = NodeAddress.parse(cluster.addresses().get(0));
    return port.open(new NodeAddress("127.0.0.1", node.port()), "me", Optional.empty());
  }

  private static QueryPort port(String keyStore, String trustStore) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(QueryPortConfig.HOSTS, "unused");
    settings.put(QueryPortConfig.CLUSTER_ID, "unused");
    settings.put("tula.ssl.keystore.type", "PKCS12");
    settings.put("tula.ssl.keystore.location", path(keyStore).toString());
    settings.put("tula.ssl.keystore.password", PASSWORD);
    settings.put("tula.ssl.truststore.type", "PKCS12");
    settings.put("tula.ssl.truststore.location", path(trustStore).toString());
    settings.put("tula.ssl.truststore.password", PASSWORD);
    return new QueryPortConfig(settings).factory().create();
  }

  private static Message.Fetch fetch() {
    return new Message.Fetch(
        "p",
        1,
        0,
        1,
        Position.ORIGIN,
        Optional.empty(),
        10,
        100_000,
        0,
        new Message.FetchOptions(false, false, false, false, false));
  }

  private static Path path(String name) {
    return directory.resolve(name + ".p12");
  }

  private static void keyStore(String name, String subject, String alternativeName)
      throws Exception {
    List<String> command = new ArrayList<>();
    Collections.addAll(
        command,
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-keyalg",
        "EC",
        "-alias",
        name,
        "-dname",
        subject,
        "-ext",
        "san=" + alternativeName,
        "-validity",
        "2",
        "-storetype",
        "PKCS12",
        "-keystore",
        path(name).toString(),
        "-storepass",
        PASSWORD);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
  }

  private static void trustStore(String name, String... trusted) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    for (String each : trusted) {
      store.setCertificateEntry(each, load(each).getCertificate(each));
    }
    try (OutputStream out = Files.newOutputStream(path(name))) {
      store.store(out, PASSWORD.toCharArray());
    }
  }

  private static KeyStore load(String name) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(path(name))) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }

  private static PortSecurity tls(String identity) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(load(identity), PASSWORD.toCharArray());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(load("clients"));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return new TlsSecurity(context.getServerSocketFactory());
  }

  /** Demands a client certificate, and takes the role from its subject. */
  private record TlsSecurity(ServerSocketFactory factory) implements PortSecurity {
    @Override
    public ServerSocketFactory sockets() {
      return new ServerSocketFactory() {
        @Override
        public ServerSocket createServerSocket() throws IOException {
          return demanding(factory.createServerSocket());
        }

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
          return demanding(factory.createServerSocket(port));
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) throws IOException {
          return demanding(factory.createServerSocket(port, backlog));
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress address)
            throws IOException {
          return demanding(factory.createServerSocket(port, backlog, address));
        }
      };
    }

    private static ServerSocket demanding(ServerSocket socket) {
      ((SSLServerSocket) socket).setNeedClientAuth(true);
      return socket;
    }

    @Override
    public boolean isExporter(Socket peer) {
      try {
        return ((SSLSocket) peer).getSession().getPeerPrincipal().getName().contains("OU=exporter");
      } catch (SSLPeerUnverifiedException e) {
        return false;
      }
    }

    @Override
    public boolean mayListenAt(InetAddress address) {
      return true;
    }
  }
}
