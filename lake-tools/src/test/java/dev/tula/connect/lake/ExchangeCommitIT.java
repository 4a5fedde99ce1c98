package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.lake.maintain.ExchangeCommit;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.FileExchange;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.WriterClaim;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.ListedDataFile;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What others do to a table between the plan of an exchange and its commit. */
class ExchangeCommitIT extends PipelineCases {
  private static final String TABLE = "transactions";

  private IcebergLake lake;

  private IcebergLake.Contents load() {
    return lake.contents(TABLE).orElseThrow();
  }

  /** All files by one with the same rows. */
  private FileExchange exchange() {
    IcebergLake.Contents planned = load();
    WriterClaim claim = planned.view().property().orElseThrow().claim();
    List<ListedDataFile> files =
        new ForeignEngine(planned.table()).files().stream().map(ListedDataFile::new).toList();
    String fileName = StagedFileName.of(claim, TABLE, Position.batchEnd(10), "exchange");
    return new FileExchange(
        TABLE, claim, files, List.of(lake.rewrite(planned, TABLE, files, fileName).file()));
  }

  /** Lets something happen once a load has shown the table without it. */
  private Supplier<IcebergLake.Contents> afterLoad(int nth, Runnable once) {
    AtomicInteger loads = new AtomicInteger();
    return () -> {
      IcebergLake.Contents contents = load();
      if (loads.incrementAndGet() == nth) {
        once.run();
      }
      return contents;
    };
  }

  @ParameterizedTest
  @CsvSource({
    "COMPACTION, BY_POSITION",
    "COMPACTION, BY_EQUALITY",
    "REPAIR, BY_POSITION",
    "REPAIR, BY_EQUALITY"
  })
  @DisplayName("I1, C14: an update by delete files in between ends the exchange, and stays")
  void an_update_between_load_and_commit_is_not_undone(
      ExchangeCommit.Kind kind, ForeignEngine.Delete delete) {
    threeRanges();
    lake = pipeline.newLake(0);
    FileExchange exchange = exchange();
    ExchangeCommit commit = new ExchangeCommit(lake, TABLE, exchange, kind);

    assertThatThrownBy(() -> commit.run(afterLoad(1, () -> foreign(TABLE).updateOneRow(delete))))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining("table transactions has delete files of another engine");

    assertThat(foreign(TABLE).positions()).hasSize(30).doesNotHaveDuplicates();
    assertThat(foreign(TABLE).files()).hasSize(4);
  }

  @ParameterizedTest
  @CsvSource({"COMPACTION", "REPAIR"})
  @DisplayName("C14: a range that a live writer commits in between does not end the exchange")
  void a_range_between_load_and_commit_is_kept(ExchangeCommit.Kind kind) {
    TestWriter writer = threeRanges();
    lake = pipeline.newLake(0);
    ExchangeCommit commit = new ExchangeCommit(lake, TABLE, exchange(), kind);

    commit.run(afterLoad(1, () -> writer.commitTo(12)));

    assertThat(foreign(TABLE).positions()).hasSize(36).doesNotHaveDuplicates();
    assertThat(foreign(TABLE).files()).hasSize(2);
  }
}
