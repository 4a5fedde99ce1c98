package dev.tula.connect.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Java process that the stack started. What it prints goes to one log file, appended to. Its
 * standard input stays open as long as the parent lives, so that a child may end when it closes.
 *
 * <p>Safe for any thread.
 */
public final class ChildProcess implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(60);

  private final String name;
  private final Process process;
  private final Path log;
  private final Builder description;

  private ChildProcess(String name, Process process, Path log, Builder description) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.description = description;
  }

  /** What the process is called in messages. */
  public String name() {
    return name;
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Where its output goes. */
  public Path log() {
    return log;
  }

  /** Whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Demands that it still runs.
   *
   * @throws StackException with its exit code and the end of its log, if it does not
   */
  public void checkAlive() {
    if (!process.isAlive()) {
      throw new StackException(
          name
              + " ended with exit code "
              + process.exitValue()
              + "; the end of "
              + log
              + ":\n"
              + String.join("\n", lastLines(15)));
    }
  }

  /** SIGKILL: no shutdown hook runs, nothing is flushed. Returns when it is gone. */
  public void kill() {
    process.destroyForcibly();
    if (!ended(KILL_LIMIT)) {
      throw new StackException(name + " (pid " + pid() + ") outlived SIGKILL");
    }
  }

  /** Stops it where it stands, connections and all, until it is told to go on. */
  public void standStill() {
    signal("STOP");
  }

  /** Lets it go on. */
  public void goOn() {
    signal("CONT");
  }

  private void signal(String signal) {
    try {
      new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start().waitFor();
    } catch (IOException e) {
      throw new StackException("could not send SIG" + signal + " to " + name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while sending SIG" + signal + " to " + name, e);
    }
  }

  /** Another process of the same description. */
  ChildProcess again() {
    return description.start();
  }

  /** Asks it to stop, and kills it if it has not within its time. */
  @Override
  public void close() {
    process.destroy();
    if (!ended(STOP_LIMIT)) {
      kill();
    }
  }

  /** Waits for its end. */
  public boolean ended(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new StackException("interrupted while waiting for " + name + " to end", e);
    }
  }

  /** Its exit code, once it has ended. */
  public int exitCode() {
    return process.exitValue();
  }

  /** The last lines of its log. */
  public List<String> lastLines(int count) {
    if (!Files.exists(log)) {
      return List.of();
    }
    Deque<String> last = new ArrayDeque<>();
    try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      lines.forEach(
          line -> {
            last.addLast(line);
            if (last.size() > count) {
              last.removeFirst();
            }
          });
    } catch (IOException e) {
      return List.of("(" + log + " could not be read: " + e + ")");
    }
    return List.copyOf(last);
  }

  /** Starts to describe a process. */
  static Builder java(String name) {
    return new Builder(name);
  }

  /** Describes a Java process. Heap, class path and main class have to be said. */
  static final class Builder {
    private final String name;
    private final List<String> jvmArgs = new ArrayList<>();
    private final List<String> args = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private String classPath;
    private String mainClass;
    private Path log;

    private Builder(String name) {
      this.name = name;
    }

    Builder classPath(String value) {
      classPath = value;
      return this;
    }

    Builder mainClass(String value) {
      mainClass = value;
      return this;
    }

    Builder jvmArgs(String... values) {
      jvmArgs.addAll(List.of(values));
      return this;
    }

    Builder args(List<String> values) {
      args.addAll(values);
      return this;
    }

    Builder environment(Map<String, String> values) {
      environment.putAll(values);
      return this;
    }

    Builder log(Path value) {
      log = value;
      return this;
    }

    ChildProcess start() {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmArgs);
      command.addAll(List.of("-cp", classPath, mainClass));
      command.addAll(args);
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().putAll(environment);
      builder.redirectErrorStream(true);
      try {
        Files.createDirectories(log.getParent());
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return new ChildProcess(name, builder.start(), log, this);
      } catch (IOException e) {
        throw new StackException("could not start " + name + ": " + e.getMessage(), e);
      }
    }
  }
}
