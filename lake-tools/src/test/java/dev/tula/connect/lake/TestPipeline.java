package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.events.EventTopicNames;
import dev.tula.connect.sink.events.KafkaEventLog;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import dev.tula.connect.sink.lake.SqliteCatalog;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * A pipeline as an operator would have it: the sink's configuration in a file, a lake over SQLite
 * and local files, event topics on a broker; and the sink's own engine to write to it.
 */
final class TestPipeline implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final Duration LIMIT = Duration.ofSeconds(120);

  final Path folder;
  final String name;
  final Map<String, String> properties;
  final SinkConfig config;
  final Catalog catalog;
  private final List<AutoCloseable> opened = new ArrayList<>();

  private TestPipeline(
      Path folder, int partitions, Map<String, String> catalog, Map<String, String> overrides) {
    this.folder = folder;
    this.name = "ledger" + COUNT.incrementAndGet();
    this.properties = properties(name, partitions);
    catalog.forEach((key, value) -> properties.put("iceberg.catalog." + key, value));
    properties.putAll(overrides);
    this.config = new SinkConfig(properties);
    TestBroker.createCompacted(config.commitsTopic(), partitions);
    TestBroker.createCompacted(config.checkpointsTopic(), partitions);
    this.catalog = IcebergCatalogs.build(config.stock());
    opened.add(((Closeable) this.catalog)::close);
  }

  /** A pipeline of one partition, one transactions table, and change logs. */
  static TestPipeline in(Path folder) {
    return new TestPipeline(folder, 1, SqliteCatalog.properties(folder), Map.of());
  }

  static TestPipeline in(Path folder, int partitions, Map<String, String> overrides) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new TestPipeline(folder, partitions, SqliteCatalog.properties(folder), overrides);
  }

  /** On another catalog, by its properties. */
  static TestPipeline on(Map<String, String> catalog, Path folder, int partitions) {
    return new TestPipeline(folder, partitions, catalog, Map.of());
  }

  private static Map<String, String> properties(String name, int partitions) {
    Map<String, String> all = new HashMap<>();
    all.put("name", "sink");
    all.put("connector.class", IcebergExactlyOnceSinkConnector.class.getName());
    all.put("topics", name + ".data");
    all.put("iceberg.namespace", "ledger");
    all.put("iceberg.kafka.bootstrap.servers", TestBroker.bootstrapServers());
    all.put("tula.cluster.id", "cluster-1");
    all.put("tula.pipeline", name);
    all.put("tula.partition.count", Integer.toString(partitions));
    all.put("tula.layout", "shared");
    all.put("tula.include.metadata", "true");
    return all;
  }

  PipelineIdentity identity() {
    return config.identity();
  }

  /** The configuration's file, as it was PUT to Connect. */
  String configFile() {
    return configFile(Map.of());
  }

  String configFile(Map<String, String> overrides) {
    Map<String, String> all = new TreeMap<>(properties);
    all.putAll(overrides);
    Path file = folder.resolve("sink-" + COUNT.incrementAndGet() + ".json");
    try {
      Files.write(file, new ObjectMapper().writeValueAsBytes(all));
      return file.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The source connector's configuration in a file, for the ledger of {@link TestEngine}. */
  String sourceFile(Map<String, String> overrides) {
    Map<String, String> all = new TreeMap<>();
    all.put("connector.class", "dev.tula.connect.source.TulaSourceConnector");
    all.put("tula.hosts", "localhost:7800");
    all.put("tula.query.port.class", TestEngine.class.getName());
    all.put("tula.cluster.id", "cluster-1");
    all.put("tula.pipeline", name);
    all.put("tula.partition.count", Integer.toString(identity().partitionCount()));
    all.put("tula.topic", name + ".data");
    all.put("tula.kafka.bootstrap.servers", TestBroker.bootstrapServers());
    all.put("tula.include.metadata", "true");
    all.put("tula.page.max.records", "5");
    all.putAll(overrides);
    Path file = folder.resolve("source-" + COUNT.incrementAndGet() + ".json");
    try {
      Files.write(file, new ObjectMapper().writeValueAsBytes(all));
      return file.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  CliRun run(String command, String... more) {
    List<String> args = new ArrayList<>(List.of(command, "--config", configFile()));
    Collections.addAll(args, more);
    return CliRun.of(args.toArray(String[]::new));
  }

  /** Runs a command that makes its commits through an {@link InterferingCatalog}. */
  CliRun runWith(InterferingCatalog.Interference interference, String command, String... more) {
    String type = properties.remove("iceberg.catalog.type");
    String file =
        configFile(Map.of("iceberg.catalog.catalog-impl", InterferingCatalog.class.getName()));
    properties.put("iceberg.catalog.type", type);
    List<String> args = new ArrayList<>(List.of(command, "--config", file));
    Collections.addAll(args, more);
    InterferingCatalog.with(interference);
    try {
      return CliRun.of(args.toArray(String[]::new));
    } finally {
      InterferingCatalog.with((table, commit) -> commit.run());
    }
  }

  /** Every file of the lake. */
  List<Path> files() {
    try (Stream<Path> paths = Files.walk(folder.resolve("warehouse"))) {
      return paths.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets every file of the lake be as old as that. */
  void age(Duration age) {
    files().forEach(file -> age(file, age));
  }

  static void age(Path file, Duration age) {
    try {
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  IcebergLake newLake(int partition) {
    IcebergLake lake =
        new IcebergLake(
            catalog,
            Namespace.of(config.namespace()),
            identity(),
            partition,
            LakeOptions.of(Map.of(), Map.of()));
    opened.add(lake);
    return lake;
  }

  EventIdentity eventIdentity(int partition) {
    return EventIdentity.of(identity().stream(partition));
  }

  KafkaEventLog newLog(int partition) {
    KafkaEventLog log =
        new KafkaEventLog(
            config.stock().kafkaProps(),
            new EventTopicNames(config.commitsTopic(), config.checkpointsTopic()),
            eventIdentity(partition),
            LIMIT,
            LIMIT);
    opened.add(log);
    return log;
  }

  /** Publishes events as they are. */
  void publish(LakeEvent... events) {
    newLog(events[0].identity().partition()).publish(List.of(events));
  }

  /** A writer that has opened the partition and waits for the next range. */
  TestWriter open(int partition) {
    TestWriter writer = new TestWriter(this, partition);
    writer.run();
    return writer;
  }

  /** The table by Iceberg's own API: what another engine would work on. */
  Table table(String physicalName) {
    return catalog.loadTable(identifier(physicalName));
  }

  TableIdentifier identifier(String physicalName) {
    return TableIdentifier.of(config.namespace(), physicalName);
  }

  /** Every table's metadata file, to be {@link #restore restored} later. */
  Map<String, String> backup(List<String> tables) {
    Map<String, String> locations = new TreeMap<>();
    for (String table : tables) {
      locations.put(
          table, ((HasTableOperations) table(table)).operations().current().metadataFileLocation());
    }
    return locations;
  }

  /** Sets tables back to older metadata files, as a restored catalog would. */
  void restore(Map<String, String> locations) {
    locations.forEach(
        (table, location) -> {
          catalog.dropTable(identifier(table), false);
          catalog.registerTable(identifier(table), location);
        });
  }

  /** The names of all tables, those of the watermarks among them. */
  List<String> allTables() {
    return catalog.listTables(Namespace.of(config.namespace())).stream()
        .map(TableIdentifier::name)
        .filter(table -> !table.startsWith("tula_pipeline"))
        .toList();
  }

  @Override
  public void close() {
    for (int i = opened.size() - 1; i >= 0; i--) {
      try {
        opened.get(i).close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
