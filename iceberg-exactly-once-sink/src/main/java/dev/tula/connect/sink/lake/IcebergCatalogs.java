package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.LakeException;
import java.io.Closeable;
import java.io.IOException;
import java.net.MalformedURLException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.connect.IcebergSinkConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the catalog that a configuration names, from the keys that the stock sink takes. */
public final class IcebergCatalogs {
  private static final Logger LOG = LoggerFactory.getLogger(IcebergCatalogs.class);

  private static final List<String> HADOOP_FILES =
      List.of("core-site.xml", "hdfs-site.xml", "hive-site.xml");

  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** Catalogs that Iceberg knows by their type and whose jars the plugin's zip leaves out. */
  private static final Map<String, String> ADDED_BY_USERS =
      Map.of(
          CatalogUtil.ICEBERG_CATALOG_TYPE_HIVE, CatalogUtil.ICEBERG_CATALOG_HIVE,
          CatalogUtil.ICEBERG_CATALOG_TYPE_NESSIE, CatalogUtil.ICEBERG_CATALOG_NESSIE,
          CatalogUtil.ICEBERG_CATALOG_TYPE_BIGQUERY, CatalogUtil.ICEBERG_CATALOG_BIGQUERY);

  private IcebergCatalogs() {}

  /** The catalog of a sink's configuration. */
  public static Catalog build(IcebergSinkConfig config) {
    return build(
        config.catalogName(),
        config.catalogProps(),
        config.hadoopProps(),
        Optional.ofNullable(config.hadoopConfDir()));
  }

  /**
   * A catalog, the caller's to {@link #close}. Takes a minute at most; one that comes later, or
   * whose caller was interrupted, is closed when it comes.
   *
   * @param name the catalog's name; a JDBC catalog keeps its tables under it
   * @param catalogProps what {@code iceberg.catalog.*} says; without {@code io-impl} the scheme of
   *     each location picks the FileIO
   * @param hadoopProps what {@code iceberg.hadoop.*} says
   * @param hadoopConfDir a folder with Hadoop's configuration files
   * @throws LakeException if the properties name no catalog, its jars are not there, or it can't be
   *     reached
   */
  public static Catalog build(
      String name,
      Map<String, String> catalogProps,
      Map<String, String> hadoopProps,
      Optional<String> hadoopConfDir) {
    Map<String, String> properties = new HashMap<>(catalogProps);
    properties.putIfAbsent(CatalogProperties.FILE_IO_IMPL, fileIo(catalogProps));
    String what = "making the catalog from iceberg.catalog.*";
    Optional<String> missing = missingClass(properties);
    if (missing.isPresent()) {
      throw LakeException.lasting(what + ": " + advice(missing.get()), null);
    }
    try (TimedCalls calls = new TimedCalls("tula-catalog")) {
      return calls.call(
          what,
          LIMIT,
          () ->
              CatalogUtil.buildIcebergCatalog(
                  name, properties, hadoopConfiguration(hadoopProps, hadoopConfDir)),
          IcebergCatalogs::close);
    } catch (TimedCalls.AbandonedException e) {
      throw LakeException.passing(e.getMessage(), e);
    } catch (NoClassDefFoundError e) {
      String missed = String.valueOf(e.getMessage()).replace('/', '.');
      throw LakeException.lasting(what + ": " + advice(missed), e);
    } catch (RuntimeException e) {
      throw LakeErrors.translate(what, e);
    }
  }

  /** Closes a catalog that has anything to close. Never throws; what fails is logged. */
  public static void close(Catalog catalog) {
    if (catalog instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException | RuntimeException e) {
        LOG.warn("The catalog could not be closed", e);
      }
    }
  }

  /**
   * The catalog's class, if it is not there: Iceberg itself says of one that it can't find a
   * constructor. Classes that it needs in its turn may be missing all the same.
   *
   * @param catalogProps what {@code iceberg.catalog.*} says
   */
  public static Optional<String> missingClass(Map<String, String> catalogProps) {
    String type = catalogProps.getOrDefault(CatalogUtil.ICEBERG_CATALOG_TYPE, "");
    String name =
        catalogProps.getOrDefault(
            CatalogProperties.CATALOG_IMPL,
            ADDED_BY_USERS.getOrDefault(type.toLowerCase(Locale.ROOT), ""));
    if (name.isEmpty()) {
      return Optional.empty();
    }
    try {
      Class.forName(name, false, IcebergCatalogs.class.getClassLoader());
      return Optional.empty();
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      return Optional.of(name);
    }
  }

  /** What to do about a class that is not there. */
  public static String advice(String missingClass) {
    return "class "
        + missingClass
        + " is not there; put its jar and those it needs into the plugin's lib folder, as "
        + "docs/deploy.md, \"Catalogs and storage\", says, and restart the worker";
  }

  private static String fileIo(Map<String, String> catalogProps) {
    String warehouse = catalogProps.get(CatalogProperties.WAREHOUSE_LOCATION);
    return warehouse != null && LocalFileIo.handles(warehouse)
        ? LocalFileIo.class.getName()
        : "org.apache.iceberg.io.ResolvingFileIO";
  }

  private static Configuration hadoopConfiguration(
      Map<String, String> properties, Optional<String> folder) {
    Configuration configuration = new Configuration();
    folder.ifPresent(path -> addFiles(configuration, Path.of(path)));
    properties.forEach(configuration::set);
    return configuration;
  }

  private static void addFiles(Configuration configuration, Path folder) {
    for (String name : HADOOP_FILES) {
      Path file = folder.resolve(name);
      if (Files.exists(file)) {
        try {
          configuration.addResource(file.toUri().toURL());
        } catch (MalformedURLException e) {
          throw new IllegalArgumentException("can't read " + file, e);
        }
      }
    }
  }
}
