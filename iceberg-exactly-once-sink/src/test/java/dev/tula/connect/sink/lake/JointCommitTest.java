package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.IDENTITY;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.claim;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static dev.tula.connect.sink.lake.LakeFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.Lake.CommitReply.Unknown;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.RestServer.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.catalog.Catalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several tables in one transaction of a REST catalog. */
@DisplayName("C22")
class JointCommitTest {
  private static final LogicalTable ACCOUNTS =
      IDENTITY.tables().stream()
          .filter(table -> table.name().equals("account_changes"))
          .findFirst()
          .orElseThrow();

  @TempDir Path folder;
  private Catalog backend;
  private RestServer server;
  private LakeFixture fixture;
  private List<TableCommit> commits;

  @BeforeEach
  void open() throws Exception {
    backend = LakeFixture.jdbcCatalog(folder);
    server = new RestServer(backend);
    Catalog client =
        IcebergCatalogs.build(
            "rest",
            Map.of(
                "type",
                "rest",
                "uri",
                server.uri(),
                "io-impl",
                NotedDeletesFileIo.class.getName(),
                NotedDeletesFileIo.NOTES,
                folder.resolve(NotedDeletesFileIo.NOTES).toString()),
            Map.of(),
            Optional.empty());
    fixture =
        LakeFixture.of(client, IDENTITY, LakeOptions.of(Map.of(), Map.of()).withMultiTable(true));
    fixture.opened();
    fixture.lake.create(ACCOUNTS.name());
    fixture.claim(ACCOUNTS.name(), claim(1));
    assertThat(fixture.lake.commitsTogether()).isTrue();
    commits = List.of(fixture.rangeCommit(range(0, 5)), fixture.rangeCommit(ACCOUNTS, range(0, 5)));
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
    server.close();
  }

  private List<CommitReply> commitTogether() {
    return fixture.lake.commitTogether(commits);
  }

  private void assertAllThere() {
    for (TableCommit commit : commits) {
      TableView view = fixture.view(commit.table());
      assertThat(view.property()).contains(commit.next());
      assertThat(view.newestOurs()).contains(commit.next());
      assertThat(view.disagreement()).isEmpty();
      assertThat(fixture.lake.read(commit.table(), range(0, 5), 100)).hasSize(5);
    }
  }

  private void assertNothingThere() {
    for (TableCommit commit : commits) {
      assertThat(fixture.view(commit.table()).totalRecords()).isZero();
    }
  }

  @Test
  @DisplayName("C22: one request commits every table of a range")
  void tables_of_a_range_are_committed_by_one_request() {
    int single = server.commits();

    List<CommitReply> replies = commitTogether();

    assertThat(server.transactions()).isEqualTo(1);
    assertThat(server.commits()).isEqualTo(single);
    assertAllThere();
    assertThat(replies)
        .containsExactly(
            new Landed(fixture.foreign(TABLE).currentSnapshot().snapshotId()),
            new Landed(fixture.foreign(ACCOUNTS.name()).currentSnapshot().snapshotId()));
  }

  @Test
  @DisplayName("C22 ▲: a table that the catalog left out of a success is not taken for committed")
  void table_that_was_left_out_of_a_reported_success_is_unknown_and_lands_later() {
    server.dropFromNextTransaction(ACCOUNTS.name());

    List<CommitReply> replies = commitTogether();

    assertThat(replies.get(0)).isInstanceOf(Landed.class);
    assertThat(replies.get(1)).isInstanceOf(Unknown.class);
    assertThat(((Unknown) replies.get(1)).cause()).contains("account_changes", "C22");
    assertThat(fixture.view(ACCOUNTS.name()).totalRecords()).isZero();

    assertThat(fixture.lake.commitTogether(commits.subList(1, 2)))
        .singleElement()
        .isInstanceOf(Landed.class);
    assertAllThere();
  }

  @Test
  @DisplayName("I5, C22: a newer claim on one table keeps a zombie's rows out of all of them")
  void zombie_commits_to_no_table_after_a_newer_claim_on_one() {
    fixture.claim(ACCOUNTS.name(), claim(2));

    List<CommitReply> replies = commitTogether();

    assertThat(server.transactions()).isZero();
    assertThat(refusal(replies.get(1)).property().map(TableState::claim)).contains(claim(2));
    assertThat(refusal(replies.get(0)).property()).isEqualTo(commits.get(0).expected());
    assertNothingThere();
  }

