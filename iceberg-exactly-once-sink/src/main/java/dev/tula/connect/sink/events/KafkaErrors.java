package dev.tula.connect.sink.events;

import dev.tula.connect.sink.engine.LakeException;
import java.util.function.Predicate;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Sorts what Kafka's clients throw into what may pass with time and what will not. */
final class KafkaErrors {
  private static final int MAX_CAUSES = 16;

  private KafkaErrors() {}

  /**
   * The failure as the engine takes it.
   *
   * @param what what was being done, and with which topic
   */
  static LakeException translate(String what, Throwable failure) {
    if (failure instanceof LakeException ours) {
      return ours;
    }
    if (anyCause(failure, KafkaErrors::isRefusedCredential)) {
      return LakeException.lasting(
          what
              + ": the broker refused these credentials, or they lack the right; check "
              + "iceberg.kafka.* and the topic's ACLs (read, write, describe, create): "
              + failure,
          failure);
    }
    if (anyCause(failure, KafkaErrors::isWrongSetting)) {
      return LakeException.lasting(
          what + ": the broker or the client does not accept the settings: " + failure, failure);
    }
    return LakeException.passing(what + " failed: " + failure, failure);
  }

  private static boolean anyCause(Throwable failure, Predicate<Throwable> test) {
    Throwable next = failure;
    for (int depth = 0; next != null && depth < MAX_CAUSES; depth++) {
      if (test.test(next)) {
        return true;
      }
      next = next.getCause();
    }
    return false;
  }

  private static boolean isRefusedCredential(Throwable failure) {
    return failure instanceof AuthenticationException || failure instanceof AuthorizationException;
  }

  private static boolean isWrongSetting(Throwable failure) {
    return (failure instanceof ConfigException && !isUnresolved(failure))
        || failure instanceof InvalidTopicException
        || failure instanceof InvalidConfigurationException
        || failure instanceof InvalidReplicationFactorException
        || failure instanceof PolicyViolationException
        || failure instanceof RecordTooLargeException
        || failure instanceof UnsupportedVersionException;
  }

  /**
   * A client that is made while no name of a broker resolves takes that for a wrong setting, and
   * has no other sign of it than these words. Names come back with the network.
   */
  private static boolean isUnresolved(Throwable failure) {
    String message = failure.getMessage();
    return message != null && message.contains("No resolvable bootstrap urls");
  }
}
