package dev.tula.connect.queryport;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Type.CLASS;
import static org.apache.kafka.common.config.ConfigDef.Type.INT;
import static org.apache.kafka.common.config.ConfigDef.Type.LIST;
import static org.apache.kafka.common.config.ConfigDef.Type.LONG;

import dev.tula.connect.model.config.PipelineSettings;
import dev.tula.connect.model.config.Setting;
import dev.tula.connect.model.config.Validators;
import dev.tula.connect.model.wire.Message;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.utils.Utils;

/**
 * What it takes to reach the engine. The source connector's own configuration contains these keys;
 * a command that reads the engine takes the same file.
 */
public final class QueryPortConfig extends AbstractConfig {
  /** The nodes. */
  public static final String HOSTS = "tula.hosts";

  /** The ledger cluster that this pipeline reads, and no other. */
  public static final String CLUSTER_ID = PipelineSettings.CLUSTER_ID;

  /** The implementation of {@link QueryPort}. */
  public static final String QUERY_PORT_CLASS = "tula.query.port.class";

  /** The time limit of connecting and of each answer. */
  public static final String REQUEST_TIMEOUT_MS = "tula.request.timeout.ms";

  /** The largest frame. */
  public static final String FRAME_MAX_BYTES = "tula.frame.max.bytes";

  /** The time limit of each connection that validation makes. */
  public static final String VALIDATION_TIMEOUT_MS = "tula.connection.validation.timeout.ms";

  /** The first wait between attempts. */
  public static final String RETRY_BACKOFF_INITIAL_MS = "tula.retry.backoff.initial.ms";

  /** The longest wait between attempts. */
  public static final String RETRY_BACKOFF_MAX_MS = "tula.retry.backoff.max.ms";

  /** When to give up. */
  public static final String RETRY_TIMEOUT_MS = "tula.retry.timeout.ms";

  /** When to give up waiting for another client's lease. */
  public static final String RETRY_INDEX_TAKEN_TIMEOUT_MS = "tula.retry.index.taken.timeout.ms";

  /** What the TLS keys begin with; Kafka's own names follow. */
  public static final String SSL_PREFIX = "tula.ssl.";

  private static final String LEDGER_GROUP = "Ledger";
  private static final String LIMITS_GROUP = "Time limits and retries";
  private static final int MAX_FRAME_LIMIT = 256 << 20;

  private static final List<Setting> OWN_SETTINGS =
      List.of(
          Setting.in(LEDGER_GROUP)
              .of(HIGH)
              .required(
                  HOSTS,
                  LIST,
                  new NodeAddresses(),
                  "Every node of the ledger cluster as host:port, in any order; the port defaults to"
                      + " 7800."),
          PipelineSettings.clusterId(
              LEDGER_GROUP,
              "The id of the ledger cluster that this pipeline reads; any other cluster is"
                  + " refused."),
          Setting.in(LEDGER_GROUP)
              .of(LOW)
              .with(
                  QUERY_PORT_CLASS,
                  CLASS,
                  TcpQueryPort.class,
                  "The class that speaks to the query port, an implementation of"
                      + " dev.tula.connect.queryport.QueryPort."),
          Setting.in(LIMITS_GROUP)
              .with(
                  REQUEST_TIMEOUT_MS,
                  INT,
                  10_000,
                  Validators.between(100, 300_000),
                  "The time limit, in ms, of connecting to a node and of each of its answers, on top"
                      + " of what the request itself asks the node to wait."),
          Setting.in(LIMITS_GROUP)
              .of(LOW)
              .with(
                  FRAME_MAX_BYTES,
                  INT,
                  Message.DEFAULT_MAX_FRAME_BYTES,
                  Validators.between(64 << 10, MAX_FRAME_LIMIT),
                  "The largest frame, in bytes, that is accepted from a node."),
          Setting.in(LIMITS_GROUP)
              .of(LOW)
              .with(
                  VALIDATION_TIMEOUT_MS,
                  INT,
                  5_000,
                  Validators.between(100, 60_000),
                  "The time limit, in ms, of each connection that validating this configuration"
                      + " makes."),
          Setting.in(LIMITS_GROUP)
              .of(LOW)
              .with(
                  RETRY_BACKOFF_INITIAL_MS,
                  LONG,
                  100L,
                  Validators.between(1, 60_000),
                  "The first wait, in ms, before an attempt is repeated; it doubles with each further"
                      + " one."),
          Setting.in(LIMITS_GROUP)
              .of(LOW)
              .with(
                  RETRY_BACKOFF_MAX_MS,
                  LONG,
                  10_000L,
                  Validators.between(1, 600_000),
                  "The longest wait, in ms, between two attempts."),
          Setting.in(LIMITS_GROUP)
              .with(
                  RETRY_TIMEOUT_MS,
                  LONG,
                  300_000L,
                  Validators.between(0, 86_400_000),
                  "After so many ms of failing attempts in a row the task fails."),
          Setting.in(LIMITS_GROUP)
              .of(LOW)
              .with(
                  RETRY_INDEX_TAKEN_TIMEOUT_MS,
                  LONG,
                  120_000L,
                  Validators.between(0, 86_400_000),
                  "How long, in ms, to wait for a lease that another client holds; must be above the"
                      + " engine's export_lease_ttl_ms."));

