package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.anyCollection;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.tula.connect.model.Position;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.queryport.SharedFakePort;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connect's life cycle alone; what a task does is {@link StartedSourceTaskTest}'s matter. */
@Timeout(300)
class TulaSourceTaskTest {
  private static final Map<String, Object> PARTITION = new SourcePartition("p", 1, 0, 1).asMap();

  private final OffsetStorageReader offsets = mock();
  private final SourceTaskContext context = mock();
  private final TulaSourceTask task = new TulaSourceTask();

  TulaSourceTaskTest() {
    when(context.offsetStorageReader()).thenReturn(offsets);
    task.initialize(context);
    SharedFakePort.use(new FakeEngine());
  }

  @Test
  void offsets_are_connect_s_at_the_time_of_the_start() throws Exception {
    stored(new HashMap<>(new SourceOffset(Position.batchEnd(4), FakeEngine.CLUSTER, null)));
    task.start(properties());
    assertThat(task.poll()).as("the brokers are away, which is no reason to wait").isNull();
    task.stop();
  }

  @Test
  void a_stored_offset_that_can_not_be_read_is_named() {
    stored(Map.of("lsn", 5));
    assertThatExceptionOfType(ConnectException.class)
        .isThrownBy(() -> task.start(properties()))
        .withMessageContaining("lsn")
        .withMessageContaining(PARTITION.toString());
    assertThatCode(task::stop).doesNotThrowAnyException();
  }

  @Test
  void without_a_stored_offset_it_starts() {
    stored(null);
    task.start(properties());
    task.stop();
  }

  @Test
  @DisplayName(
      "I4: what Connect published or committed is no evidence, in whatever order it says so")
  void connect_s_commit_calls_reach_no_code_of_ours() {
    assertThat(TulaSourceTask.class.getDeclaredMethods())
        .extracting(Method::getName)
        .doesNotContain("commit", "commitRecord");
  }

  @Test
  void stopping_before_the_start_is_no_error() {
    assertThatCode(task::stop).doesNotThrowAnyException();
  }

  private void stored(Map<String, Object> offset) {
    Map<Map<String, Object>, Map<String, Object>> found = new HashMap<>();
    found.put(PARTITION, offset);
    when(offsets.<Object>offsets(anyCollection())).thenReturn(found);
  }

  private static Map<String, String> properties() {
    Map<String, String> properties = Configs.ofTask(1, "0");
    properties.put(QueryPortConfig.QUERY_PORT_CLASS, SharedFakePort.class.getName());
    properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, "127.0.0.1:1");
    return properties;
  }
}
