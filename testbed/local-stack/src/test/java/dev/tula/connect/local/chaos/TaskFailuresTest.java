package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.local.StackException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskFailuresTest {
  private static final String OF_SINK =
      "org.apache.kafka.connect.errors.ConnectException: Exiting WorkerSinkTask due to unrecoverable"
          + " exception.\n"
          + "\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:636)\n"
          + "Caused by: org.apache.kafka.connect.errors.ConnectException: ";
  private static final String OF_EXACTLY_ONCE_SOURCE =
      "org.apache.kafka.connect.errors.ConnectException: The task tula-source-0 was unable to finish"
          + " writing records to Kafka before its producer transaction expired. It may be necessary"
          + " to reconfigure this connector\n"
          + "\tat org.apache.kafka.connect.runtime.ExactlyOnceWorkerSourceTask.commitTransaction(E.java:331)\n"
          + "Caused by: org.apache.kafka.common.errors.InvalidProducerEpochException: Producer"
          + " attempted to produce with an old epoch.\n";

  private final TaskFailures failures = new TaskFailures(3);

  @ParameterizedTest
  @ValueSource(
      strings = {
        OF_EXACTLY_ONCE_SOURCE,
        "org.apache.kafka.connect.errors.ConnectException: Failed to perform round of zombie"
            + " fencing\nCaused by: java.util.concurrent.TimeoutException\n",
        "org.apache.kafka.connect.errors.ConnectException: Unrecoverable exception trying to send\n"
            + "Caused by: org.apache.kafka.common.errors.ProducerFencedException: There is a newer"
            + " producer with the same transactionalId which fences the current one.\n",
        "org.apache.kafka.connect.runtime.rest.errors.ConnectRestException: IO Error trying to forward"
            + " REST request: java.net.ConnectException: Connection refused\n",
        "org.apache.kafka.connect.runtime.TooManyTasksException: The connector tula-sink has"
            + " generated 2 tasks, which is greater than 1, the maximum number of tasks\n",
        "java.lang.IllegalStateException: Cannot produce to config topic without claiming write"
            + " privileges first\n",
        OF_SINK + "local.ledger-0: committing failed. It was tried again for 300000 ms.\n",
        OF_SINK + "TULA-FENCED local.ledger-0: a newer writer has claimed it\n",
        "no node of [a:1, b:2] could be read for 300123 ms (77 attempts); the last one: closed\n",
        "topic local.ledger could not be read: timed out\n"
            + "Caused by: org.apache.kafka.common.errors.TimeoutException: timed out\n",
      })
  void what_an_outage_or_a_newer_task_explains_is_counted(String trace) {
    failures.add("one", trace);
    assertThat(failures.explained().values()).containsExactly(1);
    assertThat(failures.unexpected()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        OF_SINK
            + "the writer of local.ledger-0 failed unexpectedly: java.lang.NullPointerException\n",
        OF_SINK + "java.lang.ClassCastException: class A cannot be cast to class B\n",
        OF_SINK
            + "local.ledger-0: committing t failed: java.lang.NullPointerException. It was tried"
            + " again for 300000 ms.\n",
        "org.apache.kafka.connect.errors.ConnectException: Unrecoverable exception trying to send\n"
            + "\tat a.B.c(D.java:1)\n"
            + "Caused by: java.lang.IllegalStateException: no such batch\n"
            + "Caused by: org.apache.kafka.common.errors.TimeoutException: timed out\n",
        OF_SINK + "local.ledger-0: the catalog refused these credentials\n",
        OF_SINK + "local.ledger-0, offset 12: the record is malformed\n",
        "java.lang.OutOfMemoryError: Java heap space\n",
        "",
      })
  void anything_else_is_unexpected(String trace) {
    failures.add("one", trace);
    assertThat(failures.explained()).isEmpty();
    assertThat(failures.unexpected().values()).containsExactly(1);
  }

  @Test
  void a_mistake_in_the_stack_alone_is_none() {
    failures.add(
        "one", OF_EXACTLY_ONCE_SOURCE + "\tat java.lang.IllegalStateException.made(Up.java:1)\n");
    assertThat(failures.unexpected()).isEmpty();
  }

  @Test
  void the_reason_is_what_was_recognised_and_not_the_wrapper_around_it() {
    failures.add("sink", OF_SINK + "the writer of t-0 failed unexpectedly: x\n");
    failures.add("sink", OF_SINK + "the writer of t-0 failed unexpectedly: x\n");
    failures.add("sink", OF_SINK + "the rights\nare missing\n\tat a.B.c(D.java:1)\n\t... 9 more\n");
    String prefix = "sink: org.apache.kafka.connect.errors.ConnectException: ";
    assertThat(failures.unexpected())
        .isEqualTo(
            Map.of(
                prefix + "the writer of t-0 failed unexpectedly: x", 2,
                prefix + "the rights are missing", 1));
  }

  @Test
  void more_failures_than_the_limit_end_the_run_whatever_explains_them() {
    for (int i = 0; i < 3; i++) {
      failures.add("source", OF_EXACTLY_ONCE_SOURCE);
    }
    assertThatThrownBy(() -> failures.add("sink", OF_SINK + "TULA-FENCED t-0: taken over\n"))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("more than 3 times")
        .hasMessageContaining("producer transaction expired")
        .hasMessageContaining("TULA-FENCED");
  }
}
