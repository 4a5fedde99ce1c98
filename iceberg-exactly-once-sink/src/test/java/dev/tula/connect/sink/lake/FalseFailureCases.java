package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.Lake.CommitReply.Unknown;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Catalogs that answer a commit with something else than what they did (C16, C17). */
abstract class FalseFailureCases extends LakeCases {
  @BeforeEach
  void openTable() {
    fixture.opened();
    assertThat(fixture.commitRange(0, 3)).isInstanceOf(Landed.class);
  }

  /** As {@link LakeFixture#handling}, and the table can't be read at once after a commit. */
  private LakeFixture unreadableAfter(LakeFixture.Handling handling) {
    AtomicInteger unreadable = new AtomicInteger();
    return fixture.through(
        catalog ->
            new CatalogDouble(
                catalog,
                operations ->
                    new CatalogDouble.Operations(operations) {
                      @Override
                      public void commit(TableMetadata base, TableMetadata metadata) {
                        unreadable.set(1);
                        handling.handle(delegate, base, metadata);
                      }

                      @Override
                      public TableMetadata refresh() {
                        if (unreadable.getAndDecrement() > 0) {
                          throw new ServiceFailureException("busy");
                        }
                        return super.refresh();
                      }
                    }));
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            "a conflict",
            (Supplier<RuntimeException>) () -> new CommitFailedException("re-run UPDATE")),
        Arguments.of(
            "an unknown state",
            (Supplier<RuntimeException>)
                () -> new CommitStateUnknownException(new ServiceFailureException("503"))),
        Arguments.of(
            "a lost connection",
            (Supplier<RuntimeException>)
                () -> new RuntimeIOException(new IOException("reset"), "lost")),
        Arguments.of(
            "a refused token",
            (Supplier<RuntimeException>) () -> new NotAuthorizedException("token expired")),
        // Iceberg takes a failure of this kind for a licence to clean up.
        Arguments.of(
            "a cleanable failure",
            (Supplier<RuntimeException>) () -> new ValidationException("invalid")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("failures")
  @DisplayName("C17 ▲: a commit that landed has landed, and its files live")
  void commit_that_landed_is_success_whatever_the_catalog_answers(
      String name, Supplier<RuntimeException> failure) {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    AtomicInteger commits = new AtomicInteger();
    try (LakeFixture lying =
        fixture.handling(
            (operations, base, metadata) -> {
              commits.incrementAndGet();
              operations.commit(base, metadata);
              throw failure.get();
            })) {
      CommitReply reply = lying.lake.commit(commit);

      assertThat(reply).isEqualTo(new Landed(fixture.foreign().currentSnapshot().snapshotId()));
      assertThat(lying.lake.falseFailures()).isEqualTo(1);
    }
    assertThat(commits).hasValue(1);
    assertLandedOnce();
  }

  private void assertLandedOnce() {
    assertThat(fixture.lake.read(TABLE, range(0, 8), 100)).hasSize(8);
    assertThat(fixture.view().totalRecords()).isEqualTo(8);
    assertThat(fixture.view().disagreement()).isEmpty();
    assertThat(fixture.commitRange(8, 9)).isInstanceOf(Landed.class);
    assertThat(fixture.lake.read(TABLE, range(0, 9), 100)).hasSize(9);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("failures")
  @DisplayName("C17 ▲: also where the table can't be read at once after the failure")
  void commit_that_landed_is_found_by_a_second_look(
      String name, Supplier<RuntimeException> failure) {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    try (LakeFixture lying =
        unreadableAfter(
            (operations, base, metadata) -> {
              operations.commit(base, metadata);
              throw failure.get();
            })) {
      assertThat(lying.lake.commit(commit)).isInstanceOf(Landed.class);
    }
    assertLandedOnce();
  }

  @Test
  @DisplayName("C17 ▲: a landed commit that someone built on is not undone")
  void commit_that_landed_and_was_built_upon_is_success() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    AtomicReference<CommitReply> newer = new AtomicReference<>();
    try (LakeFixture lying =
        fixture.handling(
            (operations, base, metadata) -> {
              operations.commit(base, metadata);
              newer.set(fixture.claim(TABLE, LakeFixture.claim(2)));
              throw new CommitFailedException("the retry lost");
            })) {
      assertThat(lying.lake.commit(commit)).isInstanceOf(Landed.class);
    }
    assertThat(newer.get()).isInstanceOf(Landed.class);
    assertThat(fixture.state().claim()).isEqualTo(LakeFixture.claim(2));
    assertThat(fixture.lake.read(TABLE, range(0, 8), 100)).hasSize(8);
  }

  @Test
  @DisplayName("C16: a landed commit that someone built on is found by its snapshot, however late")
  void commit_that_was_built_upon_is_found_by_a_second_look() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    try (LakeFixture lying =
        unreadableAfter(
            (operations, base, metadata) -> {
              operations.commit(base, metadata);
              fixture.claim(TABLE, LakeFixture.claim(2));
              throw new ServiceFailureException("504");
            })) {
      assertThat(lying.lake.commit(commit)).isInstanceOf(Landed.class);
    }
    assertThat(fixture.state().claim()).isEqualTo(LakeFixture.claim(2));
  }

