package dev.tula.connect.local;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directories that the parts of a run keep their files in, and the class paths they run on. */
public final class RunFiles {
  /** What builds the class paths of the stack that {@code bin/run-local} starts. */
  static final String RUN_LOCAL_BUILD = "bin/run-local, or mvn -DskipTests package";

  private RunFiles() {}

  /**
   * Makes a directory, with those that it is in, unless it is there.
   *
   * @throws StackException if it can't be made
   */
  public static Path directory(Path parent, String name) {
    Path directory = parent.resolve(name);
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new StackException("could not make " + directory, e);
    }
  }

  /**
   * What a Connect worker runs on: Kafka's own jars, and no other.
   *
   * @param root the project's root directory
   * @param build the command that builds it, for the message
   * @throws StackException if the build has not left it, naming the command
   */
  public static String workerClassPath(Path root, String build) {
    return read(root.resolve("testbed/connect-worker/target/worker.classpath"), build);
  }

  /**
   * A module's own classes, and what they need.
   *
   * @param module the module's directory
   * @param fileName where under {@code target} the build has listed what they need
   * @param build the command that builds it, for the message
   * @throws StackException if the build has not left it, naming the command
   */
  static String moduleClassPath(Path module, String fileName, String build) {
    Path target = module.resolve("target");
    return target.resolve("classes") + File.pathSeparator + read(target.resolve(fileName), build);
  }

  private static String read(Path file, String build) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new StackException(file + " is not there: build it with " + build, e);
    }
  }
}
