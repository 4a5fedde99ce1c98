package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The committed ranges of a partition's tables that share a position with a given range. */
public final class LoggedRanges {
  private static final int MAX_RANGES = 1_000_000;

  private LoggedRanges() {}

  /**
   * Looks them up.
   *
   * @param identity the pipeline
   * @param reading the partition
   * @param commits the commits topic
   * @param range the given range
   * @return by the table's logical name, in order
   * @throws ToolException if the commit log can't be believed, as it decides what is restored
   */
  public static Map<String, List<LoggedRange>> within(
      PipelineIdentity identity, PartitionReading reading, EventTopic commits, Range range) {
    Map<String, List<LoggedRange>> ranges = new HashMap<>();
    LogReplay replay = new LogReplay(identity, reading);
    replay.run(
        commits,
        table -> {
          List<LoggedRange> own = new ArrayList<>();
          ranges.put(table.table().name(), own);
          return logged -> addIfShared(logged, range, own);
        });
    for (TableWork work : replay.works()) {
      List<String> differences = work.differences().toList();
      if (!differences.isEmpty()) {
        throw ToolException.error(
            "table "
                + work.reading().name()
                + " can't be repaired by its commit log: "
                + String.join("; ", differences));
      }
    }
    return ranges;
  }

  private static void addIfShared(LoggedRange logged, Range range, List<LoggedRange> own) {
    boolean shared =
        logged.range().to().isAfter(range.from()) && range.to().isAfter(logged.range().from());
    if (shared) {
      own.add(logged);
      if (own.size() > MAX_RANGES) {
        throw ToolException.error("more than " + MAX_RANGES + " ranges; name a smaller one");
      }
    }
  }
}
