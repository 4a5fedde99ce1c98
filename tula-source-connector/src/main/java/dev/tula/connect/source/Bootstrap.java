package dev.tula.connect.source;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.queryport.LimitedLog;
import dev.tula.connect.queryport.RetryPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a generation with the state at its start: chooses the position P that the state is of, and
 * hands over the rows that seed it.
 *
 * <p>Every export partition has to begin at the same P, through every crash, on every worker. What
 * decides is the data topic itself. The task of partition 0 chooses P and says so in its START
 * record; all others wait for that record. A partition that was begun before and has no source
 * offset, because a crash came before it was stored, goes on from the START record that its Kafka
 * partition begins with; and before P is chosen, it must be in no partition. So nothing is ever
 * emitted for one P after something was for another.
 *
 * <p>Belongs to the fetch thread.
 */
final class Bootstrap {
  private static final Logger LOG = LoggerFactory.getLogger(Bootstrap.class);

  /** The export partition whose START record tells the others where P is. */
  private static final int CHOOSER = 0;

  private static final long LOOK_FOR_START_EVERY_MS = 500;

  private final SourceConfig config;
  private final StreamIdentity identity;
  private final LeaderClient client;
  private final FetchRequests requests;
  private final Supplier<TopicStarts> topicStarts;
  private final BrokerRetries retries;
  private final RetryPolicy retryPolicy;
  private final Clock clock;
  private final LimitedLog waitLog;

  /** Takes the pages of seeded rows. */
  @FunctionalInterface
  interface PageSink {
    /** The next page, in order; waits for room. */
    void accept(List<StreamItem> page, long rowBytes) throws InterruptedException;
  }

  Bootstrap(
      SourceConfig config,
      StreamIdentity identity,
      LeaderClient client,
      FetchRequests requests,
      Supplier<TopicStarts> topicStarts,
      BrokerRetries retries,
      Clock clock) {
    this.config = config;
    this.identity = identity;
    this.client = client;
    this.requests = requests;
    this.topicStarts = topicStarts;
    this.retries = retries;
    this.retryPolicy = config.queryPort().retryPolicy();
    this.clock = clock;
    this.waitLog = new LimitedLog(LOG, clock);
  }

  /**
   * Opens a stream that has no source offset.
   *
   * @throws ExportFailure if P's state or what follows it is gone, or the data topic does not say
   *     where P is
   */
  StreamOpening open() throws InterruptedException {
    Optional<Position> begun = lookedUp();
    if (begun.isPresent()) {
      return begin(begun.get());
    }
    Optional<Position> configured =
        config.startPosition().filter(position -> position.isAfter(Position.ORIGIN));
    if (configured.isPresent()) {
      return begin(start(configured.get()));
    }
    return StreamOpening.atFloor(client, floor -> begin(start(floor)));
  }

  /**
   * Where the stream begins by what the data topic holds; empty if this partition's task is to
   * choose.
   */
  private Optional<Position> lookedUp() throws InterruptedException {
    long startedMs = clock.elapsedMs();
    return retries.call(
        "topic " + config.topic() + " could not be read",
        () -> {
          try (TopicStarts starts = topicStarts.get()) {
            Optional<Position> own = begun(starts, identity.partition());
            if (own.isPresent()) {
              return own;
            }
            if (identity.partition() == CHOOSER) {
              return begunByOthers(starts).map(Position::endOfBatch).map(this::start);
            }
            return Optional.of(start(awaitChooser(starts, startedMs).endOfBatch()));
          }
        });
  }

  /**
   * Where a partition was begun; empty while it holds nothing.
   *
   * @throws ExportFailure if what it holds does not say
   */
  private Optional<Position> begun(TopicStarts starts, int partition) throws InterruptedException {
    Optional<TopicStarts.First> first = starts.first(partition);
    if (first.isPresent() && first.get().start().isEmpty()) {
      throw startLost(partition, first.get().offset());
    }
    return first.flatMap(TopicStarts.First::start);
  }

  private ExportFailure startLost(int partition, long offset) {
    return new ExportFailure(
        FailureCode.CONFIGURATION,
        "there is no source offset, and topic "
            + config.topic()
            + ", partition "
            + partition
            + ", already holds records from offset "
            + offset
            + " on without the START record that says where the stream begins (retention removed"
            + " it, a transform dropped its headers, or the records are not this pipeline's), so a"
            + " bootstrap could seed another state than it did before. Set the source offsets to"
            + " the lake's watermark (tula-lake watermark; PATCH /connectors/<name>/offsets), or"
            + " begin the next generation");
  }

