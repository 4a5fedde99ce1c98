package dev.tula.connect.source;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.queryport.Leadership;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one export partition ahead of {@code poll()}, page after page, on a thread of its own,
 * until it is stopped or fails. While the queue is full, because Connect is slow or the connector
 * is paused, it keeps the lease alive with empty reads.
 *
 * <p>{@link #run} belongs to the fetch thread; {@link #stop} and {@link #leadership} are safe from
 * any.
 */
final class PartitionExport implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionExport.class);

  /** What a record holds in memory beside its row's bytes, roughly. */
  private static final int RECORD_OVERHEAD_BYTES = 400;

  private static final long MIN_RENEWAL_MS = 1_000;
  private static final long MAX_RENEWAL_MS = 5_000;

  private final SourceConfig config;
  private final StreamIdentity identity;
  private final Optional<SourceOffset> offset;
  private final DataTopic topic;
  private final LeaderClient client;
  private final PageQueue queue;
  private final TaskFailure failure;
  private final PartitionMetrics metrics;
  private final FetchRequests requests;
  private final StreamRecords records;
  private final Bootstrap bootstrap;
  private final Supplier<TopicStarts> topicStarts;
  private final BrokerRetries retries;
  private final FlagWarnings warnings;
  private final long renewalMs;
  private volatile boolean stopped;

  /**
   * What all exports of a task share.
   *
   * @param topic where their records go
   * @param topicStarts opens it, to see where its streams begin
   * @param queue what they read waits in, for Connect
   * @param failure whatever ends one of them ends the task
   */
  record Shared(
      SourceConfig config,
      DataTopic topic,
      Supplier<TopicStarts> topicStarts,
      PageQueue queue,
      TaskFailure failure,
      Clock clock) {}

  /**
   * @param identity of the stream of its export partition
   * @param offset that partition's source offset, if there is one
   * @param client reads for it alone
   */
  PartitionExport(
      Shared shared,
      StreamIdentity identity,
      Optional<SourceOffset> offset,
      LeaderClient client,
      PartitionMetrics metrics) {
    this.config = shared.config();
    this.identity = identity;
    this.offset = offset;
    this.topic = shared.topic();
    this.client = client;
    this.queue = shared.queue();
    this.failure = shared.failure();
    this.metrics = metrics;
    this.requests = new FetchRequests(config, identity);
    this.records = new StreamRecords(config.topic(), identity);
    this.topicStarts = shared.topicStarts();
    this.retries = new BrokerRetries(config, shared.clock(), metrics);
    this.bootstrap =
        new Bootstrap(config, identity, client, requests, topicStarts, retries, shared.clock());
    this.warnings = new FlagWarnings(identity, config.group(), shared.clock());
    this.renewalMs = Math.max(MIN_RENEWAL_MS, Math.min(MAX_RENEWAL_MS, config.fetchWaitMs()));
  }

  @Override
  public void run() {
    try {
      offset.ifPresent(stored -> stored.requireOf(identity));
      topic.ensure(metrics);
      export();
    } catch (InterruptedException e) {
      // That is how it is stopped.
      LOG.debug("{} partition {} was stopped", identity.pipeline(), identity.partition());
    } catch (RuntimeException | Error e) {
      if (!stopped) {
        metrics.onFailure(e);
        failure.fail(e);
      }
    } finally {
      metrics.running(false);
      client.close();
    }
  }

  private void export() throws InterruptedException {
    StreamOpening opening = opening();
    metrics.running(true);
    LOG.info(
        "{} partition {} of {} goes on after {}",
        identity.pipeline(),
        identity.partition(),
        identity.partitionCount(),
        opening.position());
    enqueue(records(opening.items()), 0);
    PageSequencer sequencer = sequencer(opening);
    while (!stopped) {
      Message.Page page = client.fetch(requests.after(sequencer.proven()));
      note(page);
      take(page, sequencer);
    }
  }

  private StreamOpening opening() throws InterruptedException {
    if (offset.isEmpty()) {
      return config.bootstrap() ? bootstrap.open() : begin();
    }
    Position position = offset.get().position();
    return position.isAmongSeeded()
        ? bootstrap.resume(position)
        : StreamOpening.open(config, identity, offset, client, requests);
  }

  private StreamOpening begin() throws InterruptedException {
    Optional<Position> begun = begun();
    if (begun.isEmpty()) {
      return StreamOpening.open(config, identity, offset, client, requests);
    }
    try {
      return bootstrap.begin(begun.get());
    } catch (ExportFailure e) {
      throw e.missing().isPresent() ? beginningGone(begun.get(), e) : e;
    }
  }

  /**
   * An offset that was lost, or taken away, is the one cause that a new generation need not cure.
   */
  private ExportFailure beginningGone(Position begun, ExportFailure failure) {
    Range missing = failure.missing().orElseThrow();
    return ExportFailure.reclaimed(
        missing,
        "there is no source offset, the stream was begun after "
            + begun
            + " by the START record in topic "
            + config.topic()
            + ", partition "
            + identity.partition()
            + ", and the engine no longer has the range "
            + missing
            + ". If the lake's watermark (tula-lake watermark) is not below its end, set the source"
            + " offsets to the watermark (PATCH /connectors/<name>/offsets); else tula-lake reseed says"
            + " what is lost and opens the next generation",
        failure);
  }

  /**
   * Where the stream was begun before, by the START record in the topic, if a crash or an operator
   * left it without an offset. It decides, and not what is configured: the floor may have moved
   * since. A topic that lost its beginning decides nothing.
   */
  private Optional<Position> begun() throws InterruptedException {
    Optional<Position> begun =
        retries.call(
            "topic " + config.topic() + " could not be read",
            () -> {
              try (TopicStarts starts = topicStarts.get()) {
                return starts.first(identity.partition()).flatMap(TopicStarts.First::start);
              }
            });
    begun.ifPresent(
        position ->
            LOG.info(
                "{} partition {} was begun before, after {}, and is begun there again",
                identity.pipeline(),
                identity.partition(),
                position));
    return begun;
  }

  /** Goes on with the ledger's pages, once every row is handed over that a bootstrap seeds. */
  private PageSequencer sequencer(StreamOpening opening) throws InterruptedException {
    Position position = opening.position();
    long closed = opening.closedThroughMicros();
    if (position.isAmongSeeded()) {
      closed = bootstrap.seed(position, this::enqueueSeeded);
      position = position.endOfBatch();
    }
    return new PageSequencer(identity, position, closed, config.strictClosedThrough());
  }

  private void enqueueSeeded(List<StreamItem> page, long rowBytes) throws InterruptedException {
    long rows = page.stream().filter(StreamItem.Row.class::isInstance).count();
    metrics.onRows((int) rows, rowBytes);
    enqueue(records(page), rowBytes);
  }

  private List<SourceRecord> records(List<StreamItem> items) {
    List<SourceRecord> made = new ArrayList<>(items.size());
    for (StreamItem item : items) {
      made.add(records.of(item, item.provesTo()));
    }
    return made;
  }

  private void take(Message.Page page, PageSequencer sequencer) throws InterruptedException {
    List<SourceRecord> out = new ArrayList<>(page.records().size() + 1);
    try {
      sequencer.accept(page, (item, provesTo) -> out.add(records.of(item, provesTo)));
    } finally {
      metrics.fetchedTo(
          sequencer.proven(),
          sequencer.closedThroughMicros(),
          sequencer.closedThroughRegressions());
    }
    long rowBytes = 0;
    for (CanonicalRow row : page.records()) {
      rowBytes += row.length();
    }
    metrics.onRows(page.records().size(), rowBytes);
    if (!out.isEmpty()) {
      enqueue(out, rowBytes);
    }
  }

  private void enqueue(List<SourceRecord> page, long rowBytes) throws InterruptedException {
    long bytes = rowBytes + (long) page.size() * RECORD_OVERHEAD_BYTES;
    while (!queue.offer(page, bytes, renewalMs)) {
      if (stopped || queue.isClosed()) {
        throw new InterruptedException("the task ends");
      }
      renewLease(page);
    }
  }

  /**
   * The position that the waiting page leads to is where the next read goes on; among seeded rows
   * it is their batch's end, which everything after them follows.
   */
  private void renewLease(List<SourceRecord> waiting) throws InterruptedException {
    SourceOffset last = (SourceOffset) waiting.get(waiting.size() - 1).sourceOffset();
    Position position = last.position();
    note(client.fetch(requests.at(position.isAmongSeeded() ? position.endOfBatch() : position)));
  }

  private void note(Message.Page page) {
    metrics.onPage(page);
    client.leadership().ifPresent(metrics::onLeadership);
    warnings.onPage(page);
  }

  /** Who answered the last page; empty before the first. */
  Optional<Leadership> leadership() {
    return client.leadership();
  }

  /** Ends it, whatever it is doing. Returns at once. */
  void stop() {
    stopped = true;
    client.close();
  }
}
