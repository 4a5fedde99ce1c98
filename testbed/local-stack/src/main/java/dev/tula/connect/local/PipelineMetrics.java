package dev.tula.connect.local;

import dev.tula.connect.local.WorkerMetrics.TaskMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the connectors' MBeans say of the pipeline, over any number of workers one after another.
 * For one thread.
 */
final class PipelineMetrics implements AutoCloseable {
  private static final String SOURCE = "source-task";
  private static final String SINK = "sink-task";

  private final Counters counters = new Counters();
  private final Map<Integer, Long> lakeRows = new HashMap<>();
  private final Map<Integer, Long> acked = new HashMap<>();
  private final Map<Integer, Long> fetched = new HashMap<>();
  private Memory memory = new Memory(0, 0, 0);
  private WorkerMetrics worker;
  private long attachedPid;
  private boolean running;
  private String lastFailure = "";
  private List<TaskMetrics> latest = List.of();

  /**
   * The memory of the worker and of the sink's tasks.
   *
   * @param maxHeapBytes what the worker's heap can be at most
   * @param mostBytes the most that the rows of a task were seen to take
   * @param reached how often the rows of a task took all that they may
   */
  record Memory(long maxHeapBytes, long mostBytes, long reached) {}

  /** Reads the worker's MBeans, attaching to it where need be. A failure shows only in the text. */
  void read(long pid) {
    try {
      if (worker == null || attachedPid != pid) {
        detach();
        worker = WorkerMetrics.attach(pid);
        attachedPid = pid;
      }
      latest = worker.read();
      memory = new Memory(worker.maxHeapBytes(), memory.mostBytes(), memory.reached());
      take(latest);
      lastFailure = "";
    } catch (IOException | RuntimeException e) {
      // A worker that starts, stops or was just killed can't be read; the next reading tries again.
      lastFailure = e.toString();
      detach();
    }
  }

  private void take(List<TaskMetrics> tasks) {
    for (TaskMetrics task : tasks) {
      int partition = task.partition();
      if (task.type().equals(SOURCE)) {
        counters.read("sent." + partition, task.count("RowsTotal"));
        fetched.merge(partition, task.count("FetchedGlobalBatchSeq"), Math::max);
        acked.merge(partition, task.count("AckedGlobalBatchSeq"), Math::max);
        running |= task.count("Running") == 1;
      } else if (task.type().equals(SINK)) {
        counters.read("replayed." + partition, task.count("ReplayedRowsTotal"));
        memory =
            new Memory(
                memory.maxHeapBytes(),
                Math.max(memory.mostBytes(), task.count("MemoryBytes")),
                Math.max(memory.reached(), task.count("MemoryReachedTotal")));
        lakeRows.merge(partition, task.count("LakeRows"), Math::max);
        running |= task.count("Running") == 1;
      }
    }
  }

  /** The worker is about to end: its counters end here. */
  void workerGone() {
    counters.restart();
    running = false;
    detach();
  }

  /** Whether a task was seen at work since the worker last started. */
  boolean running() {
    return running;
  }

  /** Rows that the source read from the engine to send to Kafka, what it sent again included. */
  long sentRows() {
    return counters.sum("sent.");
  }

  /** Rows that came to the sink again, were compared and dropped. */
  long replayedRows() {
    return counters.sum("replayed.");
  }

  /** The memory that was used. */
  Memory memory() {
    return memory;
  }

  /** Rows in the lake at its watermarks. */
  long lakeRows() {
    return lakeRows.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The lowest batch that was acked over all export partitions seen. */
  long ackedBatch() {
    return acked.values().stream().mapToLong(Long::longValue).min().orElse(0);
  }

  /** The lowest batch that was read over all export partitions seen. */
  long fetchedBatch() {
    return fetched.values().stream().mapToLong(Long::longValue).min().orElse(0);
  }

  /** The last reading in words, for when something went wrong. */
  List<String> describe() {
    List<String> lines = new ArrayList<>();
    for (TaskMetrics task : latest) {
      lines.add(
          task.type() + ", partition " + task.partition() + ": " + new TreeMap<>(task.values()));
    }
    if (!lastFailure.isEmpty()) {
      lines.add("the worker's MBeans could not be read the last time: " + lastFailure);
    }
    return lines;
  }

  private void detach() {
    if (worker == null) {
      return;
    }
    try {
      worker.close();
    } catch (IOException e) {
      // Its process is gone: there is nothing left to close.
      lastFailure = e.toString();
    }
    worker = null;
  }

  @Override
  public void close() {
    detach();
  }
}