  @Test
  @DisplayName("C16: nobody knows, and it lands later: the next try finds it")
  void commit_that_lands_after_an_unknown_reply_is_found_by_the_next_try() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    AtomicReference<Runnable> late = new AtomicReference<>();
    try (LakeFixture lying =
        fixture.handling(
            (operations, base, metadata) -> {
              late.set(() -> operations.commit(base, metadata));
              throw new CommitStateUnknownException(new ServiceFailureException("504"));
            })) {
      CommitReply reply = lying.lake.commit(commit);
      assertThat(reply).isInstanceOf(Unknown.class);
      assertThat(((Unknown) reply).cause()).contains("504");
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(3);

    late.get().run();

    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
    assertLandedOnce();
  }

  @Test
  @DisplayName("C16: an unknown reply, and another's commit on the table since: it can't land now")
  void commit_that_can_not_land_any_more_after_an_unknown_reply_is_refused() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    AtomicReference<Runnable> late = new AtomicReference<>();
    try (LakeFixture lying =
        fixture.handling(
            (operations, base, metadata) -> {
              late.set(() -> operations.commit(base, metadata));
              fixture.claim(TABLE, LakeFixture.claim(2));
              throw new CommitStateUnknownException(new ServiceFailureException("504"));
            })) {
      assertThat(lying.lake.commit(commit)).isInstanceOf(Refused.class);
    }
    assertThatThrownBy(() -> late.get().run()).isInstanceOf(CommitFailedException.class);
    assertThat(fixture.view().totalRecords()).isEqualTo(3);
  }

  @Test
  void commit_that_the_catalog_forbids_fails_for_good_and_says_what_to_do() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    try (LakeFixture strict =
        fixture.handling(
            (operations, base, metadata) -> {
              throw new ForbiddenException("no commit right");
            })) {
      assertThatThrownBy(() -> strict.lake.commit(commit))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isFalse())
          .hasMessageContainingAll("transactions", "permission", "no commit right");
    }
    assertThat(fixture.view().totalRecords()).isEqualTo(3);
    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
  }

  @Test
  @DisplayName("C16: a failure that no catalog would answer with says nothing of what it did")
  void commit_whose_client_stumbles_over_the_answer_is_unknown() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    try (LakeFixture confused =
        fixture.handling(
            (operations, base, metadata) -> {
              throw new IllegalArgumentException("Cannot parse response");
            })) {
      assertThat(confused.lake.commit(commit)).isInstanceOf(Unknown.class);
    }
    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
  }

  @Test
  void commit_that_always_conflicts_ends_after_a_bounded_number_of_attempts() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    AtomicInteger attempts = new AtomicInteger();
    try (LakeFixture busy =
        fixture.handling(
            (operations, base, metadata) -> {
              attempts.incrementAndGet();
              throw new CommitFailedException("busy");
            })) {
      assertThat(busy.lake.commit(commit)).isInstanceOf(Unknown.class);
    }
    assertThat(attempts).hasValue(StateCommit.MAX_ATTEMPTS);
  }

  @Test
  @DisplayName("C17: a catalog that says yes and did nothing is not believed")
  void commit_that_is_reported_and_not_there_is_unknown() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    try (LakeFixture lying = fixture.handling((operations, base, metadata) -> {})) {
      assertThat(lying.lake.commit(commit)).isInstanceOf(Unknown.class);
    }
  }

  @Test
  @DisplayName("C17: nothing of a commit that failed is deleted")
  void files_of_a_refused_commit_stay() {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    List<String> files = new ArrayList<>();
    try (LakeFixture slow =
        fixture.handling(
            (operations, base, metadata) -> {
              files.add(metadata.currentSnapshot().manifestListLocation());
              fixture.claim(TABLE, LakeFixture.claim(2));
              operations.commit(base, metadata);
            })) {
      assertThat(slow.lake.commit(commit)).isInstanceOf(Refused.class);
    }
    files.add(((TableCommit.Change.Append) commit.change()).files().get(0).location());
    assertThat(files)
        .hasSize(2)
        .allMatch(file -> fixture.foreign().io().newInputFile(file).exists());
  }

  @Test
  @DisplayName("C17: what Iceberg wants deleted of a commit that its validator stopped stays")
  void commit_path_deletes_nothing() throws IOException {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    Path notes = folder.resolve(NotedDeletesFileIo.NOTES);
    AtomicInteger refreshes = new AtomicInteger();
    try (LakeFixture slow =
        fixture.through(
            catalog ->
                new CatalogDouble(
                    catalog,
                    operations ->
                        new CatalogDouble.Operations(operations) {
                          @Override
                          public TableMetadata refresh() {
                            if (refreshes.incrementAndGet() == 1) {
                              fixture.claim(TABLE, LakeFixture.claim(2));
                            }
                            return super.refresh();
                          }

                          @Override
                          public FileIO io() {
                            return new NotedDeletesFileIo(super.io(), notes);
                          }
                        }))) {
      assertThat(slow.lake.commit(commit)).isInstanceOf(Refused.class);

      assertThat(slow.lake.withheldDeletes()).isPositive();
    }
    assertThat(NotedDeletesFileIo.deleted(notes)).isEmpty();
  }

  @Test
  void commit_that_hangs_once_sent_is_unknown_after_the_time_limit() throws Exception {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    HeldThread held = new HeldThread();
    try (LakeFixture hanging =
        limited(
            operations ->
                new CatalogDouble.Operations(operations) {
                  @Override
                  public void commit(TableMetadata base, TableMetadata metadata) {
                    held.hold();
                    super.commit(base, metadata);
                  }
                })) {
      assertThat(hanging.lake.commit(commit)).isInstanceOf(Unknown.class);
      held.release();
    }
    held.awaitEnd();
    assertThat(fixture.lake.commit(commit)).isInstanceOf(Landed.class);
    assertLandedOnce();
  }

  /** A call of its catalog may take only so long. */
  LakeFixture limited(UnaryOperator<TableOperations> operations) {
    return LakeFixture.of(
        new CatalogDouble(fixture.catalog, operations),
        LakeFixture.IDENTITY,
        new LakeOptions(
            Map.of(),
            Map.of(),
            Duration.ofSeconds(6),
            Duration.ofMinutes(1),
            false,
            Long.MAX_VALUE,
            Clock.systemUTC()));
  }

  /**
   * Holds a call of the lake's own thread, which nobody waits for any more, deaf to interrupts. The
   * test outlives that thread, as it may still write into the test's folder.
   */
  static final class HeldThread {
    private static final long LIMIT_MS = 60_000;

    private final CountDownLatch released = new CountDownLatch(1);
    private volatile Thread thread;

    /** Waits on through an interruption, and forgets it, as a client's own retries would. */
    void hold() {
      thread = Thread.currentThread();
      while (released.getCount() > 0) {
        try {
          released.await();
        } catch (InterruptedException e) {
          continue;
        }
      }
    }

    void release() {
      released.countDown();
    }

    void awaitEnd() throws InterruptedException {
      thread.join(LIMIT_MS);
      assertThat(thread.isAlive()).isFalse();
    }
  }
}
