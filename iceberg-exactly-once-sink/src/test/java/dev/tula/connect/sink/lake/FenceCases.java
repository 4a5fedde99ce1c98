package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.claim;
import static dev.tula.connect.sink.lake.LakeFixture.claimed;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static dev.tula.connect.sink.lake.LakeFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The compare-and-set of C14, against every kind of change in between. */
abstract class FenceCases extends LakeCases {
  @BeforeEach
  void openTable() {
    fixture.opened();
  }

  private static TableCommit claimCommit(TableView view, int number) {
    return new TableCommit(
        TABLE,
        view.uuid(),
        view.property(),
        claimed(view.property(), claim(number)),
        new Change.NoRows(),
        Map.of());
  }

  private int snapshots() {
    List<Snapshot> snapshots = new ArrayList<>();
    fixture.foreign().snapshots().forEach(snapshots::add);
    return snapshots.size();
  }

  private static TableMetadata metadata(Table table) {
    return ((HasTableOperations) table).operations().current();
  }

  @Test
  @DisplayName("C4, C14: a claim is an empty snapshot that carries the state")
  void claim_is_an_empty_snapshot_with_the_new_state() {
    TableState before = fixture.state();

    CommitReply reply = fixture.claim(TABLE, claim(2));

    Snapshot snapshot = fixture.foreign().currentSnapshot();
    assertThat(reply).isEqualTo(new Landed(snapshot.snapshotId()));
    assertThat(snapshot.summary()).containsEntry("total-records", "0");
    assertThat(fixture.state()).isEqualTo(claimed(Optional.of(before), claim(2)));
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  @DisplayName("C14: state goes into summary and property in one metadata version")
  void rows_summary_property_and_extra_properties_become_visible_together() {
    TableCommit commit = fixture.rangeCommit(range(0, 5));
    TableMetadata before = metadata(fixture.foreign());

    fixture.lake.commit(
        new TableCommit(
            commit.table(),
            commit.uuid(),
            commit.expected(),
            commit.next(),
            commit.change(),
            Map.of("tula.halt.h1", "why")));

    TableMetadata after = metadata(fixture.foreign());
    assertThat(after.previousFiles()).hasSize(before.previousFiles().size() + 1);
    assertThat(after.currentSnapshot().summary())
        .containsAllEntriesOf(commit.next().toProperties());
    assertThat(TableState.ofProperties(after.currentSnapshot().summary())).isEqualTo(commit.next());
    assertThat(after.properties())
        .containsEntry("tula.state", commit.next().toJson())
        .containsEntry("tula.halt.h1", "why");
    assertThat(after.currentSnapshot().summary()).containsEntry("total-records", "5");
  }

  @Test
  @DisplayName("I5: a zombie's commit is refused after a newer claim")
  void zombie_writer_cannot_commit_after_a_newer_claim() {
    TableCommit zombie = fixture.rangeCommit(range(0, 5));
    fixture.claim(TABLE, claim(2));

    TableView now = refusal(fixture.lake.commit(zombie));

    assertThat(now.property().orElseThrow().claim()).isEqualTo(claim(2));
    assertThat(fixture.view().totalRecords()).isZero();
  }

  @Test
  @DisplayName("C14 ▲: a claim does not overwrite a range that slips in before it is sent")
  void claim_is_refused_where_a_range_slips_in_while_iceberg_prepares_it() {
    try (LakeFixture slow = interferingOnRefresh(() -> fixture.commitRange(0, 5))) {
      TableView now = refusal(slow.lake.commit(claimCommit(fixture.view(), 2)));

      assertThat(now.property().orElseThrow().commit()).isEqualTo(CommitKind.RANGE);
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(5);
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  @DisplayName("C14 ▲: a claim does not overwrite a range that slips in while it is sent")
  void claim_is_refused_where_a_range_slips_in_before_the_catalog_swaps() {
    try (LakeFixture slow = fixture.interferingOnCommit(() -> fixture.commitRange(0, 5))) {
      TableView now = refusal(slow.lake.commit(claimCommit(fixture.view(), 2)));

      assertThat(now.property().orElseThrow().claim()).isEqualTo(claim(1));
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(5);
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  @DisplayName("C14: a range does not land on a claim that slips in")
  void range_is_refused_where_a_claim_slips_in() {
    for (boolean whileSent : new boolean[] {false, true}) {
      TableCommit range = fixture.rangeCommit(range(0, 5));
      int number = whileSent ? 3 : 2;
      Runnable claim = () -> fixture.claim(TABLE, claim(number));
      try (LakeFixture slow =
          whileSent ? fixture.interferingOnCommit(claim) : interferingOnRefresh(claim)) {
        assertThat(refusal(slow.lake.commit(range)).property().orElseThrow().claim())
            .isEqualTo(claim(number));
      }
      assertThat(fixture.view().totalRecords()).isZero();
    }
  }

  @Test
  @DisplayName("C7: a foreign append in between is refused, and shows as a disagreement")
  void commit_is_refused_after_a_foreign_append_in_between() {
    TableCommit commit = fixture.rangeCommit(range(0, 5));
    try (LakeFixture slow = interferingOnRefresh(() -> ForeignEngine.append(fixture, 3))) {
      assertThat(refusal(slow.lake.commit(commit)).disagreement().orElseThrow())
          .contains("has 3 rows where its state says 0");
    }
  }

  @Test
  @DisplayName("C7: a compaction in between keeps all three witnesses, and the commit lands")
  void commit_lands_on_top_of_a_foreign_compaction_in_between() {
    fixture.commitRange(0, 5);
    TableCommit commit = fixture.rangeCommit(range(5, 8));
    try (LakeFixture slow = interferingOnRefresh(() -> ForeignEngine.compact(fixture))) {
      assertThat(slow.lake.commit(commit)).isInstanceOf(Landed.class);
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(8);
    assertThat(fixture.lake.read(TABLE, range(0, 8), 100)).hasSize(8);
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  @DisplayName("C14: a conflict with a compaction is tried again, on the table as it is then")
  void commit_is_tried_again_after_a_compaction_won_the_swap() {
    fixture.commitRange(0, 5);
    TableCommit commit = fixture.rangeCommit(range(5, 8));
    try (LakeFixture slow = fixture.interferingOnCommit(() -> ForeignEngine.compact(fixture))) {
      assertThat(slow.lake.commit(commit)).isInstanceOf(Landed.class);
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(8);
    assertThat(fixture.lake.read(TABLE, range(0, 8), 100)).hasSize(8);
  }

  @Test
  @DisplayName("I5: of two commits on one state exactly one lands")
  void of_two_racing_commits_on_one_state_exactly_one_lands() throws Exception {
    try (LakeFixture rival = rival()) {
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        for (int round = 0; round < 8; round++) {
          race(threads, rival, round);
        }
      } finally {
        threads.shutdownNow();
      }
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(8);
    assertThat(fixture.lake.read(TABLE, range(0, 8), 100)).hasSize(8);
  }

  private void race(ExecutorService threads, LakeFixture rival, int round) throws Exception {
    TableCommit mine = fixture.rangeCommit(range(round, round + 1));
    TableCommit theirs = claimCommit(rival.view(), 100 + round);
    CyclicBarrier start = new CyclicBarrier(2);
    Future<CommitReply> range =
        threads.submit(
            () -> {
              start.await();
              return fixture.lake.commit(mine);
            });
    Future<CommitReply> claim =
        threads.submit(
            () -> {
              start.await();
              return rival.lake.commit(theirs);
            });
    List<CommitReply> replies = List.of(range.get(), claim.get());
    assertThat(replies).filteredOn(Landed.class::isInstance).hasSize(1);
    assertThat(replies).filteredOn(Refused.class::isInstance).hasSize(1);
    assertThat(fixture.view().disagreement()).isEmpty();
    if (range.get() instanceof Refused) {
      assertThat(fixture.commitRange(round, round + 1)).isInstanceOf(Landed.class);
    }
  }

  @Test
  @DisplayName("C16: the same commit again finds itself in the table")
  void commit_that_is_there_already_is_reported_as_landed_and_not_repeated() {
    TableCommit commit = fixture.rangeCommit(range(0, 5));
    CommitReply first = fixture.lake.commit(commit);
    int snapshots = snapshots();

    assertThat(fixture.lake.commit(commit)).isEqualTo(first);

    assertThat(snapshots()).isEqualTo(snapshots);
    assertThat(fixture.view().totalRecords()).isEqualTo(5);
  }

  @Test
  @DisplayName("C16: a commit that lands late, between check and send, is not sent twice")
  void commit_that_lands_late_while_it_is_prepared_again_lands_once() {
    TableCommit commit = fixture.rangeCommit(range(0, 5));
    try (LakeFixture again = interferingOnRefresh(() -> fixture.lake.commit(commit))) {
      assertThat(again.lake.commit(commit)).isInstanceOf(Landed.class);
      assertThat(again.lake.withheldDeletes()).isZero();
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(5);
    assertThat(fixture.lake.read(TABLE, range(0, 5), 100)).hasSize(5);
  }

  @Test
  @DisplayName("C6, I6: another table under the same name is refused")
  void commit_is_refused_by_a_table_that_was_made_anew() {
    TableCommit commit = fixture.rangeCommit(range(0, 5));
    fixture.catalog.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);
    fixture.lake.create(TABLE);

    TableView now = refusal(fixture.lake.commit(commit));

    assertThat(now.uuid()).isNotEqualTo(commit.uuid());
    assertThat(now.property()).isEmpty();
  }

  @Test
  @DisplayName("I6: a table that is made anew while a commit is prepared is refused")
  void commit_is_refused_by_a_table_that_is_made_anew_meanwhile() {
    TableCommit commit = fixture.rangeCommit(range(0, 5));
    Runnable recreate =
        () -> {
          fixture.catalog.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);
          fixture.lake.create(TABLE);
        };
    try (LakeFixture slow = interferingOnRefresh(recreate)) {
      assertThat(refusal(slow.lake.commit(commit)).uuid()).isNotEqualTo(commit.uuid());
    }
    assertThat(fixture.view().totalRecords()).isZero();
  }

  @Test
  void commit_to_a_dropped_table_is_refused_without_a_view() {
    TableCommit commit = fixture.rangeCommit(range(0, 5));
    fixture.catalog.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);

    assertThat(fixture.lake.commit(commit)).isEqualTo(new Refused(Optional.empty()));
  }

  @Test
  @DisplayName("C14: extra commits of the kind that changes nothing but properties land as well")
  void same_state_can_be_committed_again_with_other_properties() {
    TableView view = fixture.view();
    TableState halted = view.property().orElseThrow().after(CommitKind.HALT);
    fixture.lake.commit(halt(view, halted, "h1"));

    assertThat(fixture.lake.commit(halt(fixture.view(), halted, "h2"))).isInstanceOf(Landed.class);

    assertThat(fixture.view().halts()).containsOnlyKeys("h1", "h2");
  }

  private static TableCommit halt(TableView view, TableState halted, String id) {
    return new TableCommit(
        TABLE,
        view.uuid(),
        view.property(),
        halted,
        new Change.NoRows(),
        Map.of("tula.halt." + id, "found"));
  }

  @Test
  @DisplayName("I6: rows go into no table whose columns are not what they were")
  void rows_are_refused_by_a_table_with_a_schema_fault_and_a_claim_is_not() {
    TableCommit rows = fixture.rangeCommit(range(0, 5));
    fixture.foreign().updateSchema().deleteColumn("reason_code").commit();

    assertThat(refusal(fixture.lake.commit(rows)).schemaFault()).isPresent();
    assertThat(fixture.claim(TABLE, claim(2))).isInstanceOf(Landed.class);
  }

  /** Over a catalog where something happens between a commit's own check and its preparation. */
  private LakeFixture interferingOnRefresh(Runnable interference) {
    AtomicBoolean done = new AtomicBoolean();
    return fixture.through(
        catalog ->
            new CatalogDouble(
                catalog,
                operations ->
                    new CatalogDouble.Operations(operations) {
                      @Override
                      public TableMetadata refresh() {
                        if (done.compareAndSet(false, true)) {
                          interference.run();
                        }
                        return super.refresh();
                      }
                    }));
  }
}
