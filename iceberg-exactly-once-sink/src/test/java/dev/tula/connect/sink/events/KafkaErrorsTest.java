package dev.tula.connect.sink.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What Kafka's own clients say when they can't be made. */
class KafkaErrorsTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Map<String, String> NO_SUCH_NAME =
      Map.of("bootstrap.servers", "broker.invalid:9092");

  private static LakeException failure(ThrowingCallable making) {
    Throwable failure = catchThrowable(making);
    assertThat(failure).isNotNull();
    return KafkaErrors.translate("making a client", failure);
  }

  @Test
  void names_that_do_not_resolve_may_resolve_later() {
    for (ThrowingCallable making :
        new ThrowingCallable[] {
          () -> new KafkaProducer<>(KafkaSettings.producer(NO_SUCH_NAME, "p", LIMIT)),
          () -> new KafkaConsumer<>(KafkaSettings.consumer(NO_SUCH_NAME, "c", LIMIT)),
          () -> Admin.create(KafkaSettings.admin(NO_SUCH_NAME, "a", LIMIT)),
        }) {
      assertThat(failure(making).isRetriable()).isTrue();
    }
  }

  @Test
  void a_setting_that_a_client_does_not_take_stays_wrong() {
    LakeException failure =
        failure(
            () ->
                new KafkaProducer<>(
                    KafkaSettings.producer(
                        Map.of("bootstrap.servers", "127.0.0.1:1", "security.protocol", "none"),
                        "p",
                        LIMIT)));

    assertThat(failure.isRetriable()).isFalse();
    assertThat(failure).hasMessageContaining("does not accept the settings");
  }

  @Test
  void an_address_that_is_none_stays_wrong() {
    LakeException failure =
        failure(
            () ->
                new KafkaProducer<>(
                    KafkaSettings.producer(Map.of("bootstrap.servers", "broker"), "p", LIMIT)));

    assertThat(failure.isRetriable()).isFalse();
  }
}
