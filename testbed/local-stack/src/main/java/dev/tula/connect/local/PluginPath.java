package dev.tula.connect.local;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Turns built plugin zips into a directory for {@code plugin.path}, as an operator would. */
public final class PluginPath {
  /** The modules whose zips the local stack loads. */
  static final List<String> MODULES =
      List.of("tula-source-connector", "iceberg-exactly-once-sink", "smt");

  private PluginPath() {}

  /**
   * The zips that the build left in the modules' {@code target} directories.
   *
   * @param root the project's root directory
   * @throws StackException if one is missing, saying how to build it
   */
  public static List<Path> builtZips(Path root) {
    return MODULES.stream()
        .map(module -> builtZip(root.resolve(module).resolve("target")))
        .toList();
  }

  private static Path builtZip(Path target) {
    List<Path> zips = Files.isDirectory(target) ? zipsIn(target) : List.of();
    if (zips.size() != 1) {
      throw new StackException(
          "expected one *-plugin.zip in "
              + target
              + " and found "
              + zips.size()
              + ": build it with "
              + RunFiles.RUN_LOCAL_BUILD);
    }
    return zips.get(0);
  }

  private static List<Path> zipsIn(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.getFileName().toString().endsWith("-plugin.zip")).toList();
    } catch (IOException e) {
      throw new StackException("could not list " + directory, e);
    }
  }

  /** Unpacks {@code zips} into {@code directory}, each into the directory that it names itself. */
  public static void unpack(List<Path> zips, Path directory) {
    for (Path zip : zips) {
      try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
        Files.createDirectories(directory);
        for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
          unpack(entry, in, directory);
        }
      } catch (IOException e) {
        throw new StackException("could not unpack " + zip + " into " + directory, e);
      }
    }
  }

  private static void unpack(ZipEntry entry, InputStream in, Path directory) throws IOException {
    Path target = directory.resolve(entry.getName()).normalize();
    if (!target.startsWith(directory)) {
      throw new IOException("entry " + entry.getName() + " points outside of the archive");
    }
    if (entry.isDirectory()) {
      Files.createDirectories(target);
    } else {
      Files.createDirectories(target.getParent());
      Files.copy(in, target);
    }
  }
}
