package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.lake.maintain.ListedFile;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.engine.LakeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** What becomes of a table's plan when its storage fails. */
class ListedFileIT extends PipelineCases {
  private static final String NAME = "transactions";
  private static final long BROKEN_MS = 200;

  private Table table;
  private Path manifest;
  private Path whole;

  private void threeFiles() {
    threeRanges();
    table = pipeline.newLake(0).contents(NAME).orElseThrow().table();
    manifest = Path.of(URI.create(table.currentSnapshot().allManifests(table.io()).get(1).path()));
    whole = manifest.resolveSibling("whole");
  }

  /** At no moment is there no file. */
  private void breakManifest() throws IOException {
    Files.copy(manifest, whole);
    Path broken = Files.writeString(manifest.resolveSibling("broken"), "no manifest");
    Files.move(broken, manifest, StandardCopyOption.ATOMIC_MOVE);
  }

  private void healManifest() {
    try {
      Files.move(whole, manifest, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_plan_outlasts_a_storage_that_fails_for_a_while() throws IOException {
    threeFiles();
    breakManifest();
    CompletableFuture<Void> healed =
        CompletableFuture.runAsync(
            this::healManifest,
            CompletableFuture.delayedExecutor(BROKEN_MS, TimeUnit.MILLISECONDS));

    assertThat(ListedFile.all(table, NAME))
        .hasSize(3)
        .allSatisfy(
            file ->
                assertThat(file.firstBatch().orElseThrow())
                    .isLessThanOrEqualTo(file.lastBatch().orElseThrow()));

    healed.join();
  }

  @Test
  void a_plan_gives_up_on_a_storage_that_goes_on_failing() throws IOException {
    threeFiles();
    breakManifest();

    assertThatThrownBy(() -> ListedFile.all(table, NAME))
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("listing the files of table transactions failed");
  }

  @Test
  void a_manifest_that_is_gone_is_told_with_what_to_do() throws IOException {
    threeFiles();
    Files.delete(manifest);

    assertThatThrownBy(() -> ListedFile.all(table, NAME))
        .isInstanceOf(ToolException.class)
        .hasMessageContainingAll(
            "table transactions lists what is gone", manifest.getFileName().toString(), "verify");
  }
}
