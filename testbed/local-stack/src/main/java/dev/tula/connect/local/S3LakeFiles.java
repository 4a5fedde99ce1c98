package dev.tula.connect.local;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/**
 * Objects of an S3 server that lets anybody read, by plain HTTP and without an SDK. Each is copied
 * to the local disk once: what Iceberg wrote never changes. Safe for any thread.
 */
final class S3LakeFiles implements LakeFiles {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
  private static final Duration OBJECT_LIMIT = Duration.ofMinutes(5);
  private static final int OK = 200;

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT_LIMIT).build();
  private final URI endpoint;
  private final Path copies;

  /**
   * @param endpoint the server
   * @param copies where the copies lie
   */
  S3LakeFiles(URI endpoint, Path copies) {
    this.endpoint = endpoint;
    this.copies = copies;
  }

  @Override
  public FileIO io() {
    return new ReadOnlyIo(this);
  }

  @Override
  public Path local(String location) {
    URI object = object(location);
    Path copy = copies.resolve(object.getPath().substring(1)).normalize();
    if (!copy.startsWith(copies)) {
      throw new StackException(location + " points outside of its bucket");
    }
    if (!Files.exists(copy)) {
      copy(object, copy);
    }
    return copy;
  }

  private URI object(String location) {
    URI named = URI.create(location.replace(" ", "%20"));
    if (!"s3".equals(named.getScheme())) {
      throw new StackException(location + " is not in S3");
    }
    try {
      return new URI(
          endpoint.getScheme(),
          endpoint.getAuthority(),
          "/" + named.getHost() + named.getPath(),
          null,
          null);
    } catch (URISyntaxException e) {
      throw new StackException(location + " is no location", e);
    }
  }

  private void copy(URI object, Path copy) {
    try {
      Files.createDirectories(copy.getParent());
      Path part = Files.createTempFile(copy.getParent(), "copy-", ".part");
      HttpResponse<Path> response =
          http.send(
              HttpRequest.newBuilder(object).timeout(OBJECT_LIMIT).GET().build(),
              HttpResponse.BodyHandlers.ofFile(part));
      if (response.statusCode() != OK) {
        Files.delete(part);
        throw new IOException("the store answered " + response.statusCode());
      }
      Files.move(part, copy, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new StackException("could not read " + object + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while reading " + object, e);
    }
  }

  /** What Iceberg reads through. */
  private static final class ReadOnlyIo implements FileIO {
    private static final long serialVersionUID = 1L;

    private final transient S3LakeFiles files;

    ReadOnlyIo(S3LakeFiles files) {
      this.files = files;
    }

    @Override
    public InputFile newInputFile(String location) {
      return org.apache.iceberg.Files.localInput(files.local(location).toFile());
    }

    @Override
    public OutputFile newOutputFile(String location) {
      throw new UnsupportedOperationException("the lake is only read here");
    }

    @Override
    public void deleteFile(String location) {
      throw new UnsupportedOperationException("the lake is only read here");
    }
  }
}
