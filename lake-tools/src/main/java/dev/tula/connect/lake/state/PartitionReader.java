package dev.tula.connect.lake.state;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Reads one partition while its writer may be at work: the events first, since a watermark is never
 * behind a checkpoint that was read before it, then the tables, again until no commit to the
 * watermark table lies between the first load and the last.
 */
final class PartitionReader {
  /** A look takes a second or so, and a watermark moves once in a commit interval. */
  private static final int MAX_LOOKS = 20;

  private final PipelineIdentity identity;
  private final int partition;
  private final EventTopic checkpoints;
  private final IcebergLake lake;
  private final Executor executor;

  PartitionReader(
      PipelineIdentity identity,
      int partition,
      EventTopic checkpoints,
      IcebergLake lake,
      Executor executor) {
    this.identity = identity;
    this.partition = partition;
    this.checkpoints = checkpoints;
    this.lake = lake;
    this.executor = executor;
  }

  /** The watermark table, or why it can't be read. */
  private record WatermarkLook(Optional<TableView> view, Optional<String> unreadable) {
    boolean sameStateAs(WatermarkLook other) {
      return unreadable.equals(other.unreadable)
          && view.map(TableView::uuid).equals(other.view.map(TableView::uuid))
          && view.map(TableView::property).equals(other.view.map(TableView::property));
    }
  }

  PartitionReading read() {
    PartitionEvents events =
        PartitionEvents.read(checkpoints, EventIdentity.of(identity.stream(partition)));
    WatermarkLook before = watermark();
    for (int look = 0; look < MAX_LOOKS; look++) {
      List<TableReading> tables = tables();
      WatermarkLook after = watermark();
      if (after.sameStateAs(before)) {
        return new PartitionReading(
            partition,
            physical(TableNames.WATERMARK),
            events,
            after.view(),
            after.unreadable(),
            tables);
      }
      before = after;
    }
    throw ToolException.error(
        "the watermark of partition "
            + partition
            + " moved during each of "
            + MAX_LOOKS
            + " looks at its tables. Pause the sink connector and try again");
  }

  private WatermarkLook watermark() {
    try {
      return new WatermarkLook(lake.load(TableNames.WATERMARK), Optional.empty());
    } catch (MalformedStateException e) {
      return new WatermarkLook(Optional.empty(), Optional.of(e.getMessage()));
    }
  }

  private List<TableReading> tables() {
    List<CompletableFuture<TableReading>> futures = new ArrayList<>();
    for (LogicalTable table : identity.tables()) {
      futures.add(CompletableFuture.supplyAsync(() -> table(table), executor));
    }
    try {
      return futures.stream().map(CompletableFuture::join).toList();
    } catch (CompletionException e) {
      throw e.getCause() instanceof LakeException failure ? failure : e;
    }
  }

  private TableReading table(LogicalTable table) {
    String name = physical(table.name());
    try {
      return new TableReading(table, name, lake.contents(table.name()), Optional.empty());
    } catch (MalformedStateException e) {
      return new TableReading(table, name, Optional.empty(), Optional.of(e.getMessage()));
    }
  }

  private String physical(String table) {
    return new TableNames(identity.generation(), identity.partitionCount())
        .physical(table, partition);
  }
}
