package dev.tula.connect.queryport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.TestAuthority.Identity;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.server.PortSecurity;
import dev.tula.connect.refnode.server.ServerLimits;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mutual TLS with Kafka's settings, against reference nodes behind TLS sockets. */
@Timeout(300)
class TlsQueryPortTest {
  private static final String PASSWORD = "correct-horse-battery";
  private static final String LOOPBACK = "ip4:127.0.0.1";
  private static final TestAuthority CA = new TestAuthority("authority");
  private static final TestAuthority OTHER_CA = new TestAuthority("other authority");
  private static final Identity EXPORTER = CA.issue("CN=me,OU=exporter", "dns:me");
  private static final Identity EXPORTER_BY_URI =
      CA.issue("CN=me", "dns:me", "uri:tula:role/exporter");
  private static final Identity NOBODY = CA.issue("CN=nobody,OU=exporters", "dns:nobody");
  private static final Identity FOREIGN = OTHER_CA.issue("CN=me,OU=exporter", "dns:me");
  private static final Identity EXPIRED =
      CA.issue(Duration.ofDays(-3), Duration.ofDays(-1), "CN=me,OU=exporter", "dns:me");

  private static ReferenceCluster ledger;

  @TempDir private Path directory;

  @BeforeAll
  static void start() throws Exception {
    ledger = cluster(CA.issue("CN=node", LOOPBACK), 3);
  }

  @AfterAll
  static void stop() {
    if (ledger != null) {
      ledger.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"PKCS12", "JKS", "PEM", "PEM in the settings"})
  void an_exporter_s_certificate_opens_the_port_from_a_store_of_any_kind(String kind)
      throws Exception {
    Map<String, Object> settings =
        switch (kind) {
          case "PEM" -> pemFiles(EXPORTER);
          case "PEM in the settings" -> pem(EXPORTER);
          default -> stores(kind, EXPORTER, CA);
        };
    try (QueryPort port = port(settings)) {
      assertThat(open(port).clusterId()).isEqualTo(ledger.clusterId());
      assertThat(port.status().head()).isEqualTo(ledger.head());
      assertThat(port.fetch(fetch()).records()).isNotEmpty();
    }
  }

  @Test
  void the_role_may_be_in_a_uri_of_the_certificate() throws Exception {
    try (QueryPort port = port(pem(EXPORTER_BY_URI))) {
      open(port);
      assertThat(port.fetch(fetch()).records()).isNotEmpty();
    }
  }

  @Test
  void a_certificate_without_the_role_may_ask_for_the_status_and_is_told_what_it_lacks()
      throws Exception {
    try (QueryPort port = port(pem(NOBODY))) {
      open(port);
      assertThat(port.status().head()).isEqualTo(ledger.head());
      assertThatExceptionOfType(ErrorReplyException.class)
          .isThrownBy(() -> port.fetch(fetch()))
          .satisfies(e -> assertThat(e.reply().code()).isEqualTo(ErrorCode.ERR_UNAUTHORIZED));
    }
    assertFailsAtOnce(pem(NOBODY), "needs the exporter role (OU=exporter");
  }

  @Test
  void an_expired_certificate_of_the_client_is_named_with_its_dates() {
    assertFailsAtOnce(
        pem(EXPIRED), "this client's own certificate, CN=me, OU=exporter", "only; renew it");
  }

  @Test
  void an_expired_certificate_of_the_node_is_named() throws Exception {
    Identity expired = CA.issue(Duration.ofDays(-3), Duration.ofDays(-1), "CN=node", LOOPBACK);
    try (ReferenceCluster late = cluster(expired, 1)) {
      assertFailsAtOnce(late, pem(EXPORTER), "the node's certificate has expired; renew it");
    }
  }

  @Test
  void a_node_whose_ca_is_not_trusted_is_refused() {
    Map<String, Object> settings = pem(EXPORTER);
    settings.put("tula.ssl.truststore.certificates", pem(OTHER_CA.certificate()));
    assertFailsAtOnce(settings, "no CA of tula.ssl.truststore.* vouches for the node's");
  }

