package dev.tula.connect.lake.reseed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.StreamIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the two connectors' configurations have to say for the next generation.
 *
 * @param number the generation
 * @param source what changes in the source's
 * @param sink what changes in the sink's
 */
public record NextGeneration(int number, Map<String, String> source, Map<String, String> sink) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * The changes.
   *
   * @param number the generation
   * @param topic the data topic's base name
   * @param bootstrap whether accounts and registries are seeded
   */
  static NextGeneration of(int number, String topic, boolean bootstrap) {
    Map<String, String> source = new LinkedHashMap<>();
    source.put("tula.generation", Integer.toString(number));
    source.put("tula.start.position", "floor");
    source.put("tula.bootstrap", bootstrap ? "initial" : "none");
    Map<String, String> sink = new LinkedHashMap<>();
    sink.put("tula.generation", Integer.toString(number));
    sink.put("topics", StreamIdentity.topic(topic, number));
    return new NextGeneration(number, source, sink);
  }

  /**
   * Writes a configuration with its changes into a new file that only its owner can read, as it may
   * hold secrets.
   *
   * @throws ToolException if the file is there already, or can't be written
   */
  static Path write(
      Path directory, String name, Map<String, String> asPut, Map<String, String> changes) {
    Map<String, String> all = new TreeMap<>(asPut);
    all.putAll(changes);
    Path file = directory.resolve(name);
    try {
      Files.createDirectories(directory);
      try (SeekableByteChannel channel =
          Files.newByteChannel(
              file,
              EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              ownersOnly())) {
        channel.write(ByteBuffer.wrap(JSON.writeValueAsBytes(all)));
      }
      return file;
    } catch (FileAlreadyExistsException e) {
      throw ToolException.error(
          file + " is there already, and is not overwritten; remove it, or name another directory",
          e);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw ToolException.error("can't write " + file + ": " + e.getMessage(), e);
    }
  }

  private static FileAttribute<?>[] ownersOnly() {
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }
}
