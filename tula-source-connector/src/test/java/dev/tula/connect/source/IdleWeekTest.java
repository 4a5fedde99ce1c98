package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.queryport.ManualClock;
import dev.tula.connect.queryport.NodeAddress;
import dev.tula.connect.queryport.QueryPort;
import dev.tula.connect.queryport.QueryPortFactory;
import dev.tula.connect.queryport.Rows;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A week on a virtual clock: the source's own reading and acking around a ledger where little or
 * nothing happens, with a sink that is modelled as what it promises, a commit of what was read once
 * in an interval.
 */
class IdleWeekTest {
  private static final long WEEK_MS = TimeUnit.DAYS.toMillis(7);
  private static final long COMMIT_INTERVAL_MS = 60_000;
  private static final long MICROS_PER_MS = 1_000;
  private static final int PARTITIONS = 2;

  private final ManualClock clock = new ManualClock();

  @ParameterizedTest(name = "partition {0}, a batch every {1} ms")
  @CsvSource({
    "0, 2147483647", // not a batch in the week
    "0, 21600000", // one in six hours
    "1, 21600000",
    "0, 47000", // busy, and here are the rows
    "1, 47000" // as busy, and never a row of this partition
  })
  void ack_and_watermark_stay_within_the_wait_and_the_commit_interval_of_the_head(
      int partition, long batchEveryMs) throws Exception {
    SourceConfig config = new SourceConfig(Configs.ofTask(PARTITIONS, Integer.toString(partition)));
    long limitMs = config.fetchWaitMs() + COMMIT_INTERVAL_MS;
    StreamIdentity identity = config.identity(partition);
    Ledger ledger = new Ledger(batchEveryMs);
    ModelledSink sink = new ModelledSink(EventIdentity.of(identity));
    PartitionMetrics metrics = new PartitionMetrics(config, () -> 0, clock);
    FetchRequests requests = new FetchRequests(config, identity);
    PageSequencer stream = new PageSequencer(identity, Position.ORIGIN, -1, true);
    try (LeaderClient client =
        LeaderClient.builder(config.queryPort(), "me")
            .factory(ledger)
            .clock(clock)
            .observer(metrics)
            .build()) {
      AckLoop acks =
          new AckLoop(
              () -> sink,
              Map.of(
                  partition,
                  new AckSender(config, identity, client::leadership, ledger, clock, metrics)),
              Map.of(partition, metrics),
              config.queryPort().retryPolicy(),
              clock,
              new TaskFailure(new PageQueue(1, 1)));
      long endMs = clock.elapsedMs() + WEEK_MS;
      while (clock.elapsedMs() < endMs) {
        Message.Page page = client.fetch(requests.after(stream.proven()));
        stream.accept(page, sink::take);
        sink.commitIfDue(clock.elapsedMs());
        acks.step(sink);
        long nowMs = clock.elapsedMs();
        assertThat(nowMs - sink.closedThroughMs).as("watermark's age").isLessThanOrEqualTo(limitMs);
        assertThat(ledger.acked.isAfter(ledger.head())).isFalse();
        if (nowMs - ledger.lastCommitMs > limitMs) {
          assertThat(ledger.acked).as("ack, %s ms later", nowMs).isEqualTo(ledger.head());
        }
      }
    }
    long batches = WEEK_MS / batchEveryMs;
    assertThat(ledger.head().globalBatchSeq()).isBetween(batches, batches + 1);
    assertThat(ledger.acks)
        .as("an ack for each commit that moved")
        .isLessThanOrEqualTo(Math.min(batches + 1, WEEK_MS / COMMIT_INTERVAL_MS + 1));
    assertThat(sink.rows > 0).isEqualTo(partition == 0 && batches > 1);
    assertThat(sink.commits).isGreaterThan(WEEK_MS / limitMs - 2);
    long probes = metrics.getLeaderProbesTotal();
    assertThat(probes).as("more than a batch apart").isLessThanOrEqualTo(WEEK_MS / 30_000);
    assertThat(probes > 0).as("asked who leads while there was nothing").isTrue();
    assertThat(metrics.getLeaderProbesFailedTotal()).isZero();
  }

