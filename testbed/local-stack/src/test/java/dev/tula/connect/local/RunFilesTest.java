package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFilesTest {
  @TempDir Path root;

  @Test
  void a_class_path_that_was_not_built_is_named_with_the_command_that_builds_it() {
    assertThatThrownBy(() -> RunFiles.workerClassPath(root, "bin/chaos"))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("connect-worker")
        .hasMessageEndingWith("build it with bin/chaos");
  }

  @Test
  void a_module_s_class_path_begins_with_its_own_classes() throws Exception {
    Path target = Files.createDirectories(root.resolve("target"));
    Files.writeString(target.resolve("run.classpath"), "a.jar");

    assertThat(RunFiles.moduleClassPath(root, "run.classpath", "mvn").split("[:;]"))
        .containsExactly(target.resolve("classes").toString(), "a.jar");
  }

  @Test
  void a_directory_that_can_not_be_made_is_named() throws Exception {
    Files.writeString(root.resolve("taken"), "");

    assertThat(RunFiles.directory(root, "broker")).isEqualTo(root.resolve("broker")).isDirectory();
    assertThatThrownBy(() -> RunFiles.directory(root.resolve("taken"), "broker"))
        .isInstanceOf(StackException.class)
        .hasMessageContaining(root.resolve("taken").resolve("broker").toString());
  }
}
