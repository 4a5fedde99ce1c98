package dev.tula.connect.sink;

import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import org.apache.kafka.common.config.types.Password;

/**
 * Where leases are kept, and how long one lasts.
 *
 * @param url a folder or a database
 * @param user for a database
 * @param password for a database
 * @param leaseMs how long a lease lasts without a renewal
 */
record FencingSettings(
    String url, Optional<String> user, Optional<Password> password, long leaseMs) {
  /** A keeper for one partition's lease, under a name that nobody else goes by. */
  LeaseKeeper keeper(String connector, PipelineIdentity identity, int partition) {
    Properties credentials = new Properties();
    user.ifPresent(name -> credentials.setProperty("user", name));
    password.ifPresent(secret -> credentials.setProperty("password", secret.value()));
    String lease =
        String.join(
            "/",
            identity.clusterId(),
            identity.pipeline(),
            "g" + identity.generation(),
            "p" + partition);
    String owner = connector + "@" + host() + "/" + UUID.randomUUID();
    return LeaseKeeper.of(url, credentials, lease, owner, leaseMs);
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown-host";
    }
  }
}
