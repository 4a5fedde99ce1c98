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

/**
 * An S3 server on loopback, one for all tests of a JVM: a process of its own, since its libraries
 * and the sink's don't go together. It ends when this JVM does.
 */
final class ObjectStore {
  static final String BUCKET = "lake";
  private static final Duration START_LIMIT = Duration.ofSeconds(120);
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

  private static ObjectStore start() {
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
      started.await(process, log);
      return started;
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

  private void await(Process process, Path log) throws IOException {
    long endNanos = System.nanoTime() + START_LIMIT.toNanos();
    while (!isUp()) {
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
  }

  private boolean isUp() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              endpoint.resolve("/" + BUCKET + "?list-type=2").toURL().openConnection();
      return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (IOException e) {
      return false;
    }
  }
}