  @Test
  void a_client_whose_ca_the_node_does_not_trust_is_told_so() {
    assertFails(pem(FOREIGN), "the node refused this client", "tula.ssl.keystore.*");
  }

  @Test
  void a_client_without_a_certificate_is_told_so() {
    Map<String, Object> settings = pem(EXPORTER);
    settings.keySet().removeIf(key -> key.startsWith("tula.ssl.keystore."));
    assertFails(settings, "the node refused this client", "tula.ssl.keystore.*");
  }

  @Test
  void a_node_under_another_name_than_its_certificate_s_is_refused() throws Exception {
    try (ReferenceCluster impostor = cluster(CA.issue("CN=node", "dns:elsewhere.example"), 1)) {
      assertFailsAtOnce(impostor, pem(EXPORTER), "not accepted as one of 127.0.0.1");
    }
  }

  @Test
  void settings_that_can_not_be_used_say_so_without_their_secrets() throws Exception {
    Map<String, Object> settings = stores("PKCS12", EXPORTER, CA);
    settings.put("tula.ssl.keystore.password", PASSWORD + "-wrong");
    assertFailsAtOnce(settings, "TLS settings can't be used");
    settings.put("tula.ssl.keystore.location", directory.resolve("missing").toString());
    assertFailsAtOnce(
        settings,
        "TLS settings can't be used",
        "missing",
        ": there is no such file; set tula.ssl.* right");
    Path empty = Files.writeString(directory.resolve("empty.pem"), "nothing");
    assertFailsAtOnce(
        Map.of("tula.ssl.truststore.type", "PEM", "tula.ssl.truststore.location", empty.toString()),
        "empty.pem",
        "No matching CERTIFICATE entries");
    Map<String, Object> torn = pem(EXPORTER);
    torn.put("tula.ssl.keystore.key", "-----BEGIN PRIVATE KEY-----\n" + PASSWORD);
    assertFailsAtOnce(torn, "TLS settings can't be used");
  }

