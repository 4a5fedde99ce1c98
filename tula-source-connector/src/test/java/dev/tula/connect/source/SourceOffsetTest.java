package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.queryport.ExportFailure;
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
    SourceOffset offset =
        new SourceOffset(Position.parse("42:7"), "c1", new SourceOffset.RecordMode(true, false));
    assertThat(offset)
        .isEqualTo(
            Map.of(
                "global_batch_seq",
                42L,
                "array_index",
                7L,
                "cluster_id",
                "c1",
                "include_metadata",
                true,
                "full_txn_record",
                false));
    assertThat(offset.get("cluster_id")).isEqualTo("c1");
    assertThat(offset).hasSameHashCodeAs(new HashMap<>(offset));
    SourceOffset readBack = SourceOffset.parse(new HashMap<>(offset));
    assertThat(readBack.position()).isEqualTo(offset.position());
    assertThat(readBack.mode()).isEqualTo(offset.mode());
  }

  @Test
  void an_offset_of_a_version_before_has_no_mode_and_fits_any() {
    SourceOffset offset =
        SourceOffset.parse(Map.of("global_batch_seq", 42L, "array_index", 7L, "cluster_id", "c1"));
    assertThat(offset.mode()).isEmpty();
    assertThat(offset).containsOnlyKeys("global_batch_seq", "array_index", "cluster_id");
    assertThat(offset).hasSameHashCodeAs(new HashMap<>(offset));
    offset.requireOf(identity("c1", true, true));
    offset.requireOf(identity("c1", false, false));
  }

  @Test
  void an_offset_of_another_cluster_or_record_mode_is_88_and_says_what_to_set_back() {
    SourceOffset offset =
        new SourceOffset(Position.batchEnd(4), "c1", new SourceOffset.RecordMode(true, false));
    offset.requireOf(identity("c1", true, false));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> offset.requireOf(identity("other", true, false)))
        .withMessageStartingWith("TULA-88 ")
        .withMessageContaining("of cluster c1, and the configuration names other");
    for (boolean metadata : new boolean[] {false, true}) {
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(() -> offset.requireOf(identity("c1", metadata, metadata)))
          .withMessageStartingWith("TULA-88 ")
          .withMessageContaining("with tula.include.metadata=true and tula.full.txn.record=false")
          .withMessageContaining("says tula.include.metadata=" + metadata)
          .withMessageContaining("set them back, or open the next generation (tula.generation)");
    }
  }

  private static StreamIdentity identity(String cluster, boolean metadata, boolean full) {
    return new StreamIdentity(cluster, "p", 1, 0, 1, metadata, full);
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
        with("include_metadata", true),
        with("full_txn_record", true),
        with("include_metadata", "true", "full_txn_record", false),
        Map.of("global_batch_seq", "1", "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1.0, "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1L, "array_index", 1L, "cluster_id", ""),
        Map.of("global_batch_seq", 1L, "array_index", 1L, "cluster_id", 5),
        Map.of("global_batch_seq", -1L, "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 0L, "array_index", 1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1L, "array_index", -1L, "cluster_id", "c"),
        Map.of("global_batch_seq", 1L, "array_index", 1L << 31, "cluster_id", "c"));
  }

  private static Map<String, Object> with(Object... more) {
    Map<String, Object> map =
        new HashMap<>(Map.of("global_batch_seq", 1L, "array_index", 1L, "cluster_id", "c"));
    for (int i = 0; i < more.length; i += 2) {
      map.put((String) more[i], more[i + 1]);
    }
    return map;
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
