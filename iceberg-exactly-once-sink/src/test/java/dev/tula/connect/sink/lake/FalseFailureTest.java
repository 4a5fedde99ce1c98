package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.TableMetadata;
import org.junit.jupiter.api.Test;

/** On SQLite and the local disk; and what never gets as far as the catalog, so once is enough. */
class FalseFailureTest extends FalseFailureCases {
  @Test
  void commit_that_hangs_before_it_is_sent_never_lands() throws Exception {
    TableCommit commit = fixture.rangeCommit(range(3, 8));
    HeldThread held = new HeldThread();
    AtomicInteger commits = new AtomicInteger();
    try (LakeFixture hanging =
        limited(
            operations ->
                new CatalogDouble.Operations(operations) {
                  @Override
                  public TableMetadata refresh() {
                    held.hold();
                    return super.refresh();
                  }

                  @Override
                  public void commit(TableMetadata base, TableMetadata metadata) {
                    commits.incrementAndGet();
                    super.commit(base, metadata);
                  }
                })) {
      assertThatThrownBy(() -> hanging.lake.commit(commit))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
          .hasMessageContaining("longer than");
      held.release();
    }
    held.awaitEnd();
    assertThat(commits).hasValue(0);
    assertThat(fixture.view().totalRecords()).isEqualTo(3);
  }
}