  @Test
  void a_port_without_tls_and_a_client_without_tls_are_told_apart() throws Exception {
    try (ReferenceCluster plain = ReferenceCluster.builder().rows(10).start()) {
      assertFailsAtOnce(plain, pem(EXPORTER), "check that the port speaks TLS");
    }
    try (QueryPort port = port(Map.of())) {
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> open(port))
          .withMessageContaining("that is TLS: set tula.ssl.*");
    }
  }

  @Test
  void a_certificate_that_was_renewed_on_disk_is_taken_up_with_the_next_connection()
      throws Exception {
    Map<String, Object> settings = stores("PKCS12", EXPIRED, CA);
    ManualClock renewing = new ManualClock();
    renewing.afterSleeps(1, () -> settings.putAll(stores("PKCS12", EXPORTER, CA)));
    try (LeaderClient client = client(hosts(ledger, 1), settings, renewing)) {
      assertThat(client.fetch(fetch()).records()).isNotEmpty();
    }
  }

  @Test
  void a_hint_outside_the_list_is_followed_only_to_a_node_whose_certificate_fits()
      throws Exception {
    int leader = ledger.cluster().leader();
    String leading = ledger.addresses().get(leader);
    List<String> followers = new ArrayList<>(ledger.addresses());
    followers.remove(leading);
    try (LeaderClient client = client(followers.get(0), pem(EXPORTER), new ManualClock())) {
      assertThat(client.fetch(fetch()).records()).isNotEmpty();
      assertThat(client.leadership().orElseThrow().node()).hasToString(leading);
    }
    ledger.faults().switches().leaderHint(leading.replace("127.0.0.1", "localhost"));
    try (LeaderClient client = client(followers.get(0), pem(EXPORTER), new ManualClock())) {
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(() -> client.fetch(fetch()))
          .satisfies(failure -> assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE))
          .withMessageContaining("no node of [" + followers.get(0) + "] could be read");
    } finally {
      ledger.faults().switches().clear();
    }
  }

  @Test
  void closing_from_another_thread_ends_a_read_that_waits_under_tls() throws Exception {
    try (QueryPort port = port(pem(EXPORTER), 20_000)) {
      open(port);
      Thread closer = new Thread(port::close, "closer");
      Message.Fetch waiting = fetch(ledger.head(), 20_000);
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(
              () -> {
                closer.start();
                port.fetch(waiting);
              });
      closer.join();
    }
  }

  @Test
  void a_handshake_that_drips_can_not_stretch_the_deadline() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        QueryPort port = port(pem(EXPORTER), 300)) {
      Thread server = new Thread(() -> drip(listener), "dripping-server");
      server.setDaemon(true);
      server.start();
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(
              () ->
                  port.open(
                      new NodeAddress("127.0.0.1", listener.getLocalPort()),
                      "me",
                      Optional.empty()))
          .withRootCauseInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void a_node_waits_for_a_handshake_that_drips_only_so_long() throws Exception {
    ReferenceCluster.Builder builder =
        builder(CA.issue("CN=node", LOOPBACK)).limits(ServerLimits.DEFAULT.withFrameTimeoutMs(300));
    try (ReferenceCluster hasty = builder.start()) {
      NodeAddress node = NodeAddress.parse(hasty.leaderAddress());
      try (Socket socket = new Socket(node.host(), node.port())) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> drip(socket));
      }
      assertThat(hasty.cluster().failures()).isZero();
    }
  }

  private static void drip(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      drip(socket);
    } catch (IOException e) {
      // The client had enough, which is the point.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A handshake record of 16 KiB, a byte at a time, which takes longer than any test. */
  private static void drip(Socket socket) throws IOException, InterruptedException {
    OutputStream out = socket.getOutputStream();
    out.write(new byte[] {0x16, 3, 3, 0x40, 0});
    for (int sent = 0; sent < 1 << 14; sent++) {
      out.write(2);
      out.flush();
      Thread.sleep(10);
    }
  }

  private static void assertFailsAtOnce(Map<String, Object> settings, String... words) {
    assertFailsAtOnce(ledger, settings, words);
  }

  private static void assertFailsAtOnce(
      ReferenceCluster cluster, Map<String, Object> settings, String... words) {
    ManualClock clock = new ManualClock();
    assertFails(cluster, settings, clock, words);
    assertThat(clock.sleeps()).as("a few tries, no more").hasSizeLessThan(4);
  }

  /** A node that refuses may hang up before its alert was read; that is tried again. */
  private static void assertFails(Map<String, Object> settings, String... words) {
    assertFails(ledger, settings, new ManualClock(), words);
  }

  private static void assertFails(
      ReferenceCluster cluster, Map<String, Object> settings, Clock clock, String... words) {
    try (LeaderClient client =
        client(hosts(cluster, cluster.cluster().nodeCount()), settings, clock)) {
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(() -> client.fetch(fetch()))
          .satisfies(
              failure -> {
                assertThat(failure.code()).isEqualTo(FailureCode.CONFIGURATION);
                assertThat(failure.getMessage()).contains(words).doesNotContain(PASSWORD);
                assertThat(failure).hasStackTraceContaining(words[0]);
                for (Throwable each = failure; each != null; each = each.getCause()) {
                  assertThat(String.valueOf(each.getMessage())).doesNotContain(PASSWORD);
                }
              });
    }
  }

  private static LeaderClient client(String hosts, Map<String, Object> settings, Clock clock) {
    return LeaderClient.builder(config(hosts, settings, 30_000), "me")
        .clock(clock)
        .random(new Random(5))
        .build();
  }

  private static String hosts(ReferenceCluster cluster, int count) {
    return String.join(",", cluster.addresses().subList(0, count));
  }

  private static Message.Welcome open(QueryPort port) throws QueryPortException {
    return port.open(NodeAddress.parse(ledger.leaderAddress()), "me", Optional.empty());
  }

  private static QueryPort port(Map<String, Object> settings) {
    return port(settings, 30_000);
  }

  private static QueryPort port(Map<String, Object> settings, int timeoutMs) {
    return config("unused", settings, timeoutMs).factory().create();
  }

  private static QueryPortConfig config(String hosts, Map<String, Object> settings, int timeoutMs) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put(QueryPortConfig.HOSTS, hosts);
    all.put(QueryPortConfig.CLUSTER_ID, ReferenceCluster.DEFAULT_CLUSTER_ID);
    all.put(QueryPortConfig.REQUEST_TIMEOUT_MS, timeoutMs);
    return new QueryPortConfig(all);
  }

  private static Message.Fetch fetch() {
    return fetch(Position.ORIGIN, 0);
  }

  private static Message.Fetch fetch(Position after, int waitMs) {
    return new Message.Fetch(
        "p",
        1,
        0,
        1,
        after,
        Optional.empty(),
        10,
        100_000,
        waitMs,
        new Message.FetchOptions(false, false, false, false, false));
  }

  private Map<String, Object> stores(String type, Identity identity, TestAuthority trusted) {
    Map<String, Object> settings = new HashMap<>();
    Path keys = directory.resolve("keys." + type);
    Path trust = directory.resolve("trust." + type);
    try {
      write(keys, keyStore(type, identity));
      KeyStore trusting = KeyStore.getInstance(type);
      trusting.load(null, null);
      trusting.setCertificateEntry("ca", trusted.certificate());
      write(trust, trusting);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    settings.put("tula.ssl.keystore.type", type);
    settings.put("tula.ssl.keystore.location", keys.toString());
    settings.put("tula.ssl.keystore.password", PASSWORD);
    settings.put("tula.ssl.key.password", PASSWORD);
    settings.put("tula.ssl.truststore.type", type);
    settings.put("tula.ssl.truststore.location", trust.toString());
    settings.put("tula.ssl.truststore.password", PASSWORD);
    return settings;
  }

  private Map<String, Object> pemFiles(Identity identity) throws IOException {
    Map<String, Object> settings = new HashMap<>();
    Path keys = directory.resolve("keys.pem");
    Path trust = directory.resolve("trust.pem");
    Files.writeString(keys, pem(identity.keys().getPrivate()) + pem(identity.certificate()));
    Files.writeString(trust, pem(CA.certificate()));
    settings.put("tula.ssl.keystore.type", "PEM");
    settings.put("tula.ssl.keystore.location", keys.toString());
    settings.put("tula.ssl.truststore.type", "PEM");
    settings.put("tula.ssl.truststore.location", trust.toString());
    return settings;
  }

  private static Map<String, Object> pem(Identity identity) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("tula.ssl.keystore.type", "PEM");
    settings.put("tula.ssl.keystore.key", pem(identity.keys().getPrivate()));
    settings.put("tula.ssl.keystore.certificate.chain", pem(identity.certificate()));
    settings.put("tula.ssl.truststore.type", "PEM");
    settings.put("tula.ssl.truststore.certificates", pem(CA.certificate()));
    return settings;
  }

  private static String pem(Key key) {
    return pem("PRIVATE KEY", key.getEncoded());
  }

  private static String pem(Certificate certificate) {
    try {
      return pem("CERTIFICATE", certificate.getEncoded());
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String label, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n";
  }

  private static KeyStore keyStore(String type, Identity identity) throws Exception {
    KeyStore store = KeyStore.getInstance(type);
    store.load(null, null);
    store.setKeyEntry(
        "me",
        identity.keys().getPrivate(),
        PASSWORD.toCharArray(),
        new Certificate[] {identity.certificate()});
    return store;
  }

  private static void write(Path file, KeyStore store) throws Exception {
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, PASSWORD.toCharArray());
    }
  }

  private static ReferenceCluster cluster(Identity node, int nodes) throws Exception {
    return builder(node).nodes(nodes).start();
  }

  private static ReferenceCluster.Builder builder(Identity node) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(keyStore("PKCS12", node), PASSWORD.toCharArray());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", CA.certificate());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return ReferenceCluster.builder().rows(100).security(PortSecurity.tls(context));
  }
}
