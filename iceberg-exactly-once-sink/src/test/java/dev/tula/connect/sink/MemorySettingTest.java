package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemorySettingTest {
  private final Map<String, String> config = TestLedger.sinkConfig();

  @BeforeEach
  void catalog() {
    config.put("iceberg.catalog.type", "rest");
  }

  private List<String> errors() {
    return SinkValidator.validate(config).configValues().stream()
        .filter(value -> value.name().equals(SinkConfig.MEMORY_MAX_BYTES))
        .flatMap(value -> value.errorMessages().stream())
        .toList();
  }

  @Test
  void the_defaults_fit() {
    assertThat(errors()).isEmpty();
  }

  @Test
  void a_budget_that_one_partition_does_not_fit_in_is_refused_with_the_least_that_does() {
    config.put(SinkConfig.COMMIT_MAX_BYTES, "8000000");
    config.put(SinkConfig.QUEUE_MAX_BYTES, "3000000");
    config.put(SinkConfig.COMMIT_MAX_ROWS, "10000");
    config.put(SinkConfig.REPLAY_WINDOW_ROWS, "50000");
    config.put(SinkConfig.MEMORY_MAX_BYTES, "15999999");

    assertThat(errors())
        .singleElement()
        .asString()
        .contains(
            SinkConfig.COMMIT_MAX_BYTES + "=8000000",
            SinkConfig.QUEUE_MAX_BYTES + "=3000000",
            SinkConfig.REPLAY_WINDOW_ROWS + "=50000, 1000000",
            "set it to 16000000 or more");

    config.put(SinkConfig.MEMORY_MAX_BYTES, "16000000");
    assertThat(errors()).isEmpty();
  }

  @Test
  void files_at_once_and_their_row_groups_fit_into_a_quarter() {
    assertThat(FileMemory.of(512L << 20, 8)).isEqualTo(new FileMemory(4, 16L << 20));
    assertThat(FileMemory.of(2L << 30, 8)).isEqualTo(new FileMemory(8, 32L << 20));
    assertThat(FileMemory.of(64L << 20, 8)).isEqualTo(new FileMemory(1, 8L << 20));
    assertThat(FileMemory.of(4L << 20, 8)).isEqualTo(new FileMemory(1, 512L << 10));
  }
}
