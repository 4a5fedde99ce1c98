package dev.tula.connect.sink.events;

import dev.tula.connect.sink.engine.LakeException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Tells failures of brokers that may pass from those that won't, for every Kafka client here. */
final class KafkaFailures {
  private KafkaFailures() {}

  /** Waits for an answer, no longer than the limit. */
  static <T> T await(String what, Future<T> future, long timeoutMs) {
    try {
      return future.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw translate(what, e.getCause());
    } catch (TimeoutException e) {
      throw LakeException.passing(
          what + ": no answer from the brokers within " + timeoutMs + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing(what + " was interrupted", e);
    }
  }

  /** The failure as the engine's ports report it. */
  static LakeException translate(String what, Throwable cause) {
    if (cause instanceof LakeException lake) {
      return lake;
    }
    if (cause instanceof AuthorizationException) {
      return LakeException.lasting(
          what + ": the brokers deny it (" + cause.getMessage() + "): grant the ACL", cause);
    }
    if (cause instanceof AuthenticationException) {
      return LakeException.lasting(
          what
              + ": the brokers don't accept the credentials under iceberg.kafka. ("
              + cause.getMessage()
              + ")",
          cause);
    }
    if (cause instanceof InvalidConfigurationException
        || cause instanceof RecordTooLargeException
        || cause instanceof UnsupportedVersionException) {
      return LakeException.lasting(what + ": " + cause.getMessage(), cause);
    }
    return LakeException.passing(what + ": " + cause.getMessage(), cause);
  }
}
