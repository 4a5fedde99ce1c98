package dev.tula.connect.sink.fencing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tula.connect.sink.engine.LakeException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Leases in a folder that all writers share: a JSON file for each, changed under an operating
 * system's lock on a file beside it and replaced in one step.
 */
final class FileLeaseStore implements LeaseStore {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The system's locks are for whole processes; this one is for the threads in one. */
  private static final Object IN_PROCESS = new Object();

  private final Path folder;

  FileLeaseStore(Path folder) {
    this.folder = folder;
  }

  @Override
  public Optional<LeaseRecord> read(String name) {
    Path file = file(name);
    try {
      JsonNode json = JSON.readTree(Files.readString(file));
      return Optional.of(
          new LeaseRecord(
              json.required("owner").textValue(),
              json.required("renewals").longValue(),
              json.required("ttl_ms").longValue()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      throw LakeException.passing("the lease " + file + " can't be read: " + e, e);
    }
  }

  @Override
  public boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
    synchronized (IN_PROCESS) {
      try {
        Files.createDirectories(folder);
        try (FileChannel channel =
                FileChannel.open(
                    sibling(name, ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.lock()) {
          return lock.isValid() && swapLocked(name, expected, next);
        }
      } catch (IOException e) {
        throw LakeException.passing("the lease " + file(name) + " can't be written: " + e, e);
      }
    }
  }

  private boolean swapLocked(String name, Optional<LeaseRecord> expected, LeaseRecord next)
      throws IOException {
    if (!read(name).equals(expected)) {
      return false;
    }
    Path written = sibling(name, ".new");
    String json =
        JsonNodeFactory.instance
            .objectNode()
            .put("owner", next.owner())
            .put("renewals", next.renewals())
            .put("ttl_ms", next.ttlMs())
            .toString();
    Files.writeString(written, json);
    Files.move(
        written, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return true;
  }

  private Path file(String name) {
    return sibling(name, ".json");
  }

  private Path sibling(String name, String suffix) {
    return folder.resolve(URLEncoder.encode(name, StandardCharsets.UTF_8) + suffix);
  }
}
