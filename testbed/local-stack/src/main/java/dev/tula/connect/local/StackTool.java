package dev.tula.connect.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/**
 * A command of this checkout that does its work beside a running stack and ends: each run is a
 * process of its own, with a time limit and a log. Safe for any thread.
 */
public final class StackTool {
  private static final int LAST_LINES = 40;
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

  private final String classPath;
  private final String mainClass;
  private final List<String> jvmArgs;
  private final Path directory;

  private StackTool(String classPath, String mainClass, List<String> jvmArgs, Path directory) {
    this.classPath = classPath;
    this.mainClass = mainClass;
    this.jvmArgs = jvmArgs;
    this.directory = directory;
  }

  /**
   * {@code tula-lake}, as the build left it.
   *
   * @param root the project's root directory
   * @param directory where logs go
   */
  public static StackTool tulaLake(Path root, Path directory) {
    Path module = root.resolve("lake-tools");
    return new StackTool(
        RunFiles.moduleClassPath(module, "run.classpath", "bin/chaos"),
        "dev.tula.connect.lake.TulaLake",
        List.of(
            "-Dlog4j2.configurationFile=" + module.resolve("src/main/dist/etc/log4j2.properties")),
        directory);
  }

  /**
   * Another engine on the lake of a REST catalog, as the build left it.
   *
   * @param root the project's root directory
   * @param directory where logs go
   */
  public static StackTool foreignEngine(Path root, Path directory) {
    return new StackTool(
        RunFiles.moduleClassPath(
            root.resolve("testbed/catalog-rest"), "service.classpath", "bin/chaos"),
        "dev.tula.connect.restcatalog.ForeignEngineMain",
        List.of(Logging.jvmArg(directory, "WARN")),
        directory);
  }

  /**
   * How a run ended.
   *
   * @param exitCode absent if it was killed
   * @param lastLines the end of what it printed
   */
  public record Outcome(OptionalInt exitCode, List<String> lastLines) {
    /** Copies the list. */
    public Outcome {
      lastLines = List.copyOf(lastLines);
    }
  }

  /**
   * Runs it to its end.
   *
   * @param name of this run, and of its log
   * @param limit after that it is killed
   * @param enough kills it before, once it says so
   */
  public Outcome run(String name, List<String> args, Duration limit, BooleanSupplier enough) {
    Path log = directory.resolve(name + ".log");
    try (ChildProcess process =
        ChildProcess.java(name)
            .classPath(classPath)
            .mainClass(mainClass)
            .jvmArgs("-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
            .jvmArgs(jvmArgs.toArray(String[]::new))
            .args(args)
            .log(log)
            .start()) {
      long endNanos = System.nanoTime() + limit.toNanos();
      boolean ended = process.ended(LOOK_INTERVAL);
      while (!ended && System.nanoTime() < endNanos && !enough.getAsBoolean()) {
        ended = process.ended(LOOK_INTERVAL);
      }
      if (!ended) {
        process.kill();
      }
      return new Outcome(
          ended ? OptionalInt.of(process.exitCode()) : OptionalInt.empty(),
          process.lastLines(LAST_LINES));
    }
  }
}
