package dev.tula.connect.sink.lake;

import com.google.cloud.storage.Storage;
import com.google.cloud.storage.contrib.nio.testing.LocalStorageHelper;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.iceberg.gcp.gcs.GCSFileIO;

/** Iceberg's own GCSFileIO over Google's stand-in for the service, shared by all of a JVM. */
public final class InMemoryGcsFileIo extends GCSFileIO {
  private static final long serialVersionUID = 1L;

  /**
   * Held, so that its level is: the client warns with each call that it has no application name.
   */
  private static final Logger CLIENT =
      Logger.getLogger("com.google.api.client.googleapis.services.AbstractGoogleClient");

  private static final Storage STORAGE = LocalStorageHelper.getOptions().getService();

  static {
    CLIENT.setLevel(Level.SEVERE);
  }

  /** As a catalog makes it. */
  public InMemoryGcsFileIo() {
    super(() -> STORAGE);
  }

  /** Keeps the storage, where GCSFileIO would make a client of the properties. */
  @Override
  public void initialize(Map<String, String> properties) {}
}
