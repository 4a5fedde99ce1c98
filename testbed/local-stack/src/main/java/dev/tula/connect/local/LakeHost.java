package dev.tula.connect.local;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The lake of one run, with the processes that serve it: a catalog on loopback, and a warehouse on
 * disk or in an S3 server. Each service has a class path of its own, which the build resolves only
 * where it is asked for. For one thread.
 */
public final class LakeHost implements AutoCloseable {
  /** The bucket of the S3 server. */
  static final String BUCKET = "lake";

  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final String POSTGRES = "postgres"; // user, password and database alike
  private static final String S3_KEY = "local"; // the S3 server takes any

  private final Path root;
  private final Path directory;
  private final List<ChildProcess> processes = new CopyOnWriteArrayList<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private LakeCatalog catalog;
  private LakeFiles files = LakeFiles.onDisk();

  private LakeHost(Path root, Path directory) {
    this.root = root;
    this.directory = directory.toAbsolutePath();
  }

  /**
   * Starts what a lake needs and waits until it answers.
   *
   * @param root the project's root directory, where the build left the services' class paths
   * @param directory where everything lies
   * @throws StackException naming what does not come up
   */
  public static LakeHost start(LakeKind kind, Path root, Path directory) {
    LakeHost host = new LakeHost(root, directory);
    try {
      host.start(kind);
      return host;
    } catch (RuntimeException e) {
      host.close();
      throw e;
    }
  }

  private void start(LakeKind kind) {
    String warehouse = onDisk("warehouse").toUri().toString();
    switch (kind) {
      case SQLITE -> catalog = SqlLakeCatalog.sqlite(sqliteUri(directory.resolve("catalog.db")));
      case POSTGRES -> catalog = postgres();
      case REST -> catalog = rest(Map.of("warehouse", warehouse));
      case REST_S3 -> {
        warehouse = "s3://" + BUCKET + "/warehouse";
        catalog = rest(s3(warehouse));
      }
      default -> throw new IllegalArgumentException(kind.toString());
    }
    environment.put("TULA_LOCAL_CATALOG_URI", catalog.uri());
    environment.put("TULA_LOCAL_WAREHOUSE", warehouse);
  }

  /** The JDBC address of a catalog in an SQLite file. */
  static String sqliteUri(Path file) {
    return "jdbc:sqlite:" + file + "?busy_timeout=20000";
  }

  private LakeCatalog postgres() {
    int port = FreePorts.find(1).get(0);
    ChildProcess process =
        service(
            "the PostgreSQL server",
            "catalog-postgres",
            "dev.tula.connect.postgres.PostgresMain",
            256, // to unpack the server
            List.of(Integer.toString(port), onDisk("postgres").toString()));
    SqlLakeCatalog postgres =
        SqlLakeCatalog.postgres(
            "jdbc:postgresql://127.0.0.1:" + port + "/" + POSTGRES, POSTGRES, POSTGRES);
    awaitAnswer(
        process,
        () -> {
          try (Connection connection = postgres.connect()) {
            return connection.isValid(1);
          }
        });
    return postgres;
  }

  private LakeCatalog rest(Map<String, String> backend) {
    int port = FreePorts.find(1).get(0);
    Map<String, String> properties = new LinkedHashMap<>(backend);
    properties.put("uri", sqliteUri(directory.resolve("catalog.db")));
    properties.put("clients", "1");
    properties.put("jdbc.schema-version", "V1");
    properties.putIfAbsent("io-impl", LocalFileIo.class.getName());
    Path file = onDisk("rest").resolve("backend.properties");
    PropertiesFile.write(file, properties);
    ChildProcess process =
        service(
            "the REST catalog",
            "catalog-rest",
            "dev.tula.connect.restcatalog.RestCatalogMain",
            512,
            List.of(Integer.toString(port), file.toString()));
    RestLakeCatalog rest = new RestLakeCatalog("http://127.0.0.1:" + port);
    awaitAnswer(process, rest::isUp);
    return rest;
  }

  private Map<String, String> s3(String warehouse) {
    int port = FreePorts.find(1).get(0);
    URI endpoint = URI.create("http://127.0.0.1:" + port);
    ChildProcess process =
        service(
            "the S3 server",
            "object-store",
            "dev.tula.connect.objectstore.ObjectStoreMain",
            512,
            List.of(Integer.toString(port), onDisk("objects").toString(), BUCKET));
    awaitAnswer(process, () -> answers(endpoint));
    files = new S3LakeFiles(endpoint, onDisk("copies"));
    environment.put("TULA_LOCAL_S3_ENDPOINT", endpoint.toString());
    return Map.of(
        "warehouse",
        warehouse,
        "io-impl",
        "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint",
        endpoint.toString(),
        "s3.path-style-access",
        "true",
        "s3.access-key-id",
        S3_KEY,
        "s3.secret-access-key",
        S3_KEY,
        "client.region",
        "us-east-1");
  }

  private static boolean answers(URI endpoint) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            endpoint.resolve("/" + BUCKET + "?list-type=2").toURL().openConnection();
    connection.setConnectTimeout(1_000);
    connection.setReadTimeout(10_000);
    return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
  }

  private ChildProcess service(
      String name, String module, String mainClass, int heapMb, List<String> args) {
    Path log = directory.resolve(module).resolve(module + ".log");
    ChildProcess process =
        ChildProcess.java(name)
            .classPath(
                RunFiles.moduleClassPath(
                    root.resolve("testbed").resolve(module),
                    "service.classpath",
                    RunFiles.RUN_LOCAL_BUILD))
            .mainClass(mainClass)
            .jvmArgs("-Xmx" + heapMb + "m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
            .jvmArgs(Logging.jvmArg(log.getParent(), "WARN"))
            .args(args)
            .log(log)
            .start();
    processes.add(process);
    return process;
  }

  private static void awaitAnswer(ChildProcess process, Callable<Boolean> answers) {
    Wait.until(
        process.name(),
        START_LIMIT,
        () -> {
          process.checkAlive();
          try {
            return answers.call();
          } catch (StackException e) {
            throw new IOException(e.getMessage(), e);
          }
        });
  }

  private Path onDisk(String name) {
    return RunFiles.directory(directory, name);
  }

  /** The lake. */
  public LocalLake lake(String namespace) {
    return new LocalLake(catalog, files, namespace);
  }

  /** What {@code ${env:…}} in the sink's configuration stands for, as far as the lake says it. */
  public Map<String, String> environment() {
    return environment;
  }

  /** The processes that serve it. */
  public List<ChildProcess> processes() {
    return processes;
  }

  /** SIGKILL to one of the processes, by its place in {@link #processes}. */
  public void kill(int process) {
    processes.get(process).kill();
  }

  /** Starts a process again after its end, over the same data; it answers a little later. */
  public void startAgain(int process) {
    processes.set(process, processes.get(process).again());
  }

  @Override
  public void close() {
    for (int i = processes.size() - 1; i >= 0; i--) {
      processes.get(i).close();
    }
  }
}
