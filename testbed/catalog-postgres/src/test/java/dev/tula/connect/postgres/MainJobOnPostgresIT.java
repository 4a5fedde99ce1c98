package dev.tula.connect.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The main job as {@code bin/run-local --catalog} does it, on the zips and services just built. */
@DisplayName("I1, I2, I4: every row once, and no ack above the watermark")
class MainJobOnPostgresIT {
  @Test
  void a_ledger_reaches_the_lake_row_for_row() throws Exception {
    run("postgres");
  }

  private static void run(String catalog) throws IOException, InterruptedException {
    Path root = root();
    Path stack = root.resolve("testbed/local-stack/target");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Dtula.root=" + root,
                "-cp",
                stack.resolve("classes")
                    + File.pathSeparator
                    + Files.readString(stack.resolve("run.classpath")),
                "dev.tula.connect.local.RunLocal",
                "--rows",
                "20000",
                "--verify",
                "--exit",
                "--catalog",
                catalog)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
    List<String> lines = output.lines().toList();
    assertThat(lines.get(lines.size() - 1))
        .contains(
            "\"rows\":20000",
            "\"missing\":0",
            "\"duplicated\":0",
            "\"different\":0",
            "\"acks_above_watermark\":0",
            "\"verified\":true");
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("config-examples"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
