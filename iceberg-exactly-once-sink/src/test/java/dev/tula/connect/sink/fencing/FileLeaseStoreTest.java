package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileLeaseStoreTest extends LeaseStoreContract {
  @TempDir private Path folder;

  @Override
  LeaseStore store() {
    return new FileLeaseStore(folder.resolve("leases"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{\"owner\":\"a\"}",
        "{\"owner\":\"a\",\"renewals\":1,\"ttl",
        "{\"owner\":7,\"renewals\":1,\"ttl_ms\":500}",
        "{\"owner\":\"a\",\"renewals\":0,\"ttl_ms\":500}",
        "\u0000\u0000\u0000",
        "\u00ff\u00fe"
      })
  void a_lease_file_that_is_none_is_an_error_with_its_cure_and_not_a_free_lease(String content)
      throws Exception {
    store().swap(NAME, Optional.empty(), new LeaseRecord("a", 1, 500));
    Files.writeString(fileThatEndsWith(".json"), content, StandardCharsets.ISO_8859_1);

    assertIsNoLease(() -> store().read(NAME));
    assertIsNoLease(() -> store().swap(NAME, Optional.empty(), new LeaseRecord("b", 1, 500)));
    assertThat(Files.readString(fileThatEndsWith(".json"), StandardCharsets.ISO_8859_1))
        .isEqualTo(content);
  }

  private static void assertIsNoLease(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
        .hasMessageContainingAll("is no lease any more", "delete the file");
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
