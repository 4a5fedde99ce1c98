package dev.tula.connect.sink.fencing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tula.connect.sink.engine.LakeException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Leases in a folder that all writers share: a JSON file for each, changed under an operating
 * system's lock on a file beside it and replaced in one step.
 */
final class FileLeaseStore implements LeaseStore {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The system's locks are for whole processes; this one is for the threads in one. */
  private static final ReentrantLock IN_PROCESS = new ReentrantLock();

  private static final long LOCK_LIMIT_MS = 10_000;
  private static final long LOCK_POLL_MS = 10;

  private final Path folder;

  FileLeaseStore(Path folder) {
    this.folder = folder;
  }

  @Override
  public Optional<LeaseRecord> read(String name) {
    Path file = file(name);
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (AccessDeniedException e) {
      throw refused(file, e);
    } catch (IOException e) {
      throw LakeException.passing("the lease " + file + " can't be read: " + e, e);
    }
    return Optional.of(parse(file, bytes));
  }

  /** A file that is no lease says of nobody that it has none, so it is never written over. */
  private static LeaseRecord parse(Path file, byte[] bytes) {
    try {
      JsonNode json = JSON.readTree(bytes);
      return new LeaseRecord(
          json.required("owner").textValue(),
          json.required("renewals").longValue(),
          json.required("ttl_ms").longValue());
    } catch (IOException | RuntimeException e) {
      throw LakeException.passing(
          "the lease "
              + file
              + " is no lease any more: "
              + e.getMessage()
              + ". Stop every sink of this pipeline for longer than tula.fencing.lease.ms, delete"
              + " the file, and start them again",
          e);
    }
  }

  @Override
  public boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOCK_LIMIT_MS);
    boolean turn = false;
    try {
      turn = IN_PROCESS.tryLock(LOCK_LIMIT_MS, TimeUnit.MILLISECONDS);
      if (!turn) {
        throw locked(name);
      }
      Files.createDirectories(folder);
      try (FileChannel channel =
              FileChannel.open(
                  sibling(name, ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = lock(channel, name, deadline)) {
        return lock.isValid() && swapLocked(name, expected, next);
      }
    } catch (AccessDeniedException e) {
      throw refused(file(name), e);
    } catch (IOException e) {
      throw LakeException.passing("the lease " + file(name) + " can't be written: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing("interrupted while locking the lease " + file(name), e);
    } finally {
      if (turn) {
        IN_PROCESS.unlock();
      }
    }
  }

  /** A wait for the system's lock itself would have no limit. */
  private FileLock lock(FileChannel channel, String name, long deadline)
      throws IOException, InterruptedException {
    while (System.nanoTime() - deadline < 0) {
      FileLock lock = tryLock(channel);
      if (lock != null) {
        return lock;
      }
      Thread.sleep(LOCK_POLL_MS);
    }
    throw locked(name);
  }

  /** Another copy of this class, in another plugin of the same worker, has a lock of its own. */
  private static FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private static LakeException refused(Path file, AccessDeniedException e) {
    return LakeException.lasting(
        "the lease "
            + file
            + " is refused to the worker's user; let it read and write in the folder that tula.fencing.url names: "
            + e,
        e);
  }

  private LakeException locked(String name) {
    return LakeException.passing(
        "the lease " + file(name) + " has been locked for " + LOCK_LIMIT_MS + " ms", null);
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
    writeThrough(written, json);
    Files.move(
        written, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return true;
  }

  /** Else a machine that fails may leave the new name with nothing behind it. */
  private static void writeThrough(Path file, String text) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  private Path file(String name) {
    return sibling(name, ".json");
  }

  private Path sibling(String name, String suffix) {
    return folder.resolve(URLEncoder.encode(name, StandardCharsets.UTF_8) + suffix);
  }
}
