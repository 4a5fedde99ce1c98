package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is particular about BigLake, on a server that behaves alike. */
class BigLakeTest {
  @TempDir Path folder;
  private LakeFixture behind;
  private BigLakeDouble bigLake;
  private LakeFixture fixture;

  @BeforeEach
  void open() throws Exception {
    behind = LakeFixture.in(folder);
    bigLake = new BigLakeDouble(behind.catalog, Duration.ofMinutes(10));
    fixture = LakeFixture.of(client(Map.of())).opened();
  }

  private Catalog client(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(bigLake.clientProperties());
    properties.putAll(more);
    return IcebergCatalogs.build("biglake", properties, Map.of(), Optional.empty());
  }

  @AfterEach
  void close() {
    fixture.close();
    bigLake.close();
    behind.close();
  }

  /** Leaves room for a few snapshots under the limit. */
  private void fillUp() {
    behind
        .foreign()
        .updateProperties()
        .set("comment", "x".repeat(MetadataLimit.BIGLAKE_BYTES - 20_000))
        .commit();
  }

  /** Commits one batch after another. Returns the first that the table has no room for. */
  private long commitUntilFull() {
    for (long batch = 1; batch < 100; batch++) {
      TableCommit commit = fixture.rangeCommit(range(batch - 1, batch));
      try {
        assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
      } catch (LakeException e) {
        assertThat(e.isRetriable()).isFalse();
        assertThat(e)
            .hasMessageContainingAll(
                "BigLake takes 1 MB (1048576 bytes)",
                "tula-lake cleanup",
                "Nothing was lost",
                "restart the connector",
                TABLE);
        return batch;
      }
    }
    throw new AssertionError("the limit was never met");
  }

  @ParameterizedTest(name = "a refusal that says nothing: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("the 1 MB limit ends the writer with limit and cure named, and loses nothing")
  void table_whose_metadata_is_full_stops_the_writer_and_goes_on_once_snapshots_are_expired(
      boolean terse) {
    if (terse) {
      bigLake.sayNoReason();
    }
    fillUp();
    long full = commitUntilFull();
    assertThat(full).isGreaterThan(2);
    assertThat(bigLake.oversizedCommits()).isEqualTo(1);
    assertThat(fixture.view().totalRecords()).isEqualTo(full - 1);
    assertThat(fixture.view().disagreement()).isEmpty();

    behind
        .foreign()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis())
        .retainLast(1)
        .commit();

    assertThat(fixture.commitRange(full - 1, full)).isInstanceOf(Landed.class);
    assertThat(fixture.lake.read(TABLE, range(0, full), 100)).hasSize((int) full);
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  @DisplayName("C22: the same where several tables are committed at once")
  void full_table_stops_a_commit_of_several_tables_alike() {
    fillUp();
    TableCommit last = fixture.rangeCommit(range(commitUntilFull() - 1, 1_000));
    long rows = fixture.view().totalRecords();
    try (LakeFixture together =
        LakeFixture.of(
            fixture.catalog,
            LakeFixture.IDENTITY,
            LakeOptions.of(Map.of(), Map.of()).withMultiTable(true))) {
      assertThatThrownBy(() -> together.lake.commitTogether(List.of(last)))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
          .hasMessageContainingAll("1 MB", "tula-lake cleanup");
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(rows);
  }

  @Test
  void only_a_refusal_that_is_about_the_size_is_taken_for_the_limit() {
    TableMetadata small = ((HasTableOperations) fixture.foreign()).operations().current();

    assertThat(MetadataLimit.explain(small, new BadRequestException("invalid argument"))).isEmpty();
    assertThat(MetadataLimit.explain(small, new BadRequestException("metadata too large")))
        .isPresent();
    assertThat(MetadataLimit.explain(small, new RESTException("413: metadata exceeds 1 MB")))
        .isPresent();
    assertThat(MetadataLimit.explain(small, new RESTException("429: slow down"))).isEmpty();
    assertThat(MetadataLimit.explain(small, new ServiceFailureException("metadata too large")))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "refs"})
  @DisplayName("C7: our newest snapshot is found, whichever snapshots the catalog shows")
  void witnesses_agree_whichever_snapshots_are_loaded(String mode) {
    fixture.commitRange(0, 3);
    TableState ours = fixture.state();
    ForeignEngine.compact(behind);
    try (LakeFixture client = LakeFixture.of(client(Map.of("snapshot-loading-mode", mode)))) {
      assertThat(client.view().newestOurs()).contains(ours);
      assertThat(client.view().disagreement()).isEmpty();
      assertThat(client.commitRange(3, 5)).isInstanceOf(Landed.class);
    }
    assertThat(fixture.lake.read(TABLE, range(0, 5), 100)).hasSize(5);
  }

  @Test
  void request_without_the_project_is_refused_for_good() {
    Map<String, String> properties = new HashMap<>(bigLake.clientProperties());
    properties.remove("header." + BigLakeDouble.PROJECT_HEADER);

    assertThatThrownBy(
            () -> IcebergCatalogs.build("biglake", properties, Map.of(), Optional.empty()))
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
        .hasMessageContainingAll("x-goog-user-project", "iceberg.catalog.*");
  }

  @Test
  @DisplayName("tokens that live for seconds are renewed while the writer commits")
  void short_lived_tokens_are_renewed_while_ranges_are_committed() throws Exception {
    try (BigLakeDouble hasty = new BigLakeDouble(behind.catalog, Duration.ofSeconds(4));
        LakeFixture client =
            LakeFixture.of(
                IcebergCatalogs.build(
                    "hasty", hasty.clientProperties(), Map.of(), Optional.empty()))) {
      long batch = 0;
      while (hasty.tokensIssued() < 3 && batch < 10_000) {
        assertThat(client.commitRange(batch, batch + 1)).isInstanceOf(Landed.class);
        expireOld(++batch);
      }
      assertThat(hasty.tokensIssued()).isGreaterThanOrEqualTo(3);
      assertThat(hasty.refusedTokens()).isZero();
      assertThat(client.lake.read(TABLE, range(0, batch), 10_000)).hasSize((int) batch);
    }
  }

  private void expireOld(long batch) {
    if (batch % 50 == 0) {
      behind.foreign().expireSnapshots().expireOlderThan(System.currentTimeMillis()).commit();
    }
  }
}
