package dev.tula.connect.local;

import java.nio.file.Path;
import java.util.Map;

/**
 * How a worker is to run.
 *
 * @param directory where its properties and log go
 * @param classPath Kafka's own jars, and no other
 * @param pluginPath the directory of unpacked plugins
 * @param bootstrapServers the broker
 * @param exactlyOnceSource whether source connectors write in transactions with their offsets
 * @param shortSessions whether a worker that vanishes is to be missed within two seconds, for runs
 *     that kill it on purpose
 * @param offsetFlushIntervalMs how often source offsets are written where they are not part of the
 *     transactions
 * @param heapMb the heap's limit in MiB
 * @param environment what {@code ${env:…}} in connector configurations may name; each name begins
 *     with {@code TULA_LOCAL_}
 */
public record WorkerOptions(
    Path directory,
    String classPath,
    Path pluginPath,
    String bootstrapServers,
    boolean exactlyOnceSource,
    boolean shortSessions,
    long offsetFlushIntervalMs,
    int heapMb,
    Map<String, String> environment) {
  /** What a worker uses where nothing else is said: Connect's own flush interval, 2 GiB. */
  public static WorkerOptions of(
      Path directory,
      String classPath,
      Path pluginPath,
      String bootstrapServers,
      Map<String, String> environment) {
    return new WorkerOptions(
        directory, classPath, pluginPath, bootstrapServers, true, false, 10_000, 2048, environment);
  }

  /** Copies the environment. */
  public WorkerOptions {
    environment = Map.copyOf(environment);
  }

  /** The same, with short sessions. */
  public WorkerOptions withShortSessions() {
    return new WorkerOptions(
        directory,
        classPath,
        pluginPath,
        bootstrapServers,
        exactlyOnceSource,
        true,
        offsetFlushIntervalMs,
        heapMb,
        environment);
  }

  /**
   * The same, at least once: source offsets are written apart from the records, every so many
   * milliseconds.
   */
  public WorkerOptions withoutExactlyOnceSource(long flushIntervalMs) {
    return new WorkerOptions(
        directory,
        classPath,
        pluginPath,
        bootstrapServers,
        false,
        shortSessions,
        flushIntervalMs,
        heapMb,
        environment);
  }
}
