package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.claim;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.Lake.CommitReply.Unknown;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expiring snapshots and rewriting files, as compare-and-sets of a table's whole state (C14). */
class MaintenanceTest {
  @TempDir Path folder;
  private LakeFixture fixture;

  @BeforeEach
  void open() {
    fixture = LakeFixture.in(folder).opened();
    assertThat(fixture.commitRange(0, 3)).isInstanceOf(Landed.class);
    assertThat(fixture.commitRange(3, 5)).isInstanceOf(Landed.class);
    assertThat(fixture.commitRange(5, 9)).isInstanceOf(Landed.class);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private List<Long> snapshotIds() {
    return StreamSupport.stream(fixture.foreign().snapshots().spliterator(), false)
        .map(Snapshot::snapshotId)
        .toList();
  }

  private TableCommit commit(CommitKind kind, Change change) {
    TableView view = fixture.view();
    TableState state = view.property().orElseThrow();
    return new TableCommit(
        TABLE, view.uuid(), Optional.of(state), state.after(kind), change, Map.of());
  }

  private TableCommit expiry(Long... ids) {
    return commit(CommitKind.CLEANUP, new Change.Expire(Set.of(ids)));
  }

  private IcebergLake.Contents contents() {
    return fixture.lake.contents(TABLE).orElseThrow();
  }

  private static List<ListedDataFile> files(IcebergLake.Contents contents) {
    return ForeignEngine.files(contents.table()).stream()
        .sorted(Comparator.comparing(DataFile::fileSequenceNumber))
        .map(ListedDataFile::new)
        .toList();
  }

  private IcebergLake.RewrittenFile rewritten(IcebergLake.Contents contents) {
    return fixture.lake.rewrite(
        contents, TABLE, files(contents), "1-1-w-" + TABLE + "-9.0.parquet");
  }

  private TableCommit rewriting() {
    IcebergLake.Contents contents = contents();
    return commit(
        CommitKind.COMPACT,
        new Change.Rewrite(
            contents.table().currentSnapshot().snapshotId(),
            List.copyOf(files(contents)),
            List.of(rewritten(contents).file())));
  }

  private LakeFixture before(Runnable interference) {
    return fixture.handling(
        (operations, base, metadata) -> {
          interference.run();
          operations.commit(base, metadata);
        });
  }

  private static LakeFixture answering(LakeFixture fixture, RuntimeException answer) {
    return fixture.handling(
        (operations, base, metadata) -> {
          operations.commit(base, metadata);
          throw answer;
        });
  }

  @Test
  @DisplayName("C29: an expiry commits an empty snapshot of ours, and deletes no file")
  void expiry_lands_with_a_snapshot_of_its_own() {
    List<Long> ids = snapshotIds();
    TableState before = fixture.state();
    List<String> files =
        ForeignEngine.files(fixture.foreign()).stream().map(DataFile::location).toList();

    CommitReply reply = fixture.lake.commit(expiry(ids.get(0), ids.get(1), ids.get(2)));

    long added = ((Landed) reply).snapshotId();
    assertThat(snapshotIds()).containsExactly(ids.get(3), added);
    Snapshot snapshot = fixture.foreign().currentSnapshot();
    assertThat(snapshot.snapshotId()).isEqualTo(added);
    assertThat(TableState.ofProperties(snapshot.summary()))
        .isEqualTo(before.after(CommitKind.CLEANUP))
        .isEqualTo(fixture.state());
    assertThat(files)
        .allSatisfy(
            file -> assertThat(fixture.foreign().io().newInputFile(file).exists()).isTrue());
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).hasSize(9);
    assertThat(fixture.commitRange(9, 12)).isInstanceOf(Landed.class);
  }

  @Test
  @DisplayName("C29: what a tag names is not expired, and the refusal says so")
  void tagged_snapshot_is_never_expired() {
    List<Long> ids = snapshotIds();
    TableCommit expiry = expiry(ids.get(0), ids.get(1));
    fixture.foreign().manageSnapshots().createTag("audit", ids.get(1)).commit();

    assertThatThrownBy(() -> fixture.lake.commit(expiry))
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("audit");
    assertThat(snapshotIds()).isEqualTo(ids);
  }

