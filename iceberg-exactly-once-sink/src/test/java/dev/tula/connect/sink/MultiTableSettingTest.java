package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("C22: several tables at once are for REST catalogs alone, and off by default")
class MultiTableSettingTest {
  private static Map<String, String> config(String catalogKey, String catalog) {
    Map<String, String> config = TestLedger.sinkConfig();
    config.put(catalogKey, catalog);
    return config;
  }

  private static List<String> errors(Map<String, String> config) {
    return SinkValidator.validate(config).configValues().stream()
        .filter(value -> value.name().equals(SinkConfig.MULTI_TABLE))
        .flatMap(value -> value.errorMessages().stream())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc", "glue", "hadoop"})
  void other_catalogs_are_refused_on_the_key_itself(String type) {
    Map<String, String> config = config("iceberg.catalog.type", type);
    assertThat(errors(config)).isEmpty();
    config.put(SinkConfig.MULTI_TABLE, "true");

    assertThat(errors(config))
        .singleElement()
        .asString()
        .contains("REST", "iceberg.catalog.type=rest");
  }

  @Test
  void rest_catalogs_are_accepted_by_type_and_by_class() {
    for (Map<String, String> config :
        List.of(
            config("iceberg.catalog.type", "REST"),
            config("iceberg.catalog.catalog-impl", "org.apache.iceberg.rest.RESTCatalog"))) {
      config.put(SinkConfig.MULTI_TABLE, "true");

      assertThat(errors(config)).isEmpty();
    }
  }

  @Test
  void it_is_off_unless_it_is_asked_for() {
    assertThat(new SinkConfig(config("iceberg.catalog.type", "rest")).multiTable()).isFalse();
  }
}
