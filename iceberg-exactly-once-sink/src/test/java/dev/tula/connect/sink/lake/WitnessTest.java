package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import java.nio.file.Path;
import org.apache.iceberg.CachingCatalog;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Expressions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the three witnesses of C7 show after foreign hands were at a table. */
class WitnessTest {
  @TempDir Path folder;
  private LakeFixture fixture;

  @BeforeEach
  void open() {
    fixture = LakeFixture.in(folder).opened();
    assertThat(fixture.commitRange(0, 4)).isInstanceOf(Landed.class);
    assertThat(fixture.commitRange(4, 6)).isInstanceOf(Landed.class);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private String disagreement() {
    return fixture.view().disagreement().orElse("none");
  }

  @Test
  void table_as_we_left_it_agrees_with_itself() {
    TableView view = fixture.view();

    assertThat(view.disagreement()).isEmpty();
    assertThat(view.totalRecords()).isEqualTo(6);
    assertThat(view.newestOurs()).isEqualTo(view.property());
    assertThat(view.newestOursSnapshotId())
        .hasValue(fixture.foreign().currentSnapshot().snapshotId());
  }

  @Test
  @DisplayName("C7: a rollback takes the ancestor back and leaves the property")
  void rollback_is_a_disagreement() {
    Table table = fixture.foreign();
    long parent = table.currentSnapshot().parentId();
    table.manageSnapshots().rollbackTo(parent).commit();

    assertThat(disagreement()).contains("rolled back");
  }

  @Test
  @DisplayName("C7: a rollback and back again is no disagreement")
  void rollback_that_was_undone_is_tolerated() {
    Table table = fixture.foreign();
    Snapshot last = table.currentSnapshot();
    table.manageSnapshots().rollbackTo(last.parentId()).commit();
    table.manageSnapshots().setCurrentSnapshot(last.snapshotId()).commit();

    assertThat(disagreement()).isEqualTo("none");
  }

  @Test
  @DisplayName("C6, C7: CREATE OR REPLACE keeps UUID and properties ▲, and is a disagreement")
  void create_or_replace_is_a_disagreement() {
    Table before = fixture.foreign();
    fixture
        .catalog
        .buildTable(TableIdentifier.of(NAMESPACE, TABLE), before.schema())
        .createOrReplaceTransaction()
        .commitTransaction();

    TableView view = fixture.view();
    assertThat(view.uuid()).isEqualTo(before.uuid().toString());
    assertThat(view.property()).isPresent();
    assertThat(view.newestOurs()).isEmpty();
    assertThat(disagreement()).contains("has 0 rows where its state says 6");
  }

  @Test
  @DisplayName("C7: a foreign DELETE of files")
  void foreign_delete_is_a_disagreement() {
    fixture
        .foreign()
        .newDelete()
        .deleteFile(ForeignEngine.files(fixture.foreign()).iterator().next())
        .commit();

    assertThat(disagreement()).contains("where its state says 6");
  }

  @Test
  @DisplayName("C7: a foreign DELETE that leaves the files and hides rows of them")
  void foreign_delete_by_position_is_a_disagreement() {
    ForeignEngine.deleteOneRowByPosition(fixture);

    assertThat(disagreement()).contains("has 5 rows where its state says 6");
  }

  @Test
  @DisplayName("C7: a foreign TRUNCATE")
  void foreign_truncate_is_a_disagreement() {
    fixture.foreign().newDelete().deleteFromRowFilter(Expressions.alwaysTrue()).commit();

    assertThat(disagreement()).contains("has 0 rows where its state says 6");
  }

  @Test
  @DisplayName("C7: a foreign INSERT")
  void foreign_append_is_a_disagreement() {
    ForeignEngine.append(fixture, 2);

    assertThat(disagreement()).contains("has 8 rows where its state says 6");
  }

  @Test
  @DisplayName("C7: compaction keeps all three")
  void compaction_is_tolerated() {
    TableState before = fixture.state();
    ForeignEngine.compact(fixture);

    TableView view = fixture.view();
    assertThat(view.disagreement()).isEmpty();
    assertThat(view.newestOurs()).contains(before);
    assertThat(view.newestOursSnapshotId().orElseThrow())
        .isNotEqualTo(fixture.foreign().currentSnapshot().snapshotId());
  }

  /** Leaves no snapshot of ours. */
  private void compactAndExpire() {
    ForeignEngine.compact(fixture);
    fixture
        .foreign()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 60_000)
        .retainLast(1)
        .commit();
  }