  @Test
  @DisplayName("I5, C22: also where the claim slips in while the request is on its way")
  void zombie_commits_to_no_table_where_a_claim_slips_in() {
    server.beforeNextTransaction(() -> fixture.claim(ACCOUNTS.name(), claim(2)));

    List<CommitReply> replies = commitTogether();

    assertThat(server.transactions()).isEqualTo(1);
    assertThat(refusal(replies.get(1)).property().map(TableState::claim)).contains(claim(2));
    assertThat(fixture.view(ACCOUNTS.name()).totalRecords()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {409, 500, 502, 503, 504, 400, 403})
  @DisplayName("C16, C17, C22: whatever the answer was")
  void transaction_that_landed_is_success_whatever_the_server_answers(int status) {
    server.answerNext(new Answer(true, status));

    assertThat(commitTogether()).hasOnlyElementsOfType(Landed.class);

    assertThat(fixture.lake.falseFailures()).isEqualTo(1);
    assertAllThere();
  }

  @Test
  @DisplayName("C16: nobody knows, and the next try lands")
  void transaction_that_did_not_land_is_unknown_after_a_server_error() {
    server.answerNext(new Answer(false, 502));

    assertThat(commitTogether()).hasOnlyElementsOfType(Unknown.class);

    assertNothingThere();
    assertThat(commitTogether()).hasOnlyElementsOfType(Landed.class);
    assertAllThere();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @DisplayName("C17, C22: what Iceberg wants deleted of a table that its validator stopped stays")
  void commit_path_deletes_nothing_of_several_tables(int index) throws Exception {
    // Each table is read once, then each again as its part is prepared, which the claim precedes.
    int load = commits.size() + index + 1;
    server.beforeLoad(load, () -> fixture.claim(commits.get(index).table(), claim(2)));

    assertThat(commitTogether()).hasOnlyElementsOfType(Refused.class);

    assertThat(server.transactions()).isZero();
    assertThat(fixture.lake.withheldDeletes()).isPositive();
    assertNothingDeleted();
  }

  @ParameterizedTest(name = "carried out: {0}, answered: {1}")
  @CsvSource({
    "true, 409",
    "true, 500",
    "true, 503",
    "true, 400",
    "false, 409",
    "false, 500",
    "false, 503"
  })
  @DisplayName("C17, C22: whatever became of it and was said of it, nothing is deleted")
  void transaction_that_failed_or_is_unknown_deletes_nothing(boolean carriedOut, int status)
      throws Exception {
    server.answerNext(new Answer(carriedOut, status));

    commitTogether();
    assertNothingDeleted();
    assertThat(commitTogether()).hasOnlyElementsOfType(Landed.class);

    assertNothingDeleted();
    assertAllThere();
  }

  private void assertNothingDeleted() throws Exception {
    assertThat(NotedDeletesFileIo.deleted(folder.resolve(NotedDeletesFileIo.NOTES))).isEmpty();
    for (TableCommit commit : commits) {
      ((TableCommit.Change.Append) commit.change())
          .files()
          .forEach(
              file ->
                  assertThat(fixture.foreign().io().newInputFile(file.location()).exists())
                      .isTrue());
    }
  }

  @Test
  @DisplayName("C14: a compaction in between is no reason to stop")
  void transaction_is_tried_again_after_a_compaction_won() {
    commitTogether();
    commits = List.of(fixture.rangeCommit(range(5, 8)), fixture.rangeCommit(ACCOUNTS, range(5, 8)));
    server.beforeNextTransaction(() -> ForeignEngine.compact(fixture));

    assertThat(commitTogether()).hasOnlyElementsOfType(Landed.class);

    assertThat(fixture.view().totalRecords()).isEqualTo(8);
    assertThat(fixture.view(ACCOUNTS.name()).totalRecords()).isEqualTo(8);
    assertThat(fixture.lake.read(TABLE, range(0, 8), 100)).hasSize(8);
  }

  @Test
  void transaction_that_the_server_forbids_fails_for_good() {
    server.answerNext(new Answer(false, 403));

    assertThatThrownBy(this::commitTogether)
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContainingAll("transactions", "account_changes");
    assertNothingThere();
  }

  @Test
  void nothing_is_sent_without_a_permit() {
    CommitPermit none =
        () -> {
          throw new IllegalStateException("the lease is lost");
        };
    try (IcebergLake leased =
        new IcebergLake(
            fixture.catalog,
            LakeFixture.NAMESPACE,
            IDENTITY,
            0,
            LakeOptions.of(Map.of(), Map.of()).withMultiTable(true),
            none)) {
      assertThatThrownBy(() -> leased.commitTogether(commits))
          .hasMessageContaining("the lease is lost");
    }
    assertThat(server.transactions()).isZero();
    assertNothingThere();
  }

  @Test
  void catalog_that_knows_no_such_transactions_is_refused_before_anything_is_sent() {
    try (LakeFixture jdbc =
        LakeFixture.of(
            backend, IDENTITY, LakeOptions.of(Map.of(), Map.of()).withMultiTable(true))) {
      assertThatThrownBy(() -> jdbc.lake.commitTogether(commits))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
          .hasMessageContaining("only a REST catalog");
    }
    assertNothingThere();
  }
}
