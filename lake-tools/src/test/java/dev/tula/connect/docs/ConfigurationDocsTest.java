package dev.tula.connect.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.config.Setting;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.source.SourceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tables of docs/configure.md are those of the ConfigDefs. After a change of a key, write them
 * anew: {@code mvn -pl lake-tools test -Dtest=ConfigurationDocsTest -Dtula.docs.write=true}.
 */
class ConfigurationDocsTest {
  private static final Path PAGE = Docs.root().resolve("docs/configure.md");

  @ParameterizedTest
  @ValueSource(strings = {"source", "sink"})
  void tables_in_the_documentation_are_those_of_the_configuration(String connector)
      throws IOException {
    String generated =
        tables(connector.equals("source") ? SourceConfig.settings() : SinkConfig.settings());
    Pattern block =
        Pattern.compile(
            "(?s)(<!-- generated: " + connector + " -->\n)(.*?)(<!-- end of generated -->)");
    String page = Docs.read(PAGE);
    Matcher matcher = block.matcher(page);
    assertThat(matcher.find()).as("markers of %s in %s", connector, PAGE).isTrue();
    if (Boolean.getBoolean("tula.docs.write")) {
      Files.writeString(
          PAGE, matcher.replaceFirst("$1" + Matcher.quoteReplacement(generated) + "$3"));
    } else {
      assertThat(matcher.group(2)).isEqualTo(generated);
    }
  }

  private static String tables(Collection<Setting> settings) {
    Map<String, List<Setting>> groups =
        settings.stream()
            .collect(
                Collectors.groupingBy(Setting::group, LinkedHashMap::new, Collectors.toList()));
    StringBuilder out = new StringBuilder();
    groups.forEach(
        (group, members) -> {
          out.append("\n**").append(group).append("**\n\n");
          out.append("| key | type | default | values | importance | a change | |\n");
          out.append("| --- | --- | --- | --- | --- | --- | --- |\n");
          members.forEach(setting -> out.append(row(setting)).append('\n'));
        });
    return out.append('\n').toString();
  }

  private static String row(Setting setting) {
    return "| "
        + String.join(
            " | ",
            code(setting.name()),
            lower(setting.type()),
            defaultOf(setting),
            setting.validator() == null ? "" : escaped(setting.validator().toString()),
            lower(setting.importance()),
            change(setting.change()),
            escaped(setting.doc()))
        + " |";
  }

  private static String defaultOf(Setting setting) {
    Object value = setting.defaultValue();
    if (value == ConfigDef.NO_DEFAULT_VALUE) {
      return "*required*";
    }
    if (value == null || value.equals(List.of())) {
      return "";
    }
    if (value instanceof Class<?> type) {
      return code(type.getName());
    }
    return value instanceof List<?> list
        ? code(list.stream().map(String::valueOf).collect(Collectors.joining(",")))
        : code(value.toString());
  }

  private static String change(Setting.Change change) {
    return switch (change) {
      case LIVE -> "is live";
      case RESTART -> "restarts the tasks";
      case GENERATION -> "[opens another generation](recover.md#open-a-new-generation)";
      case IDENTITY -> "is refused (88)";
    };
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static String code(String text) {
    return "`" + escaped(text) + "`";
  }

  private static String escaped(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;");
  }
}
