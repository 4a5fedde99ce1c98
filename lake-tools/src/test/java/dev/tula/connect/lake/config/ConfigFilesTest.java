package dev.tula.connect.lake.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.lake.output.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFilesTest {
  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @Test
  void a_bare_map_is_the_configuration() throws Exception {
    Path file = file("a.json", " {\"name\": \"sink\", \"tula.generation\": 2, \"x\": true}");

    assertThat(ConfigFiles.connector(file))
        .isEqualTo(Map.of("name", "sink", "tula.generation", "2", "x", "true"));
  }

  @Test
  void a_document_with_name_and_config_is_read_as_connect_takes_it() throws Exception {
    Path file =
        file("a.json", "{\"name\": \"sink\", \"config\": {\"topics\": \"t\"}, \"tasks\": []}");

    assertThat(ConfigFiles.connector(file)).isEqualTo(Map.of("name", "sink", "topics", "t"));
  }

  @Test
  void the_name_in_the_configuration_wins() throws Exception {
    Path file = file("a.json", "{\"name\": \"outer\", \"config\": {\"name\": \"inner\"}}");

    assertThat(ConfigFiles.connector(file)).isEqualTo(Map.of("name", "inner"));
  }

  @Test
  void everything_else_is_properties() throws Exception {
    Path file = file("a.properties", "name=sink\n# a comment\ntopics: t\n");

    assertThat(ConfigFiles.connector(file)).isEqualTo(Map.of("name", "sink", "topics", "t"));
    assertThat(ConfigFiles.worker(file)).isEqualTo(Map.of("name", "sink", "topics", "t"));
  }

  @Test
  void what_is_no_configuration_is_refused_with_the_reason() throws Exception {
    assertRefused(file("a.json", "{\"a\": {\"b\": 1}}"), "a must be a string");
    assertRefused(file("b.json", "{\"a\": null}"), "a must be a string");
    assertRefused(file("c.json", "{\"a\": 1"), "is not JSON");
    assertRefused(file("d.json", "{\"a\": \"1\", \"a\": \"2\"}"), "is not JSON");
    assertRefused(file("e.json", "{\"a\": \"1\"} {}"), "is not JSON");
    assertRefused(file("f.properties", "a=\\u00zz"), "is not a properties file");
    assertRefused(folder.resolve("missing.json"), "there is no file");
    assertRefused(folder, "can't read");
    Path binary = folder.resolve("binary");
    Files.write(binary, new byte[] {'{', (byte) 0xff});
    assertRefused(binary, "is not UTF-8");
  }

  private static void assertRefused(Path file, String why) {
    assertThatThrownBy(() -> ConfigFiles.connector(file))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(why);
  }
}
