package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tula.connect.model.Position;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SourceOffsetTest {
  @Test
  void an_offset_is_the_map_that_the_contract_names() {
    SourceOffset offset = new SourceOffset(Position.parse("42:7"), "c1");
    assertThat(offset)
        .isEqualTo(Map.of("global_batch_seq", 42L, "array_index", 7L, "cluster_id", "c1"))
        .containsOnlyKeys("global_batch_seq", "array_index", "cluster_id");
    assertThat(offset.get("cluster_id")).isEqualTo("c1");
    assertThat(SourceOffset.parse(new HashMap<>(offset)).position()).isEqualTo(offset.position());
  }

  @Test
  void json_s_integers_are_read_too() {
    assertThat(
            SourceOffset.parse(Map.of("global_batch_seq", 42, "array_index", 7, "cluster_id", "c1"))
                .position())
        .isEqualTo(Position.parse("42:7"));
  }

  static List<Map<String, Object>> malformed() {
    return Arrays.asList(
        null,
        Map.of(),
        Map.of("global_batch_seq", 1L, "array_index", 1L),
        Map.of("global_batch_seq", 1L, "array_index", 1L, "cluster_id", "c", "more", 1),
        Map.of("global_batch_seq", "1", "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1.0, "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1L, "array_index", 1L, "cluster_id", ""),
        Map.of("global_batch_seq", 1L, "array_index", 1L, "cluster_id", 5),
        Map.of("global_batch_seq", -1L, "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 0L, "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1L, "array_index", -1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1L, "array_index", 1L << 31, "cluster_id", "c"));
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void a_malformed_offset_is_refused(Map<String, Object> offset) {
    assertThatIllegalArgumentException().isThrownBy(() -> SourceOffset.parse(offset));
  }

  @Test
  void a_partition_is_read_back_and_anything_else_refused() {
    SourcePartition partition = new SourcePartition("p", 2, 3, 4);
    assertThat(partition.asMap())
        .isEqualTo(
            Map.of("pipeline", "p", "generation", 2L, "partition", 3L, "partition_count", 4L));
    assertThat(SourcePartition.parse(partition.asMap())).isEqualTo(partition);
    Map<String, Object> wide = new HashMap<>(partition.asMap());
    wide.put("generation", 1L << 40);
    assertThatIllegalArgumentException().isThrownBy(() -> SourcePartition.parse(wide));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SourcePartition.parse(Collections.singletonMap("pipeline", null)));
  }
}
