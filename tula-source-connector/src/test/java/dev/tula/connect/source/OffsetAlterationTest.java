package dev.tula.connect.source;

import static dev.tula.connect.queryport.FakeEngine.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.queryport.SharedFakePort;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Offsets through Connect's REST API (KIP-875). */
class OffsetAlterationTest {
  private final FakeEngine engine = new FakeEngine().commitBatches(10, 1);
  private final Map<String, String> properties = Configs.minimal();

  @BeforeEach
  void useEngine() {
    SharedFakePort.use(engine);
    properties.put(SourceConfig.PARTITION_COUNT, "2");
    properties.put(QueryPortConfig.QUERY_PORT_CLASS, SharedFakePort.class.getName());
    properties.put(QueryPortConfig.VALIDATION_TIMEOUT_MS, "300");
  }

  @Test
  void an_offset_that_can_be_resumed_from_is_allowed() {
    assertThat(
            new TulaSourceConnector()
                .alterOffsets(properties, Map.of(partition("p", 1, 1, 2), offset("5:3"))))
        .isTrue();
  }

  @Test
  void a_tombstone_is_always_allowed_and_asks_nobody() {
    Map<Map<String, ?>, Map<String, ?>> offsets = new HashMap<>();
    offsets.put(partition("p", 1, 0, 2), null);
    offsets.put(partition("p", 1, 7, 64), null);
    offsets.put(Map.of("left", "over"), null);
    assertThatCode(() -> alter(offsets)).doesNotThrowAnyException();
    assertThat(engine.opens()).isEmpty();
  }

  @Test
  void an_offset_below_the_engine_s_floor_is_refused_with_the_missing_range() {
    engine.reclaim(Position.batchEnd(6));
    assertThatExceptionOfType(ConnectException.class)
        .isThrownBy(() -> alter(Map.of(partition("p", 1, 1, 2), offset("5:3"))))
        .withMessageStartingWith("TULA-87 ")
        .withMessageContaining("(5:3, 6:2147483647]");
    assertThatCode(() -> alter(Map.of(partition("p", 1, 1, 2), offset("6:2147483647"))))
        .doesNotThrowAnyException();
  }

  @Test
  void an_offset_among_seeded_rows_is_allowed_only_where_they_are_emitted() {
    properties.put(SourceConfig.INCLUDE_METADATA, "true");
    engine.reclaim(Position.batchEnd(5));
    assertThatCode(() -> alter(Map.of(partition("p", 1, 1, 2), offset("5:1073741830"))))
        .doesNotThrowAnyException();
    assertRefused(Map.of(partition("p", 1, 0, 2), offset("5:1073741823")), "write 5:2147483647");
    assertRefused(
        Map.of(partition("p", 1, 1, 2), offset("3:1073741830")), "(3:1073741830, 5:2147483647]");
    properties.put(SourceConfig.INCLUDE_METADATA, "false");
    assertRefused(Map.of(partition("p", 1, 1, 2), offset("5:1073741830")), "write 5:2147483647");
  }

  @Test
  void an_offset_beyond_the_ledger_s_end_is_refused() {
    assertRefused(Map.of(partition("p", 1, 1, 2), offset("11:0")), "beyond the ledger's end");
  }

  @Test
  void another_pipeline_s_partition_is_refused() {
    for (Map<String, Object> foreign :
        Arrays.asList(
            partition("q", 1, 1, 2),
            partition("p", 2, 1, 2),
            partition("p", 1, 2, 2),
            partition("p", 1, -1, 2),
            partition("p", 1, 1, 3))) {
      assertRefused(
          Map.of(foreign, offset("5:3")), "partition_count 2, and of these partition 0 to 1");
    }
  }

  @Test
  void a_partition_that_connect_would_file_under_another_key_is_refused() {
    Map<String, Object> reordered = new LinkedHashMap<>();
    reordered.put("partition", 1L);
    reordered.putAll(partition("p", 1, 1, 2));
    assertRefused(Map.of(reordered, offset("5:3")), "in the order [pipeline, generation");
  }

  @Test
  void what_is_malformed_is_refused_before_the_engine_is_asked() {
    assertRefused(Map.of(Map.of("pipeline", "p"), offset("5:3")), "exactly the keys");
    assertRefused(
        Map.of(partition("p", 1, 1, 2), Map.of("lsn", 5)),
        "exactly the keys [array_index, cluster_id, global_batch_seq], or with them"
            + " [full_txn_record, include_metadata]");
    assertThat(engine.opens()).isEmpty();
  }

  @Test
  void another_cluster_s_offset_is_refused() {
    Map<String, Object> foreign = new HashMap<>(offset("5:3"));
    foreign.put("cluster_id", "other");
    assertRefused(Map.of(partition("p", 1, 1, 2), foreign), "another cluster");
  }

  @Test
  void an_offset_of_another_record_mode_is_refused() {
    Map<String, Object> toggled = new HashMap<>(offset("5:3"));
    toggled.put("include_metadata", true);
    toggled.put("full_txn_record", false);
    assertRefused(Map.of(partition("p", 1, 1, 2), toggled), "tula.include.metadata=true");
    assertThat(engine.opens()).isEmpty();
  }

  @Test
  void without_the_engine_nothing_is_altered() {
    FakeEngine.Fault[] faults = new FakeEngine.Fault[200];
    Arrays.fill(faults, lost());
    engine.failOpen(faults);
    assertRefused(Map.of(partition("p", 1, 1, 2), offset("5:3")), "can't be asked");
  }

  private void assertRefused(Map<Map<String, ?>, Map<String, ?>> offsets, String words) {
    assertThatExceptionOfType(ConnectException.class)
        .isThrownBy(() -> alter(offsets))
        .withMessageContaining(words);
  }

  private void alter(Map<Map<String, ?>, Map<String, ?>> offsets) {
    new TulaSourceConnector().alterOffsets(properties, offsets);
  }

  private static Map<String, Object> partition(
      String pipeline, int generation, int partition, int count) {
    return new SourcePartition(pipeline, generation, partition, count).asMap();
  }

  private static Map<String, Object> offset(String position) {
    return new HashMap<>(new SourceOffset(Position.parse(position), FakeEngine.CLUSTER, null));
  }
}
