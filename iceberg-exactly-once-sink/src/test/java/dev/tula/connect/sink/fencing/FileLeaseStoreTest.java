package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLeaseStoreTest extends LeaseStoreContract {
  @TempDir private Path folder;

  @Override
  LeaseStore store() {
    return new FileLeaseStore(folder.resolve("leases"));
  }

  @Test
  void a_lease_file_that_is_none_is_an_error_and_not_a_free_lease() throws Exception {
    store().swap(NAME, Optional.empty(), new LeaseRecord("a", 1, 500));
    Files.writeString(fileThatEndsWith(".json"), "{\"owner\":\"a\"}");
    assertThatThrownBy(() -> store().read(NAME))
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("can't be read");
  }

  @Test
  void a_lock_that_somebody_keeps_is_not_waited_for_without_an_end() throws Exception {
    LeaseRecord first = new LeaseRecord("a", 1, 500);
    store().swap(NAME, Optional.empty(), first);
    Path file = fileThatEndsWith(".lock");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      assertThat(lock.isValid()).isTrue();
      assertThatThrownBy(() -> store().swap(NAME, Optional.of(first), new LeaseRecord("b", 2, 500)))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
          .hasMessageContaining("locked");
    }
    assertThat(store().read(NAME)).contains(first);
  }

  private Path fileThatEndsWith(String suffix) throws Exception {
    try (var files = Files.list(folder.resolve("leases"))) {
      return files.filter(path -> path.toString().endsWith(suffix)).findFirst().orElseThrow();
    }
  }
}
