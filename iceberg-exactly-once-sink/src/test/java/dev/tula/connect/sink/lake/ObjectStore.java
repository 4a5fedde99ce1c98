package dev.tula.connect.sink.lake;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * An S3 server on loopback, one for all tests of a JVM: a process of its own, since its libraries
 * and the sink's don't go together. It ends when this JVM does.
 */
final class ObjectStore {
  static final String BUCKET = "lake";
  private static final Duration START_LIMIT = Duration.ofSeconds(300);
  private static final int CALL_LIMIT_MS = 10_000;
  private static final int MAX_PORTS = 5;
  private static ObjectStore store;

  private final URI endpoint;

  private ObjectStore(URI endpoint) {
    this.endpoint = endpoint;
  }

  static synchronized ObjectStore running() {
    if (store == null) {
      store = start();
    }
    return store;
  }

  /** What Iceberg's catalogs and FileIO need to know of it. */
  Map<String, String> clientProperties() {
    return Map.of(
        "s3.endpoint", endpoint.toString(),
        "s3.path-style-access", "true",
        "s3.access-key-id", "test",
        "s3.secret-access-key", "test",
        "client.region", "us-east-1");
  }

  /** Whoever is faster may have the port that was free. */
  private static ObjectStore start() {
    for (int ports = 1; ports <= MAX_PORTS; ports++) {
      Optional<ObjectStore> started = tryToStart();
      if (started.isPresent()) {
        return started.get();
      }
    }
    throw new IllegalStateException("no S3 server found a port that stayed free");
  }

  private static Optional<ObjectStore> tryToStart() {
    try {
      Path folder = Files.createTempDirectory("object-store-");
      folder.toFile().deleteOnExit();
      int port = freePort();
      Path log = Files.createTempFile("object-store-", ".log");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  classPath(),
                  "dev.tula.connect.objectstore.ObjectStoreMain",
                  Integer.toString(port),
                  folder.toString(),
                  BUCKET)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      ObjectStore started = new ObjectStore(URI.create("http://127.0.0.1:" + port));
      return started.isUpAtLast(process, log) ? Optional.of(started) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String classPath() throws IOException {
    Path target = root().resolve("testbed/object-store/target");
    Path file = target.resolve("service.classpath");
    if (!Files.exists(file)) {
      throw new IllegalStateException(
          file + " is not there: mvn -pl testbed/object-store package makes it");
    }
    return target.resolve("classes") + File.pathSeparator + Files.readString(file);
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("testbed"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  /** False if somebody else has its port. */
  private boolean isUpAtLast(Process process, Path log) throws IOException {
    long endNanos = System.nanoTime() + START_LIMIT.toNanos();
    while (!isUp()) {
      if (!process.isAlive() && Files.readString(log).contains("already in use")) {
        return false;
      }
      if (!process.isAlive() || System.nanoTime() > endNanos) {
        throw new IllegalStateException("no S3 server came up:\n" + Files.readString(log));
      }
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
    return true;
  }

  private boolean isUp() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              endpoint.resolve("/" + BUCKET + "?list-type=2").toURL().openConnection();
      connection.setConnectTimeout(CALL_LIMIT_MS);
      connection.setReadTimeout(CALL_LIMIT_MS);
      return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (IOException e) {
      return false;
    }
  }
}
