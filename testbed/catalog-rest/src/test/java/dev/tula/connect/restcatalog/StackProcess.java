package dev.tula.connect.restcatalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A command over the local stack, in a process of its own, on the zips and services just built. */
final class StackProcess {
  private StackProcess() {}

  /** Runs it, demands that it ends well, and answers its last line. */
  static String lastLineOf(String mainClass, String... args)
      throws IOException, InterruptedException {
    Path root = root();
    Path stack = root.resolve("testbed/local-stack/target");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-Dtula.root=" + root, "-cp"));
    command.add(
        stack.resolve("classes")
            + File.pathSeparator
            + Files.readString(stack.resolve("run.classpath")));
    command.add(mainClass);
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    List<String> lines = output.lines().toList();
    return lines.get(lines.size() - 1);
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("config-examples"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
