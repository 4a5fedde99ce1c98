package dev.tula.connect.lake.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.util.List;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.io.BulkDeletionFailureException;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.junit.jupiter.api.Test;

class DeletionTest {
  private static final List<String> FILES = List.of("a", "b", "c");

  private final Deletion deletion = new Deletion("ledger.transactions", deleted -> {});

  /** A store whose answer to a bulk deletion is a failure. */
  private static final class FailingStore extends InMemoryFileIO implements SupportsBulkOperations {
    private final RuntimeException answer;

    FailingStore(RuntimeException answer) {
      this.answer = answer;
    }

    @Override
    public void deleteFiles(Iterable<String> locations) {
      throw answer;
    }
  }

  @Test
  void files_that_a_store_names_as_undeleted_are_counted() {
    deletion.delete(new FailingStore(new BulkDeletionFailureException(2)), FILES);

    assertThat(deletion.deleted()).isEqualTo(1);
    assertThat(deletion.failed()).isEqualTo(2);
  }

  @Test
  void a_store_that_takes_no_bulk_deletion_is_the_lakes_failure() {
    FailingStore store = new FailingStore(new IllegalStateException("connection reset"));

    assertThatThrownBy(() -> deletion.delete(store, FILES))
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("deleting files of table ledger.transactions failed")
        .hasMessageContaining("connection reset");
    assertThat(deletion.deleted()).isZero();
    assertThat(deletion.failed()).isEqualTo(3);
  }
}
