package dev.tula.connect.model.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConfigReportTest {
  private static final ConfigDef DEF =
      Setting.configDef(
          List.of(
              PipelineSettings.generation(),
              PipelineSettings.partitionCount(),
              PipelineSettings.fullTxnRecord()));

  private final FieldErrors errors = new FieldErrors();

  private static Map<String, ConfigValue> values(Config config) {
    return config.configValues().stream()
        .collect(Collectors.toMap(ConfigValue::name, value -> value));
  }

  @Test
  void each_error_is_on_the_key_that_it_belongs_to() {
    ConfigReport report =
        new ConfigReport(DEF, Map.of("tula.generation", "0", "tula.partition.count", "8"));
    errors.add("tula.full.txn.record", "first");
    errors.add("tula.full.txn.record", "second");

    assertThat(report.isSound()).isFalse();
    assertThat(report.sound("tula.generation")).isNull();
    assertThat(report.sound("tula.partition.count")).isEqualTo(8);
    Map<String, ConfigValue> values = values(report.with(errors));
    assertThat(values.get("tula.generation").errorMessages()).hasSize(1);
    assertThat(values.get("tula.partition.count").errorMessages()).isEmpty();
    assertThat(values.get("tula.full.txn.record").errorMessages())
        .containsExactly("first", "second");
  }

  @Test
  void a_secret_under_a_name_with_a_typing_error_is_not_shown() {
    Map<String, String> properties =
        Map.of("tula.fencing.pasword", "s3cret", "iceberg.control.key", "s3cret", "topics", "a,b");
    ConfigReport report = new ConfigReport(DEF, properties);
    properties.keySet().forEach(key -> errors.add(key, "no"));

    assertThat(report.isSound()).isTrue();
    Map<String, ConfigValue> values = values(report.with(errors));
    assertThat(values.get("tula.fencing.pasword").errorMessages()).containsExactly("no");
    assertThat(values.get("topics").value()).isEqualTo("a,b");
    assertThat(values.values().toString()).doesNotContain("s3cret");
  }

  @Test
  @DisplayName("I7: a typing error is named, with what was meant")
  void an_unknown_key_is_refused_with_the_nearest_name() {
    ConfigReport.refuseUnknown("tula.generatoin", DEF.names(), errors);
    ConfigReport.refuseUnknown("nothing.like.it", DEF.names(), errors);

    assertThat(errors.byField())
        .containsEntry(
            "tula.generatoin",
            List.of("Unknown key tula.generatoin; did you mean tula.generation?"))
        .containsEntry("nothing.like.it", List.of("Unknown key nothing.like.it."));
  }

  @Test
  @DisplayName("I7: a connector that may skip records is refused")
  void records_that_fail_may_not_be_skipped() {
    ConfigReport.checkTolerance(Map.of("errors.tolerance", "none"), errors);
    assertThat(errors.isEmpty()).isTrue();

    ConfigReport.checkTolerance(Map.of("errors.tolerance", "ALL"), errors);
    assertThat(errors.byField()).containsOnlyKeys("errors.tolerance");
  }
}
