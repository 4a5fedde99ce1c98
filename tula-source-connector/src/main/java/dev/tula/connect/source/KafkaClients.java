package dev.tula.connect.source;

import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Makes Kafka clients of {@code tula.kafka.*}, and says what is wrong with those settings where
 * none can be made.
 */
final class KafkaClients {
  private static final int MAX_CAUSES = 8;

  private KafkaClients() {}

  /**
   * A client.
   *
   * @throws ExportFailure if the settings make none
   */
  static <T> T create(Supplier<T> client) {
    try {
      return client.get();
    } catch (KafkaException | IllegalArgumentException e) {
      List<Throwable> causes =
          Stream.iterate(e, Objects::nonNull, Throwable::getCause).limit(MAX_CAUSES).toList();
      if (causes.stream().anyMatch(KafkaClients::isOfJaas)) {
        // Kafka's parser quotes what it stumbles over, and that may be the password.
        throw new ExportFailure(
            FailureCode.CONFIGURATION,
            SourceConfig.KAFKA_PREFIX
                + "sasl.jaas.config can't be read; write <module> required <key>=\"<value>\" …; with"
                + " a semicolon at its end");
      }
      throw new ExportFailure(
          FailureCode.CONFIGURATION,
          "no Kafka client can be made of "
              + SourceConfig.KAFKA_PREFIX
              + "*: "
              + causes.stream().map(Throwable::getMessage).collect(Collectors.joining(": ")),
          e);
    }
  }

  /** A missing permission, with what the principal has to be allowed. */
  static AuthorizationException denied(String operations, AuthorizationException error) {
    return new AuthorizationException(
        error.getMessage() + ": the principal needs " + operations, error);
  }

  /** Kafka's interrupt as Java's, which a task ends with. */
  static InterruptedException interrupted(InterruptException error) {
    InterruptedException interrupted = new InterruptedException("the task ends");
    interrupted.initCause(error);
    return interrupted;
  }

  private static boolean isOfJaas(Throwable error) {
    return Stream.of(error.getStackTrace())
        .limit(MAX_CAUSES)
        .anyMatch(frame -> frame.getClassName().endsWith(".JaasConfig"));
  }
}
