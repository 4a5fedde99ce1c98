package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.connect.IcebergSinkConfig;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.ResolvingFileIO;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IcebergCatalogsTest {
  @TempDir Path folder;

  /** Keeps what it was given. */
  public static final class Recorder extends InMemoryCatalog implements Configurable {
    static Map<String, String> properties;
    static Configuration configuration;

    @Override
    public void initialize(String name, Map<String, String> given) {
      properties = given;
      super.initialize(name, Map.of());
    }

    @Override
    public void setConf(Configuration given) {
      configuration = given;
    }

    @Override
    public Configuration getConf() {
      return configuration;
    }
  }

  /** Comes when its caller, whom it interrupts, has long stopped waiting. */
  public static final class Late extends InMemoryCatalog {
    static final FalseFailureCases.HeldThread MAKING = new FalseFailureCases.HeldThread();
    static final CountDownLatch CLOSED = new CountDownLatch(1);
    static volatile Thread caller;

    @Override
    public void initialize(String name, Map<String, String> given) {
      caller.interrupt();
      MAKING.hold();
      super.initialize(name, Map.of());
    }

    @Override
    public void close() throws IOException {
      super.close();
      CLOSED.countDown();
    }
  }

  private static Map<String, String> sinkConfig(Map<String, String> more) {
    Map<String, String> config = new HashMap<>(more);
    config.put("name", "sink");
    config.put("iceberg.tables", "ledger.transactions");
    return config;
  }

  @Test
  void file_warehouse_gets_files_that_are_forced_to_disk() {
    Catalog catalog =
        IcebergCatalogs.build(
            new IcebergSinkConfig(
                sinkConfig(
                    Map.of(
                        "iceberg.catalog", "lake",
                        "iceberg.catalog.type", "jdbc",
                        "iceberg.catalog.uri", "jdbc:sqlite:" + folder.resolve("c.db"),
                        "iceberg.catalog.jdbc.schema-version", "V1",
                        "iceberg.catalog.warehouse", "file://" + folder.resolve("w")))));
    ((SupportsNamespaces) catalog).createNamespace(Namespace.of("ns"));
    Table table =
        catalog.createTable(
            TableIdentifier.of("ns", "t"),
            new Schema(Types.NestedField.required(1, "a", Types.LongType.get())));

    assertThat(catalog.name()).isEqualTo("lake");
    assertThat(table.io()).isInstanceOf(LocalFileIo.class);
  }

  @Test
  void scheme_picks_the_file_io_everywhere_else_unless_one_is_named() {
    Map<String, String> properties = Map.of("catalog-impl", Recorder.class.getName());
    IcebergCatalogs.build("c", properties, Map.of(), Optional.empty());
    assertThat(Recorder.properties).containsEntry("io-impl", ResolvingFileIO.class.getName());

    Map<String, String> s3 = new HashMap<>(properties);
    s3.put("warehouse", "s3://bucket/w");
    IcebergCatalogs.build("c", s3, Map.of(), Optional.empty());
    assertThat(Recorder.properties).containsEntry("io-impl", ResolvingFileIO.class.getName());

    s3.put("io-impl", "org.example.MyIo");
    IcebergCatalogs.build("c", s3, Map.of(), Optional.empty());
    assertThat(Recorder.properties).containsEntry("io-impl", "org.example.MyIo");
  }

  @Test
  void hadoop_settings_come_from_the_folder_and_the_properties_over_it() throws Exception {
    Files.writeString(
        folder.resolve("core-site.xml"),
        "<configuration>"
            + "<property><name>from.file</name><value>a</value></property>"
            + "<property><name>from.both</name><value>a</value></property>"
            + "</configuration>");

    IcebergCatalogs.build(
        "c",
        Map.of("catalog-impl", Recorder.class.getName()),
        Map.of("from.both", "b"),
        Optional.of(folder.toString()));

    assertThat(Recorder.configuration.get("from.file")).isEqualTo("a");
    assertThat(Recorder.configuration.get("from.both")).isEqualTo("b");
  }

  @ParameterizedTest
  @CsvSource({
    "type, hive, org.apache.iceberg.hive.HiveCatalog",
    "type, nessie, org.apache.iceberg.nessie.NessieCatalog",
    "catalog-impl, org.example.OurCatalog, org.example.OurCatalog",
  })
  void catalog_whose_jars_are_not_there_is_named_by_its_class_with_where_they_go(
      String key, String value, String missing) {
    assertThatThrownBy(
            () ->
                IcebergCatalogs.build(
                    "c",
                    Map.of(key, value, "uri", "thrift://127.0.0.1:1"),
                    Map.of(),
                    Optional.empty()))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContaining("class " + missing + " is not there")
        .hasMessageContaining("lib folder")
        .hasMessageContaining("docs/deploy.md");
  }

  @Test
  void catalog_that_comes_after_its_task_was_stopped_is_closed() throws Exception {
    Late.caller = Thread.currentThread();

    assertThatThrownBy(
            () ->
                IcebergCatalogs.build(
                    "c", Map.of("catalog-impl", Late.class.getName()), Map.of(), Optional.empty()))
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("was interrupted");
    assertThat(Thread.interrupted()).isTrue();
    Late.MAKING.release();

    assertThat(Late.CLOSED.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void catalog_that_can_not_be_made_fails_for_good_and_names_the_keys() {
    for (String key : new String[] {"type", "catalog-impl"}) {
      assertThatThrownBy(
              () -> IcebergCatalogs.build("c", Map.of(key, "no"), Map.of(), Optional.empty()))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
          .hasMessageContaining("iceberg.catalog.");
    }
  }
}
