package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.config.Setting;
import dev.tula.connect.queryport.QueryPortConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceValidatorTest {
  private final List<SourceConfig> online = new ArrayList<>();
  private final SourceValidator validator =
      new SourceValidator(
          (config, errors) -> {
            online.add(config);
            errors.add(QueryPortConfig.HOSTS, "said by the network");
          });

  @Test
  void a_sound_configuration_is_checked_online() {
    assertThat(errors(Configs.minimal()))
        .isEqualTo(Map.of(QueryPortConfig.HOSTS, List.of("said by the network")));
    assertThat(online).hasSize(1);
  }

  @Test
  void every_error_comes_at_once_on_its_field_and_the_network_is_left_alone() {
    Map<String, String> properties = Configs.minimal();
    properties.remove(SourceConfig.PIPELINE);
    properties.put(QueryPortConfig.HOSTS, "a:1,a:1");
    properties.put(SourceConfig.PARTITION_COUNT, "0");
    properties.put(SourceConfig.START_POSITION, "5:3");
    properties.put(SourceConfig.FULL_TXN_RECORD, "true");
    properties.put("errors.tolerance", "all");
    properties.put("tula.pipelin", "p");
    Map<String, List<String>> errors = errors(properties);
    assertThat(errors.keySet())
        .containsExactlyInAnyOrder(
            SourceConfig.PIPELINE,
            QueryPortConfig.HOSTS,
            SourceConfig.PARTITION_COUNT,
            SourceConfig.START_POSITION,
            SourceConfig.FULL_TXN_RECORD,
            "errors.tolerance",
            "tula.pipelin");
    assertThat(errors.get("tula.pipelin").get(0)).contains("did you mean tula.pipeline?");
    assertThat(errors.get("errors.tolerance").get(0)).contains("never skipped");
    assertThat(errors.get(SourceConfig.START_POSITION).get(0)).contains("5:2147483647");
    assertThat(online).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "tula.record.format, page, not available in this version",
    "tula.bootstrap, some, must be none or initial",
    "tula.hosts, ' ', At least one",
    "tula.hosts, a:b, valid port",
    "tula.cluster.id, 'a b', no space",
    "tula.pipeline, 'a/b', letters",
    "tula.generation, 0, 1 to",
    "tula.generation, x, Not a number",
    "tula.start.position, 12, such as 42:2147483647",
    "tula.topic, a b, topic name",
    "tula.page.max.bytes, 16777216, fit into a frame",
    "tula.query.port.class, no.such.Class, could not be found",
    "tula.checkpoints.topic, data, another topic",
    "tula.fetch.wait.ms, 60001, 0 to 60000",
  })
  void a_bad_value_is_refused_on_its_field(String key, String value, String words) {
    Map<String, String> properties = Configs.minimal();
    properties.put(key, value);
    Map<String, List<String>> errors = errors(properties);
    assertThat(errors).containsOnlyKeys(key);
    assertThat(errors.get(key).get(0)).contains(words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "topic.creation.default.partitions          | 3            | exactly tula.partition.count=1",
        "topic.creation.mine.partitions             | 3            | exactly tula.partition.count=1",
        "topic.creation.default.cleanup.policy      | compact      | use delete",
        "topic.creation.default.cleanup.policy      | compact,delete | use delete",
        "topic.creation.default.retention.ms        | 1000         | tula.topic.retention.ms",
        "topic.creation.default.max.message.bytes   | 1000         | 262144",
        "producer.override.max.request.size         | 1000         | 262144"
      })
  void connect_s_own_settings_of_a_topic_may_not_contradict_what_the_source_creates(
      String key, String value, String words) {
    Map<String, String> properties = Configs.minimal();
    properties.put(key, value);
    List<ConfigValue> faulty =
        new SourceValidator((config, errors) -> {})
            .validate(properties).configValues().stream()
                .filter(each -> !each.errorMessages().isEmpty())
                .toList();
    assertThat(faulty).extracting(ConfigValue::name).containsExactly(key);
    assertThat(faulty.get(0).errorMessages().get(0)).contains(words);
  }

  @Test
  void settings_of_a_topic_that_fit_pass() {
    Map<String, String> properties = Configs.minimal();
    properties.put("topic.creation.default.partitions", "1");
    properties.put("topic.creation.mine.partitions", "-1");
    properties.put("topic.creation.default.replication.factor", "3");
    properties.put("topic.creation.default.cleanup.policy", "delete");
    properties.put("topic.creation.default.retention.ms", "-1");
    properties.put("producer.override.max.request.size", "1048576");
    assertThat(new SourceValidator((config, errors) -> {}).validate(properties).configValues())
        .allMatch(value -> value.errorMessages().isEmpty());
  }

  @Test
  void settings_of_the_kafka_client_are_not_ours_to_judge() {
    Map<String, String> properties = Configs.minimal();
    properties.put("tula.kafka.sasl.mechanism", "PLAIN");
    assertThat(errors(properties)).containsOnlyKeys(QueryPortConfig.HOSTS);
    assertThat(new SourceConfig(properties).kafkaClient())
        .containsEntry("sasl.mechanism", "PLAIN")
        .containsEntry("bootstrap.servers", "broker:9092");
  }

  @Test
  void what_the_connector_tells_its_tasks_is_no_operator_s_key() {
    Map<String, String> properties = Configs.minimal();
    properties.put(SourceConfig.TASK_PARTITIONS, "0");
    assertThat(errors(properties)).containsOnlyKeys(SourceConfig.TASK_PARTITIONS);
  }

  @Test
  void every_key_is_documented_in_one_sentence_with_what_a_change_means() {
    ConfigDef def = SourceConfig.configDef();
    for (Setting setting : SourceConfig.settings()) {
      ConfigDef.ConfigKey key = def.configKeys().get(setting.name());
      assertThat(setting.doc()).as(setting.name()).endsWith(".").doesNotContain("\n");
      assertThat(Pattern.compile("\\. [A-Z]").matcher(setting.doc()).find())
          .as("%s has more than one sentence", setting.name())
          .isFalse();
      assertThat(key.documentation).contains(setting.change().sentence());
      assertThat(key.group).isNotBlank();
      assertThat(key.displayName).isNotBlank();
      assertThat(key.importance).isNotNull();
      boolean free = key.type == ConfigDef.Type.BOOLEAN || key.type == ConfigDef.Type.CLASS;
      assertThat(key.validator != null || free || setting.group().equals("TLS"))
          .as("%s says which values it takes", setting.name())
          .isTrue();
    }
  }

  @Test
  void secrets_are_hidden() {
    assertThat(SourceConfig.configDef().configKeys().get("tula.ssl.keystore.password").type)
        .isEqualTo(ConfigDef.Type.PASSWORD);
  }

  @Test
  void identity_keys_are_marked() {
    assertThat(
            SourceConfig.settings().stream()
                .filter(setting -> setting.change() == Setting.Change.IDENTITY)
                .map(Setting::name))
        .containsExactlyInAnyOrder(
            QueryPortConfig.CLUSTER_ID,
            SourceConfig.PIPELINE,
            SourceConfig.PARTITION_COUNT,
            SourceConfig.INCLUDE_METADATA,
            SourceConfig.FULL_TXN_RECORD);
    assertThat(SourceConfig.settings())
        .filteredOn(setting -> setting.change() == Setting.Change.GENERATION)
        .extracting(Setting::name)
        .containsExactly(SourceConfig.GENERATION);
  }

  private Map<String, List<String>> errors(Map<String, String> properties) {
    return validator.validate(new HashMap<>(properties)).configValues().stream()
        .filter(value -> !value.errorMessages().isEmpty())
        .collect(Collectors.toMap(ConfigValue::name, ConfigValue::errorMessages));
  }
}
