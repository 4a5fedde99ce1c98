package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Catalogs whose clients are not in the zip are noticed before anything starts. */
class CatalogClassSettingTest {
  private static Map<String, ConfigValue> withErrors(String key, String value) {
    Map<String, String> config = TestLedger.sinkConfig();
    config.put(key, value);
    return SinkValidator.validate(config).configValues().stream()
        .filter(validated -> !validated.errorMessages().isEmpty())
        .collect(Collectors.toMap(ConfigValue::name, validated -> validated));
  }

  @ParameterizedTest
  @CsvSource({
    "iceberg.catalog.type, hive, org.apache.iceberg.hive.HiveCatalog",
    "iceberg.catalog.type, HIVE, org.apache.iceberg.hive.HiveCatalog",
    "iceberg.catalog.type, nessie, org.apache.iceberg.nessie.NessieCatalog",
    "iceberg.catalog.catalog-impl, com.example.Catalog, com.example.Catalog"
  })
  void a_class_that_is_not_there_is_an_error_of_the_key_that_asks_for_it(
      String key, String value, String missing) {
    Map<String, ConfigValue> errors = withErrors(key, value);

    assertThat(errors).containsOnlyKeys(key);
    assertThat(errors.get(key).errorMessages())
        .singleElement()
        .asString()
        .contains("class " + missing + " is not there", "the plugin's lib folder");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rest", "jdbc", "glue", "hadoop"})
  void those_of_the_zip_are_there(String type) {
    assertThat(withErrors("iceberg.catalog.type", type)).isEmpty();
  }

  @Test
  void a_class_that_is_there_is_taken() {
    assertThat(withErrors("iceberg.catalog.catalog-impl", "org.apache.iceberg.rest.RESTCatalog"))
        .isEmpty();
  }
}