  @Test
  @DisplayName("C7: with our snapshots expired, property and row count still witness")
  void expiry_of_every_snapshot_of_ours_is_tolerated() {
    compactAndExpire();

    TableView view = fixture.view();
    assertThat(view.newestOurs()).isEmpty();
    assertThat(view.newestOursSnapshotId()).isEmpty();
    assertThat(view.disagreement()).isEmpty();
    assertThat(fixture.commitRange(6, 7)).isInstanceOf(Landed.class);
  }

  @Test
  @DisplayName("C16: a commit is found by its state even where its snapshot was expired")
  void commit_that_landed_is_found_after_its_snapshot_was_expired() {
    TableCommit commit = fixture.rangeCommit(range(6, 7));
    fixture.lake.commit(commit);
    compactAndExpire();

    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
    assertThat(fixture.view().totalRecords()).isEqualTo(7);
  }

  @Test
  @DisplayName("I6: a table that has rows and no state")
  void removed_property_is_a_disagreement() {
    fixture.foreign().updateProperties().remove("tula.state").commit();

    assertThat(disagreement()).contains("tula.state is gone");
  }

  @Test
  void unreadable_property_is_named_with_its_table() {
    fixture.foreign().updateProperties().set("tula.state", "{}").commit();

    assertThatThrownBy(() -> fixture.view())
        .isInstanceOf(MalformedStateException.class)
        .hasMessageContainingAll("transactions", "tula.format");
  }

  @Test
  @DisplayName("C7: rows are counted from the manifests where an engine left the total out")
  void total_is_counted_where_the_summary_lacks_it() {
    ForeignEngine.forge(
        fixture,
        TABLE,
        json -> json.replaceAll("\"total-(records|delete-files)\"\\s*:\\s*\"[0-9]+\",?", ""));
    assertThat(fixture.foreign().currentSnapshot().summary())
        .doesNotContainKeys("total-records", "total-delete-files");

    assertThat(fixture.view().totalRecords()).isEqualTo(6);
    assertThat(fixture.view().disagreement()).isEmpty();
    assertThat(fixture.commitRange(6, 7)).isInstanceOf(Landed.class);
    assertThat(fixture.foreign().currentSnapshot().summary()).doesNotContainKey("total-records");
    assertThat(fixture.view().totalRecords()).isEqualTo(7);
  }

  @Test
  @DisplayName("C7: ... and hidden rows are found there too")
  void deletes_are_counted_where_the_summary_lacks_them() {
    ForeignEngine.deleteOneRowByPosition(fixture);
    ForeignEngine.forge(
        fixture,
        TABLE,
        json -> json.replaceAll("\"total-(records|delete-files)\"\\s*:\\s*\"[0-9]+\",?", ""));

    assertThat(fixture.view().totalRecords()).isEqualTo(5);
  }

  @Test
  void load_goes_past_a_caching_catalog() {
    try (LakeFixture cached = fixture.through(CachingCatalog::wrap)) {
      assertThat(cached.view().totalRecords()).isEqualTo(6);
      try (LakeFixture rival = LakeFixture.in(folder)) {
        rival.commitRange(6, 9);
      }
      assertThat(cached.view().totalRecords()).isEqualTo(9);

      fixture.catalog.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);
      assertThat(cached.lake.load(TABLE)).isEmpty();

      fixture.lake.create(TABLE);
      assertThat(cached.view().property()).isEmpty();
    }
  }

  @Test
  @DisplayName("C25: halts and clears are read from the properties")
  void halts_and_clears_are_read_from_the_properties() {
    fixture
        .foreign()
        .updateProperties()
        .set("tula.halt.a", "overlap")
        .set("tula.halt.b", "gap")
        .set("tula.clear.a", "by hand")
        .commit();

    assertThat(fixture.view().halts()).containsEntry("a", "overlap").containsEntry("b", "gap");
    assertThat(fixture.view().clearedHalts()).containsExactly("a");
  }

  @Test
  @DisplayName("I6: another partition spec is a fault")
  void partition_spec_is_a_schema_fault() {
    fixture.foreign().updateSpec().addField(Expressions.bucket("txn_id", 4)).commit();

    assertThat(fixture.view().schemaFault().orElseThrow()).contains("partitioned");
    assertThat(fixture.foreign().spec()).isNotEqualTo(PartitionSpec.unpartitioned());
  }
}