  /** The others wait for this one, so whatever they hold was begun before, and is to be kept to. */
  private Optional<Position> begunByOthers(TopicStarts starts) throws InterruptedException {
    for (int other = 0; other < identity.partitionCount(); other++) {
      Optional<Position> start = begun(starts, other);
      if (start.isPresent()) {
        return start;
      }
    }
    return Optional.empty();
  }

  private Position awaitChooser(TopicStarts starts, long startedMs) throws InterruptedException {
    while (true) {
      Optional<Position> start = begun(starts, CHOOSER);
      if (start.isPresent()) {
        return start.get();
      }
      long waitedMs = clock.elapsedMs() - startedMs;
      if (waitedMs >= retryPolicy.timeoutMs()) {
        throw new ExportFailure(
            FailureCode.UNAVAILABLE,
            "partition "
                + identity.partition()
                + " begins where the bootstrap of partition "
                + CHOOSER
                + " says, and topic "
                + config.topic()
                + " holds no START record of it after "
                + waitedMs
                + " ms. See why the task of partition "
                + CHOOSER
                + " does not run, then restart this one");
      }
      waitLog.warn(
          "Partition " + identity.partition() + " waits for the bootstrap to be begun by another");
      clock.sleep(LOOK_FOR_START_EVERY_MS);
    }
  }

  /** Where this partition begins when the state is seeded as of {@code p}. */
  private Position start(Position p) {
    boolean seeds =
        identity.includeMetadata()
            && p.isAfter(Position.ORIGIN)
            && p.exportPartition(identity.partitionCount()) == identity.partition();
    return seeds ? Position.beforeSeeded(p.globalBatchSeq()) : p;
  }

  /**
   * Opens a stream that begins at {@code from}, before seeded rows or not, with START.
   *
   * @throws ExportFailure if what follows it is gone
   */
  StreamOpening begin(Position from) throws InterruptedException {
    if (!from.isAmongSeeded()) {
      return StreamOpening.started(identity, from, client, requests);
    }
    StreamOpening resumed = resume(from);
    List<StreamItem> items = new ArrayList<>();
    items.add(new StreamItem.Start(from, resumed.closedThroughMicros(), identity));
    items.addAll(resumed.items());
    return new StreamOpening(from, resumed.closedThroughMicros(), List.copyOf(items));
  }

  /**
   * Opens a stream whose source offset lies before or among the seeded rows.
   *
   * @throws ExportFailure if P's state or what follows it is gone
   */
  StreamOpening resume(Position at) throws InterruptedException {
    long closed = timeBefore(at, hold(at).closedThroughMicros());
    return new StreamOpening(
        at, closed, List.of(new StreamItem.Coverage(at, at, closed, identity)));
  }

  /** Takes the lease at P, or keeps it alive; what is closed there. */
  private Message.Page hold(Position at) throws InterruptedException {
    Position p = at.endOfBatch();
    return StreamOpening.checkedEmpty(client.fetch(requests.at(p)), p);
  }

  /**
   * The last time that is closed before the seeded rows. They are recorded at the time of P's own
   * batch, so it is the moment before that; without any, what is closed at P.
   */
  private long timeBefore(Position at, long closedAtP) throws InterruptedException {
    SeededRows rows = new SeededRows(client, at.endOfBatch(), 1);
    rows.next();
    OptionalLong recordedAt = rows.recordedAtMicros();
    return recordedAt.isPresent() ? recordedAt.getAsLong() - 1 : closedAtP;
  }

  /**
   * Hands over the rows that seed the state, those that were not handed over before, and a last
   * coverage record up to P.
   *
   * @param after the source offset, before or among the seeded rows
   * @return the time that is closed at P, µs
   */
  long seed(Position after, PageSink sink) throws InterruptedException {
    SeededRows rows = new SeededRows(client, after.endOfBatch(), config.pageMaxRecords());
    Position proven = after;
    for (List<CanonicalRow> page = rows.next(); !page.isEmpty(); page = rows.next()) {
      List<StreamItem> items = new ArrayList<>(page.size());
      long bytes = 0;
      for (CanonicalRow row : page) {
        if (row.position().isAfter(proven)) {
          items.add(new StreamItem.Row(proven, row));
          proven = row.position();
          bytes += row.length();
        }
      }
      hold(after);
      if (!items.isEmpty()) {
        sink.accept(items, bytes);
      }
    }
    long closed = hold(after).closedThroughMicros();
    sink.accept(List.of(new StreamItem.Coverage(proven, after.endOfBatch(), closed, identity)), 0);
    LOG.info(
        "{} partition {} has seeded the state as of {}",
        identity.pipeline(),
        identity.partition(),
        after.endOfBatch());
    return closed;
  }
}
