package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.claim;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.Lake.CommitReply.Unknown;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.lake.RestServer.Answer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same over a REST catalog, whose server asserts only UUID and main's snapshot. */
class RestLakeTest {
  @TempDir Path folder;
  private Catalog backend;
  private RestServer server;
  private LakeFixture fixture;

  @BeforeEach
  void open() throws Exception {
    backend = LakeFixture.jdbcCatalog(folder);
    server = new RestServer(backend);
    fixture = LakeFixture.of(client(Map.of())).opened();
    assertThat(fixture.commitRange(0, 3)).isInstanceOf(Landed.class);
  }

  private Catalog client(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("type", "rest");
    properties.put("uri", server.uri());
    properties.put("io-impl", LocalFileIo.class.getName());
    return IcebergCatalogs.build("rest", properties, Map.of(), Optional.empty());
  }

  @AfterEach
  void close() throws Exception {
    fixture.close();
    server.close();
  }

  private void assertLandedOnce() {
    assertThat(fixture.lake.read(TABLE, range(0, 8), 100)).hasSize(8);
    assertThat(fixture.view().totalRecords()).isEqualTo(8);
    assertThat(fixture.view().disagreement()).isEmpty();
    assertThat(fixture.commitRange(8, 9)).isInstanceOf(Landed.class);
  }

  @Test
  @DisplayName("C14: state goes into summary and property in one commit")
  void rows_summary_and_property_become_visible_together() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    int before = server.commits();

    fixture.lake.commit(commit);

    assertThat(server.commits()).isEqualTo(before + 1);
    assertThat(fixture.state()).isEqualTo(commit.next());
    assertThat(fixture.view().newestOurs()).contains(commit.next());
    assertLandedOnce();
  }

  @Test
  @DisplayName("C17 ▲: a 503 after the commit makes the client send it again, and that one loses")
  void commit_that_was_sent_twice_lands_once_and_stays_readable() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    int before = server.commits();
    server.answerNext(new Answer(true, 503));

    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);

    assertThat(server.commits()).as("the client did send it again").isEqualTo(before + 2);
    assertThat(fixture.lake.falseFailures()).isEqualTo(1);
    assertLandedOnce();
  }

  @ParameterizedTest
  @ValueSource(ints = {409, 500, 502, 504, 400, 403})
  @DisplayName("C16, C17: whatever the answer was")
  void commit_that_landed_is_success_whatever_the_server_answers(int status) {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    server.answerNext(new Answer(true, status));

    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);

    assertLandedOnce();
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 502, 504})
  void commit_that_did_not_land_is_unknown_after_a_server_error(int status) {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    server.answerNext(new Answer(false, status));

    assertThat(fixture.lake.commit(commit)).isInstanceOf(Unknown.class);

    assertThat(fixture.view().totalRecords()).isEqualTo(3);
    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
    assertLandedOnce();
  }

  @Test
  void commit_that_the_server_forbids_fails_for_good() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    server.answerNext(new Answer(false, 403));

    assertThatThrownBy(() -> fixture.lake.commit(commit))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse());
    assertThat(fixture.view().totalRecords()).isEqualTo(3);
  }

  @Test
  @DisplayName("C14: a conflict on nothing of ours is tried again")
  void commit_is_tried_again_after_a_conflict() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    server.answerNext(new Answer(false, 409));

    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
    assertLandedOnce();
  }

  @Test
  @DisplayName("I5: a zombie's commit is refused, before it is sent and while it is")
  void zombie_writer_cannot_commit_after_a_newer_claim() {
    TableCommit late = fixture.rangeCommit(range(3, 8));
    try (LakeFixture slow = fixture.interferingOnCommit(() -> fixture.claim(TABLE, claim(2)))) {
      CommitReply reply = slow.lake.commit(late);
      assertThat(reply).isInstanceOf(Refused.class);
      assertThat(((Refused) reply).now().orElseThrow().property().map(TableState::claim))
          .contains(claim(2));
    }
    assertThat(fixture.lake.commit(late)).isInstanceOf(Refused.class);
    assertThat(fixture.view().totalRecords()).isEqualTo(3);
  }

  @Test
  @DisplayName("C14 ▲: a claim does not overwrite a range that slips in")
  void claim_is_refused_where_a_range_slips_in() {
    TableState before = fixture.state();
    TableCommit claim =
        new TableCommit(
            TABLE,
            fixture.view().uuid(),
            Optional.of(before),
            LakeFixture.claimed(Optional.of(before), claim(2)),
            new Change.NoRows(),
            Map.of());
    try (LakeFixture slow = fixture.interferingOnCommit(() -> fixture.commitRange(3, 8))) {
      assertThat(slow.lake.commit(claim)).isInstanceOf(Refused.class);
    }
    assertThat(fixture.state().claim()).isEqualTo(claim(1));
    assertLandedOnce();
  }

  @Test
  @DisplayName("I6: dropped, and made anew")
  void table_that_is_dropped_or_made_anew_is_refused() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    backend.dropTable(TableIdentifier.of(NAMESPACE, TABLE), false);
    assertThat(fixture.lake.load(TABLE)).isEmpty();
    assertThat(fixture.lake.commit(commit)).isEqualTo(new Refused(Optional.empty()));

    fixture.lake.create(TABLE);

    CommitReply reply = fixture.lake.commit(commit);
    assertThat(((Refused) reply).now().orElseThrow().uuid()).isNotEqualTo(commit.uuid());
  }

  @Test
  void load_sees_what_others_committed() {
    try (LakeFixture rival = LakeFixture.of(backend)) {
      rival.commitRange(3, 8);
    }

    assertThat(fixture.view().totalRecords()).isEqualTo(8);
  }

  @Test
  @DisplayName("C7: history is there where snapshots are loaded by reference only")
  void ancestors_are_walked_where_the_catalog_loads_only_referenced_snapshots() {
    try (LakeFixture lazy = LakeFixture.of(client(Map.of("snapshot-loading-mode", "refs")))) {
      TableState ours = lazy.state();
      ForeignEngine.compact(lazy);

      assertThat(lazy.view().newestOurs()).contains(ours);
      assertThat(lazy.view().disagreement()).isEmpty();
      assertThat(lazy.commitRange(3, 8)).isInstanceOf(Landed.class);
    }
    assertLandedOnce();
  }

  @Test
  @DisplayName("C2: identity is created once")
  void identity_and_tables_are_created_and_found() {
    assertThat(fixture.lake.createIdentity(LakeFixture.IDENTITY)).isTrue();
    assertThat(fixture.lake.createIdentity(LakeFixture.IDENTITY)).isFalse();
    assertThat(
            LakeFixture.IDENTITY.differencesFrom(
                fixture.lake.lookUpIdentity().properties().orElseThrow()))
        .isEmpty();
  }
}
