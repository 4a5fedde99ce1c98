package dev.tula.connect.local;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A distributed Kafka Connect worker in a process of its own, isolated as in production: its class
 * path is Kafka's, and plugins come from {@code plugin.path}. It can be killed and started again;
 * its REST address stays.
 *
 * <p>For one thread.
 */
public final class ConnectWorkerProcess implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final int SHORT_SESSION_MS = 2_000;

  private final WorkerOptions options;
  private final Path properties;
  private final ConnectRest rest;
  private volatile ChildProcess process;

  private ConnectWorkerProcess(WorkerOptions options, int restPort) {
    this.options = options;
    this.properties = options.directory().resolve("worker.properties");
    this.rest = new ConnectRest(URI.create("http://127.0.0.1:" + restPort));
  }

  /**
   * Starts a worker and waits until its REST port answers.
   *
   * @throws StackException with the end of its log, if it does not come up
   */
  public static ConnectWorkerProcess start(WorkerOptions options) {
    int port = FreePorts.find(1).get(0);
    ConnectWorkerProcess worker = new ConnectWorkerProcess(options, port);
    PropertiesFile.write(worker.properties, properties(options, port));
    worker.launch();
    return worker;
  }

  private static Map<String, String> properties(WorkerOptions options, int port) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("bootstrap.servers", options.bootstrapServers());
    all.put("group.id", "tula-local");
    all.put("listeners", "http://127.0.0.1:" + port);
    all.put("plugin.path", options.pluginPath().toString());
    all.put("plugin.discovery", "service_load");
    all.put("key.converter", "org.apache.kafka.connect.json.JsonConverter");
    all.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    all.put("exactly.once.source.support", options.exactlyOnceSource() ? "enabled" : "disabled");
    all.put("offset.flush.interval.ms", Long.toString(options.offsetFlushIntervalMs()));
    for (String topic : List.of("offset", "config", "status")) {
      all.put(topic + ".storage.topic", "tula-local-" + topic);
      all.put(topic + ".storage.replication.factor", "1");
    }
    all.put("offset.storage.partitions", "1");
    all.put("status.storage.partitions", "1");
    all.put("config.providers", "env");
    all.put(
        "config.providers.env.class",
        "org.apache.kafka.common.config.provider.EnvVarConfigProvider");
    all.put("config.providers.env.param.allowlist.pattern", "TULA_LOCAL_.*");
    if (options.shortSessions()) {
      putShortSessions(all);
    }
    return all;
  }

  private static void putShortSessions(Map<String, String> all) {
    for (String prefix : List.of("", "consumer.")) {
      all.put(prefix + "session.timeout.ms", Integer.toString(SHORT_SESSION_MS));
      all.put(prefix + "heartbeat.interval.ms", Integer.toString(SHORT_SESSION_MS / 4));
    }
    all.put("scheduled.rebalance.max.delay.ms", "0");
  }

  private void launch() {
    process =
        ChildProcess.java("the Connect worker")
            .classPath(options.classPath())
            .mainClass("org.apache.kafka.connect.cli.ConnectDistributed")
            .jvmArgs(
                "-Xms" + Math.min(256, options.heapMb()) + "m",
                "-Xmx" + options.heapMb() + "m",
                "-XX:+UseParallelGC")
            .jvmArgs(Logging.jvmArg(options.directory(), "INFO"))
            .args(List.of(properties.toString()))
            .environment(options.environment())
            .log(options.directory().resolve("worker.log"))
            .start();
    try {
      Wait.until(
          "the Connect worker at " + rest.worker(),
          START_LIMIT,
          () -> {
            process.checkAlive();
            return rest.isUp();
          });
    } catch (RuntimeException e) {
      process.close();
      throw e;
    }
  }

  /** The worker's REST API. */
  public ConnectRest rest() {
    return rest;
  }

  /** The process, for its log and its end. */
  public ChildProcess process() {
    return process;
  }

  /**
   * Demands that no thread ever ran out of heap.
   *
   * @throws StackException with what its log says, if one did
   */
  void checkMemorySufficed() {
    try (Stream<String> lines =
        Files.lines(options.directory().resolve("worker.log"), StandardCharsets.ISO_8859_1)) {
      lines
          .filter(line -> line.contains("OutOfMemoryError"))
          .findFirst()
          .ifPresent(
              line -> {
                throw new StackException(
                    "the Connect worker ran out of its "
                        + options.heapMb()
                        + " MiB of heap: "
                        + line);
              });
    } catch (IOException e) {
      throw new StackException("the worker's log can't be read", e);
    }
  }

  /** SIGKILL, as a power cut would. */
  public void kill() {
    process.kill();
  }

  /** Starts the worker again after its end, and waits until its REST port answers. */
  public void startAgain() {
    if (process.isAlive()) {
      throw new IllegalStateException("the worker still runs");
    }
    launch();
  }

  @Override
  public void close() {
    process.close();
  }
}
