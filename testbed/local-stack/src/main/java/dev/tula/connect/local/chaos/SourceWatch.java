package dev.tula.connect.local.chaos;

import dev.tula.connect.local.StackException;
import dev.tula.connect.local.WorkerMetrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Keeps what the source tasks of one worker say of their polls, over all its lives: their MBeans
 * once a second, so that a kill costs a second, and at last the worker's log, where each task that
 * ended in order left all of it. Safe for any thread.
 */
final class SourceWatch implements AutoCloseable {
  private static final long SAMPLE_MS = 1_000;
  private static final long END_LIMIT_MS = 5_000;
  private static final String BEANS = "source-polls";

  private final BooleanSupplier usable;
  private final LongSupplier pid;
  private final Path log;
  private final Map<String, SourceLife> lives = new HashMap<>();
  private final List<Span> standStills = new ArrayList<>();
  private final Thread thread;
  private volatile boolean ended;

  // The watching thread's own.
  private WorkerMetrics worker;
  private long attached;

  private record Span(Instant from, Instant to) {}

  /**
   * Starts to watch.
   *
   * @param usable whether the worker is up and runs; another is not attached to
   * @param pid its process
   * @param log its log, over all its lives
   */
  SourceWatch(String name, BooleanSupplier usable, LongSupplier pid, Path log) {
    this.usable = usable;
    this.pid = pid;
    this.log = log;
    // A worker that stands still answers nothing, so that each is asked on a thread of its own.
    thread = new Thread(this::watch, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void watch() {
    try {
      while (!ended) {
        sample();
        Thread.sleep(SAMPLE_MS);
      }
    } catch (InterruptedException e) {
      // That is how it is ended.
      ended = true;
    }
    worker = close(worker);
  }

  private void sample() {
    try {
      long process = pid.getAsLong();
      if (worker != null && process != attached) {
        worker = close(worker);
      }
      if (worker == null && usable.getAsBoolean()) {
        worker = WorkerMetrics.attach(process);
        attached = process;
      }
      if (worker != null) {
        sampled(worker.valuesOf(BEANS));
      }
    } catch (IOException | RuntimeException e) {
      // Killed, or about to end: its last sample stays, and the next life is attached to anew.
      worker = close(worker);
    }
  }

  private static WorkerMetrics close(WorkerMetrics worker) {
    if (worker != null) {
      try {
        worker.close();
      } catch (IOException e) {
        // Its process is gone: there is nothing left to close.
        return null;
      }
    }
    return null;
  }

  private synchronized void sampled(List<Map<String, Object>> beans) {
    Instant now = Instant.now();
    beans.stream()
        .map(values -> SourceLife.ofBean(values, now))
        .forEach(life -> lives.put(life.id(), life));
  }

  /** The worker was made to stand still for a while. */
  synchronized void stoodStill(Instant from, Instant to) {
    standStills.add(new Span(from, to));
  }

  /**
   * Everything, once the worker has ended; watches no more.
   *
   * @param ran takes the tasks whose worker ran all the time that they were there
   * @param stoodStill takes the others
   */
  void conclude(List<SourceLife> ran, List<SourceLife> stoodStill) {
    close();
    synchronized (this) {
      readLog();
      for (SourceLife life : lives.values()) {
        boolean still = standStills.stream().anyMatch(span -> life.during(span.from(), span.to()));
        (still ? stoodStill : ran).add(life);
      }
    }
  }

  private void readLog() {
    try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      lines
          .flatMap(line -> SourceLife.ofLog(line, ZoneId.systemDefault()).stream())
          .forEach(life -> lives.put(life.id(), life));
    } catch (IOException e) {
      throw new StackException(log + " can't be read", e);
    }
  }

  @Override
  public void close() {
    ended = true;
    thread.interrupt();
    try {
      TimeUnit.MILLISECONDS.timedJoin(thread, END_LIMIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
