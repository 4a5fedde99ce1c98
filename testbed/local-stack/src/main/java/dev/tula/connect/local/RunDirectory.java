package dev.tula.connect.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a run keeps its files: a directory that the user named and that stays, or one of its own
 * under {@code .local-stack} that goes with the run.
 *
 * @param path the directory, absolute
 * @param kept whether it stays
 */
public record RunDirectory(Path path, boolean kept) {
  /**
   * Makes the directory.
   *
   * @param root the project's root directory
   * @param keep the directory that the user named
   * @throws StackException if that has something in it
   */
  public static RunDirectory make(Path root, Optional<Path> keep) {
    try {
      if (keep.isEmpty()) {
        Path own = Files.createDirectories(root.resolve(".local-stack"));
        return new RunDirectory(Files.createTempDirectory(own, "run-").toAbsolutePath(), false);
      }
      Path path = Files.createDirectories(keep.get()).toAbsolutePath();
      try (Stream<Path> content = Files.list(path)) {
        if (content.findAny().isPresent()) {
          throw new StackException(
              path + " has something in it; a run begins in an empty or new directory");
        }
      }
      return new RunDirectory(path, true);
    } catch (IOException e) {
      throw new StackException("could not make a directory for the run: " + e.getMessage(), e);
    }
  }

  /**
   * The project's root directory: where the build left what a run is made of. The scripts in {@code
   * bin/} name it in the system property {@code tula.root}; else it is the working directory.
   */
  public static Path projectRoot() {
    return Path.of(System.getProperty("tula.root", "")).toAbsolutePath();
  }

  /** Removes the directory, unless it stays. */
  public void discard() {
    if (kept || !Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      // A process that was just stopped removed it first.
    } catch (IOException | UncheckedIOException e) {
      System.err.println("could not remove all of " + path + ": " + e);
    }
  }
}