  /** Commits what came once in an interval, and publishes a checkpoint of it. */
  private final class ModelledSink implements CheckpointTail {
    private final EventIdentity identity;
    private final Deque<Position> checkpoints = new ArrayDeque<>();
    private long lastCommitMs = clock.elapsedMs();
    private Position readTo = Position.ORIGIN;
    private long readClosedMs = clock.elapsedMs();
    private long closedThroughMs = clock.elapsedMs();
    private long rows;
    private long commits;

    ModelledSink(EventIdentity identity) {
      this.identity = identity;
    }

    void take(StreamItem item, Position provesTo) {
      readTo = provesTo;
      if (item instanceof StreamItem.Coverage coverage) {
        readClosedMs = Math.floorDiv(coverage.closedThroughMicros(), MICROS_PER_MS);
      } else {
        rows++;
      }
    }

    void commitIfDue(long nowMs) {
      if (nowMs - lastCommitMs >= COMMIT_INTERVAL_MS) {
        lastCommitMs = nowMs;
        closedThroughMs = readClosedMs;
        commits++;
        if (readTo.isAfter(Position.ORIGIN)) {
          checkpoints.add(readTo);
        }
      }
    }

    @Override
    public Reach poll(long waitMs, Sink into) {
      Position next = checkpoints.poll();
      if (next != null) {
        into.onCheckpoint(
            identity.partition(), PartitionAcksTest.checkpoint(identity, 1, next.globalBatchSeq()));
      }
      return Reach.THROUGH;
    }

    @Override
    public void close() {}
  }

  /** Batches at a fixed pace, those of odd number without a row; a FETCH waits on the clock. */
  private final class Ledger implements QueryPortFactory, QueryPort {
    private final long everyMs;
    private final TreeMap<Long, Long> recordedAtMs = new TreeMap<>();
    private long nextMs;
    private long lastCommitMs = clock.elapsedMs();
    private Position acked = Position.ORIGIN;
    private long acks;

    Ledger(long everyMs) {
      this.everyMs = everyMs;
      this.nextMs = clock.elapsedMs() + everyMs;
    }

    Position head() {
      while (nextMs <= clock.elapsedMs()) {
        recordedAtMs.put(recordedAtMs.size() + 1L, nextMs);
        lastCommitMs = nextMs;
        nextMs += everyMs;
      }
      return recordedAtMs.isEmpty() ? Position.ORIGIN : Position.batchEnd(recordedAtMs.lastKey());
    }

    @Override
    public QueryPort create() {
      return this;
    }

    @Override
    public void configure(Map<String, ?> properties) {}

    @Override
    public Message.Welcome open(NodeAddress node, String clientName, Optional<String> cluster) {
      return new Message.Welcome(
          1, FakeEngine.CLUSTER, "n", Message.Role.LEADER, 1, "", head(), 1 << 20, 1_000, 0);
    }

    @Override
    public Message.Page fetch(Message.Fetch request) {
      if (!head().isAfter(request.after())) {
        clock.sleep(Math.min(request.waitMs(), nextMs - clock.elapsedMs()));
      }
      Position head = head();
      List<CanonicalRow> rows =
          recordedAtMs.tailMap(request.after().globalBatchSeq(), false).entrySet().stream()
              .filter(batch -> batch.getKey() % 2 == 0 && request.partition() == 0)
              .map(batch -> Rows.transaction(batch.getKey(), 0, batch.getValue() * MICROS_PER_MS))
              .toList();
      return new Message.Page(
          1,
          request.after(),
          head,
          head,
          Position.ORIGIN,
          clock.elapsedMs() * MICROS_PER_MS,
          Message.PageFlags.NONE,
          new Message.GroupStatus(PARTITIONS, PARTITIONS, Position.ORIGIN),
          rows);
    }

    @Override
    public Message.Acked ack(Message.Ack request) {
      acked = request.through();
      acks++;
      return new Message.Acked(acked);
    }

    @Override
    public Message.StatePage state(Message.State request) {
      throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public Message.StatusOk status() {
      throw new UnsupportedOperationException("nobody asks for it");
    }

    @Override
    public void close() {}
  }
}
