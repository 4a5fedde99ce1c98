package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.Chain;
import dev.tula.connect.sink.engine.SnapshotRetention.Listed;
import dev.tula.connect.sink.engine.SnapshotRetention.References;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots 1 to 6 of main, one a millisecond, all of them another engine's. */
@DisplayName("C29: what a cleanup keeps")
class SnapshotRetentionTest {
  private static final OptionalLong NONE = OptionalLong.empty();
  private static final References MAIN = new References(OptionalLong.of(6), Set.of(), Set.of());
  private static final SnapshotRetention ALL = new SnapshotRetention(100, 1);

  private final List<Listed> snapshots = new ArrayList<>();

  SnapshotRetentionTest() {
    for (long id = 1; id <= 6; id++) {
      snapshots.add(foreign(id, id - 1));
    }
  }

  private static Listed foreign(long id, long parent) {
    return new Listed(id, parent == 0 ? NONE : OptionalLong.of(parent), id, Optional.empty());
  }

  private List<Long> expirable(SnapshotRetention retention, References references) {
    return retention.expirable(snapshots, references, NONE, Optional.empty());
  }

  @Test
  void the_newest_of_main_stay_whatever_their_age() {
    assertThat(expirable(ALL, MAIN)).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(expirable(new SnapshotRetention(100, 4), MAIN)).containsExactly(1L, 2L);
    assertThat(expirable(new SnapshotRetention(100, 9), MAIN)).isEmpty();
    assertThatThrownBy(() -> new SnapshotRetention(100, 0)).hasMessageContaining("keep 0");
  }

  @Test
  void what_is_young_stays() {
    assertThat(expirable(new SnapshotRetention(3, 1), MAIN)).containsExactly(1L, 2L);
  }

  @Test
  void what_a_tag_or_a_branch_leads_to_stays() {
    snapshots.add(foreign(7, 2)); // a branch of two that left main at 2
    snapshots.add(foreign(8, 7));
    References references = new References(OptionalLong.of(6), Set.of(8L), Set.of(4L));

    assertThat(expirable(ALL, references)).containsExactly(1L, 2L, 3L, 5L);
    assertThat(expirable(ALL, MAIN)).contains(7L, 8L);
  }

  @Test
  @DisplayName("C7: the newest of ours stays, and the one that the watermark names")
  void what_the_sink_goes_by_stays() {
    TableAtWatermark watermark =
        new TableAtWatermark("uuid", Optional.empty(), Chain.ZERO, OptionalLong.of(2), 0);

    assertThat(ALL.expirable(snapshots, MAIN, OptionalLong.of(3), Optional.of(watermark)))
        .containsExactly(1L, 4L, 5L);
  }

  private static Listed ours(long id, long parent, CommitKind kind) {
    return new Listed(id, OptionalLong.of(parent), id, Optional.of(kind));
  }

  private List<Long> expirableAt(long named) {
    return ALL.expirable(
        snapshots,
        MAIN,
        NONE,
        Optional.of(
            new TableAtWatermark("uuid", Optional.empty(), Chain.ZERO, OptionalLong.of(named), 0)));
  }

  @ParameterizedTest
  @EnumSource(names = {"CLAIM", "RANGE"})
  @DisplayName("what a writer did last stays, and until the watermark names it what we did since")
  void what_the_watermark_may_come_to_name_stays(CommitKind kind) {
    snapshots.set(0, ours(1, 0, CommitKind.RANGE));
    snapshots.set(2, ours(3, 2, kind));
    snapshots.set(4, ours(5, 4, CommitKind.COMPACT));

    assertThat(expirable(ALL, MAIN)).containsExactly(1L, 2L, 4L);
    assertThat(expirableAt(1)).containsExactly(2L, 4L);
    assertThat(expirableAt(99)).containsExactly(1L, 2L, 4L);
    assertThat(expirableAt(3)).containsExactly(1L, 2L, 4L, 5L);
    assertThat(expirableAt(5)).containsExactly(1L, 2L, 4L);
  }

  @Test
  void what_a_writer_did_last_stays_where_an_earlier_cleanup_cut_it_off_from_main() {
    snapshots.set(2, ours(3, 2, CommitKind.CLAIM));
    snapshots.subList(3, 5).clear();
    snapshots.set(3, ours(6, 5, CommitKind.CLEANUP));

    assertThat(expirable(ALL, MAIN)).containsExactly(1L, 2L);
    assertThat(expirableAt(1)).containsExactly(2L);
  }

  @Test
  void a_table_without_snapshots_has_nothing_to_expire() {
    assertThat(
            ALL.expirable(
                List.of(), new References(NONE, Set.of(), Set.of()), NONE, Optional.empty()))
        .isEmpty();
  }
}