  @Test
  @DisplayName("C29: a tag set while the expiry is under way is not lost")
  void tag_in_between_stops_the_expiry() {
    List<Long> ids = snapshotIds();
    TableCommit expiry = expiry(ids.get(0), ids.get(1));
    try (LakeFixture interfered =
        before(
            () -> {
              if (!fixture.foreign().refs().containsKey("audit")) {
                fixture.foreign().manageSnapshots().createTag("audit", ids.get(0)).commit();
              }
            })) {
      assertThat(interfered.lake.commit(expiry)).isInstanceOf(Unknown.class);
    }
    assertThat(snapshotIds()).isEqualTo(ids);
    assertThat(fixture.foreign().refs()).containsKey("audit");
  }

  @Test
  @DisplayName("C14: an expiry does not land on a table that another writer has claimed since")
  void expiry_is_refused_after_a_newer_claim() {
    List<Long> ids = snapshotIds();
    TableCommit expiry = expiry(ids.get(0));
    fixture.claim(TABLE, claim(2));

    assertThat(fixture.lake.commit(expiry)).isInstanceOf(Refused.class);
    assertThat(snapshotIds()).contains(ids.get(0));
    assertThat(fixture.state().claim()).isEqualTo(claim(2));
  }

  @Test
  @DisplayName("C17: an expiry that landed has landed, whatever the catalog answered")
  void expiry_that_is_reported_as_failed_and_landed_is_success() {
    List<Long> ids = snapshotIds();
    TableCommit expiry = expiry(ids.get(0), ids.get(1));
    try (LakeFixture lying = answering(fixture, new CommitFailedException("re-run UPDATE"))) {
      assertThat(lying.lake.commit(expiry)).isInstanceOf(Landed.class);
    }
    assertThat(snapshotIds()).doesNotContain(ids.get(0), ids.get(1));
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).hasSize(9);
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  @DisplayName("C7, C14: a rewrite keeps rows, order and all three witnesses, and history may go")
  void rewrite_keeps_the_rows_and_the_state() {
    List<CanonicalRow> rows = fixture.lake.read(TABLE, range(0, 9), 100);
    TableState before = fixture.state();

    assertThat(fixture.lake.commit(rewriting())).isInstanceOf(Landed.class);

    Table table = fixture.foreign();
    assertThat(table.currentSnapshot().operation()).isEqualTo("replace");
    assertThat(ForeignEngine.files(table)).hasSize(1);
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).isEqualTo(rows);
    assertThat(positions(table))
        .isEqualTo(rows.stream().map(row -> row.position().toString()).toList());
    assertThat(fixture.state()).isEqualTo(before.after(CommitKind.COMPACT));
    assertThat(fixture.view().disagreement()).isEmpty();
    assertThat(fixture.commitRange(9, 12)).isInstanceOf(Landed.class);
  }

  /** In the order that the files have them. */
  private static List<String> positions(Table table) {
    List<String> positions = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      records.forEach(
          row ->
              positions.add(row.getField("global_batch_seq") + ":" + row.getField("array_index")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return positions;
  }

  @Test
  void rewrite_lands_though_older_history_was_expired() {
    fixture.foreign().expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();

    assertThat(fixture.lake.commit(rewriting())).isInstanceOf(Landed.class);
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).hasSize(9);
  }

  @Test
  @DisplayName("C14: a rewrite does not land on a range that slipped in, nor undoes it")
  void rewrite_is_refused_after_a_range() {
    TableCommit rewriting = rewriting();
    assertThat(fixture.commitRange(9, 12)).isInstanceOf(Landed.class);

    assertThat(fixture.lake.commit(rewriting)).isInstanceOf(Refused.class);
    assertThat(fixture.lake.read(TABLE, range(0, 12), 100)).hasSize(12);
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  void rewrite_is_refused_after_a_range_that_came_while_it_was_sent() {
    TableCommit rewriting = rewriting();
    try (LakeFixture interfered =
        before(
            () -> {
              if (fixture.state().totalRows() == 9) {
                fixture.commitRange(9, 12);
              }
            })) {
      assertThat(interfered.lake.commit(rewriting)).isInstanceOf(Refused.class);
    }
    assertThat(fixture.lake.read(TABLE, range(0, 12), 100)).hasSize(12);
  }

  /** The state is the same; only the snapshot is not. */
  @Test
  void rewrite_is_refused_after_a_foreign_compaction() {
    TableCommit rewriting = rewriting();
    ForeignEngine.compact(fixture);

    assertThat(fixture.lake.commit(rewriting)).isInstanceOf(Refused.class);
    assertThat(fixture.view().totalRecords()).isEqualTo(9);
  }

  @Test
  @DisplayName("C16: a rewrite whose reply is lost is found in the table")
  void rewrite_whose_reply_is_lost_is_success() {
    TableCommit rewriting = rewriting();
    try (LakeFixture lying = answering(fixture, new ServiceFailureException("503"))) {
      assertThat(lying.lake.commit(rewriting)).isInstanceOf(Landed.class);
    }
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).hasSize(9);
  }

  @Test
  void rewrite_of_which_nobody_knows_lands_at_most_once() {
    TableCommit rewriting = rewriting();
    try (LakeFixture deaf =
        fixture.handling(
            (operations, base, metadata) -> {
              throw new ServiceFailureException("503");
            })) {
      assertThat(deaf.lake.commit(rewriting)).isInstanceOf(Unknown.class);
    }
    assertThat(fixture.lake.commit(rewriting)).isInstanceOf(Landed.class);
    assertThat(fixture.lake.commit(rewriting)).isInstanceOf(Landed.class);
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).hasSize(9);
  }

  @Test
  void rows_are_counted_and_added_up() {
    IcebergLake.Contents contents = contents();
    RowSums whole = fixture.lake.sums(contents, TABLE, range(0, 9));

    assertThat(whole).isEqualTo(rewritten(contents).rows());
    assertThat(whole)
        .isEqualTo(new RowSums(fixture.state().totalRows(), fixture.state().totalAmountSum()));
    assertThat(fixture.lake.sums(contents, TABLE, range(3, 5)).rows()).isEqualTo(2);
  }

  /** Rows of everywhere in every file, each file in order. */
  @Test
  void files_that_overlap_are_merged_by_position() {
    List<Record> rows = records();
    replaceAll(every(rows, 2, 0), every(rows, 2, 1));
    List<CanonicalRow> before = fixture.lake.read(TABLE, range(0, 9), 100);

    assertThat(fixture.lake.commit(rewriting())).isInstanceOf(Landed.class);

    assertThat(positions(fixture.foreign()))
        .isEqualTo(before.stream().map(row -> row.position().toString()).toList());
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).isEqualTo(before);
  }

  @Test
  void file_whose_rows_are_in_no_order_is_refused() {
    List<Record> rows = records();
    Collections.reverse(rows);
    replaceAll(rows);
    IcebergLake.Contents contents = contents();

    assertThatThrownBy(() -> rewritten(contents))
        .isInstanceOf(ChangedRowsException.class)
        .hasMessageContaining("is not in the order of positions");
  }

  @Test
  @DisplayName("I7: a column that somebody added keeps its values")
  void values_of_an_added_column_are_kept() {
    fixture.foreign().updateSchema().addColumn("note", Types.StringType.get()).commit();
    List<Record> rows = records();
    rows.forEach(row -> row.setField("note", "of " + row.getField("global_batch_seq")));
    replaceAll(rows.subList(0, 4), rows.subList(4, 9));

    assertThat(fixture.lake.commit(rewriting())).isInstanceOf(Landed.class);

    assertThat(records())
        .hasSize(9)
        .allSatisfy(
            row ->
                assertThat(row.getField("note"))
                    .isEqualTo("of " + row.getField("global_batch_seq")));
  }

  private List<Record> records() {
    List<Record> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(fixture.foreign()).build()) {
      records.forEach(row -> rows.add(((GenericRecord) row).copy()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rows.sort(Comparator.comparing(row -> (Long) row.getField("global_batch_seq")));
    return rows;
  }

  private static List<Record> every(List<Record> rows, int nth, int from) {
    List<Record> some = new ArrayList<>();
    for (int i = from; i < rows.size(); i += nth) {
      some.add(rows.get(i));
    }
    return some;
  }

  @SafeVarargs
  private void replaceAll(List<Record>... files) {
    Table table = fixture.foreign();
    var rewrite = table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
    ForeignEngine.files(table).forEach(rewrite::deleteFile);
    for (List<Record> rows : files) {
      rewrite.addFile(ForeignEngine.write(table, rows));
    }
    rewrite.commit();
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  void staged_file_of_a_rewrite_is_no_file_of_the_table_yet() {
    StagedFile staged = rewritten(contents()).file();

    assertThat(staged.rows()).isEqualTo(9);
    assertThat(ForeignEngine.files(fixture.foreign()).stream().map(DataFile::location))
        .doesNotContain(staged.location());
  }

  private TableCommit repair(Set<Position> wrong, List<CanonicalRow> right) {
    IcebergLake.Contents contents = contents();
    List<StagedFile> by = new ArrayList<>();
    for (ListedDataFile file : files(contents)) {
      by.add(
          fixture
              .lake
              .rewriteWithout(
                  contents, TABLE, file, wrong, "1-1-r-" + TABLE + "-9.0-" + by.size() + ".parquet")
              .file());
    }
    if (!right.isEmpty()) {
      by.add(fixture.lake.stage(TABLE, "1-1-r-" + TABLE + "-9.0.parquet", LakeFixture.rows(right)));
    }
    return commit(
        CommitKind.REPAIR,
        new Change.Repair(
            contents.table().currentSnapshot().snapshotId(),
            contents.view().totalRecords(),
            List.copyOf(files(contents)),
            by));
  }

  @Test
  @DisplayName("C14: a repair lands where rows are missing, and then all witnesses agree")
  void repair_makes_the_rows_what_the_state_says() {
    List<CanonicalRow> rows = fixture.lake.read(TABLE, range(0, 9), 100);
    Table table = fixture.foreign();
    DataFile first = files(contents()).get(0).dataFile();
    table.newDelete().deleteFile(first).commit();
    assertThat(fixture.view().disagreement()).isPresent();
    assertThat(fixture.lake.commit(expiry(snapshotIds().get(0)))).isInstanceOf(Refused.class);
    TableCommit repair =
        repair(
            Set.of(rows.get(5).position()),
            List.of(rows.get(0), rows.get(1), rows.get(2), rows.get(5)));

    assertThat(fixture.lake.commit(repair)).isInstanceOf(Landed.class);

    assertThat(fixture.view().disagreement()).isEmpty();
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).isEqualTo(rows);
    assertThat(fixture.state().commit()).isEqualTo(CommitKind.REPAIR);
    assertThat(fixture.commitRange(9, 12)).isInstanceOf(Landed.class);
  }

  @Test
  void repair_does_not_land_where_the_rows_are_others_than_were_found() {
    TableCommit repair = repair(Set.of(), List.of());
    ForeignEngine.append(fixture, 1);

    assertThat(fixture.lake.commit(repair)).isInstanceOf(Refused.class);
    assertThat(fixture.view().totalRecords()).isEqualTo(10);
  }

  @Test
  void rows_that_no_writer_can_have_committed_are_found_and_told_apart() {
    List<Record> rows = records();
    rows.get(3).setField("transfer_id", "no hex");
    Collections.reverse(rows);
    replaceAll(rows);

    List<IcebergLake.FoundRow> found = fixture.lake.find(contents(), TABLE, range(0, 9), 100);

    assertThat(found).hasSize(9).filteredOn(row -> row.row().isEmpty()).hasSize(1);
    assertThat(found.get(3).row()).isEmpty();
    assertThat(found.get(3).position().globalBatchSeq()).isEqualTo(4);
    assertThatThrownBy(() -> fixture.lake.read(TABLE, range(0, 9), 100))
        .isInstanceOf(ChangedRowsException.class);
  }
}