  private static final List<Setting> SETTINGS =
      Stream.concat(OWN_SETTINGS.stream(), TlsConnector.keys().stream()).toList();

  private final Map<String, Object> ssl;

  /**
   * Reads the keys; others are let pass.
   *
   * @throws org.apache.kafka.common.config.ConfigException naming the first key at fault
   */
  public QueryPortConfig(Map<String, ?> properties) {
    super(Setting.configDef(SETTINGS), properties, false);
    this.ssl = new TreeMap<>(originalsWithPrefix(SSL_PREFIX, false));
  }

  /** The keys. */
  public static List<Setting> settings() {
    return SETTINGS;
  }

  /** The nodes, in the order in which they were given. */
  public List<NodeAddress> nodes() {
    return getList(HOSTS).stream().map(NodeAddress::parse).toList();
  }

  /** The ledger cluster to expect. */
  public String clusterId() {
    return getString(CLUSTER_ID);
  }

  /** The time limit of connecting and of each answer, ms. */
  public int requestTimeoutMs() {
    return getInt(REQUEST_TIMEOUT_MS);
  }

  /** The largest frame to accept, bytes. */
  public int maxFrameBytes() {
    return getInt(FRAME_MAX_BYTES);
  }

  /** The time limit of each connection that validation makes, ms. */
  public int validationTimeoutMs() {
    return getInt(VALIDATION_TIMEOUT_MS);
  }

  /** How to retry. */
  public RetryPolicy retryPolicy() {
    long initialMs = getLong(RETRY_BACKOFF_INITIAL_MS);
    return new RetryPolicy(
        initialMs,
        Math.max(initialMs, getLong(RETRY_BACKOFF_MAX_MS)),
        getLong(RETRY_TIMEOUT_MS),
        getLong(RETRY_INDEX_TAKEN_TIMEOUT_MS));
  }

  /** Whether connections use TLS: as soon as one of its keys is set. */
  public boolean tls() {
    return !ssl.isEmpty();
  }

  /** Whether a node has to prove that it is the one of its address. */
  boolean verifiesHostNames() {
    Object algorithm =
        ssl.getOrDefault(
            "tula." + SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG,
            SslConfigs.DEFAULT_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM);
    return tls() && algorithm != null && !algorithm.toString().isBlank();
  }

  /** Kafka's TLS settings, by Kafka's own names ({@code ssl.…}). */
  Map<String, Object> sslSettings() {
    Map<String, Object> named = new HashMap<>();
    ssl.forEach((key, value) -> named.put(key.substring("tula.".length()), value));
    return named;
  }

  /** The same configuration with the request time-out that validation uses. */
  public QueryPortConfig forValidation() {
    Map<String, Object> properties = new HashMap<>(originals());
    properties.put(REQUEST_TIMEOUT_MS, validationTimeoutMs());
    properties.put(RETRY_TIMEOUT_MS, (long) validationTimeoutMs());
    properties.put(RETRY_INDEX_TAKEN_TIMEOUT_MS, 0L);
    return new QueryPortConfig(properties);
  }

  /** Makes connections as these settings say. */
  public QueryPortFactory factory() {
    Class<? extends QueryPort> type = getClass(QUERY_PORT_CLASS).asSubclass(QueryPort.class);
    Map<String, Object> properties = Map.copyOf(originals());
    return () -> {
      QueryPort port = Utils.newInstance(type);
      port.configure(properties);
      return port;
    };
  }
}
