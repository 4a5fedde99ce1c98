package dev.tula.connect.source;

import static dev.tula.connect.queryport.FakeEngine.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.QueryPortException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.TransactionContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task with its threads, between a fake engine and whoever polls. */
@Timeout(300)
class StartedSourceTaskTest {
  private final FakeEngine engine = new FakeEngine();
  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();
  private final Map<String, String> properties = Configs.ofTask(1, "0");
  private final List<SourceRecord> transactionEnds = new ArrayList<>();
  private Optional<TransactionContext> transactions = Optional.of(new RecordedBoundaries());
  private final IdleTail tail = new IdleTail();
  private Clock clock = Clock.system();
  private Runnable firstTransactionEnded = () -> {};
  private StartedSourceTask task;

  @AfterEach
  void stop() {
    if (task != null) {
      task.stop();
    }
    assertThat(engine.openConnections()).as("every connection is closed").isZero();
  }

  @Test
  void rows_come_once_in_order_with_their_offsets_and_predecessors() throws Exception {
    engine.commitBatches(50, 7);
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "10");
    start(Map.of());
    List<SourceRecord> records = pollUntil(this::reachedHead);
    assertThat(rows(records)).containsExactlyElementsOf(engine.truth());
    assertChained(records, Position.ORIGIN);
    assertThat(records).allSatisfy(StartedSourceTaskTest::assertWellFormed);
    assertThat(item(records.get(0))).isInstanceOf(StreamItem.Start.class);
    assertThat(item(records.get(1)))
        .isInstanceOfSatisfying(
            StreamItem.Coverage.class,
            opening -> assertThat(opening.from()).isEqualTo(opening.to()));
  }

  @Test
  void a_task_that_resumes_anywhere_goes_on_without_gap_or_double() throws Exception {
    engine.commitBatches(6, 3);
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "2");
    start(Map.of());
    List<SourceRecord> whole = pollUntil(this::reachedHead);
    task.stop();
    for (int cut = 0; cut < whole.size(); cut++) {
      SourceOffset offset = (SourceOffset) whole.get(cut).sourceOffset();
      start(Map.of(0, offset));
      List<SourceRecord> rest = pollUntil(this::reachedHead);
      task.stop();
      List<CanonicalRow> rows = new ArrayList<>(rows(whole.subList(0, cut + 1)));
      rows.addAll(rows(rest));
      assertThat(rows).as("resumed at %s", offset).containsExactlyElementsOf(engine.truth());
      assertChained(rest, offset.position());
      assertThat(items(rest)).noneMatch(StreamItem.Start.class::isInstance);
    }
  }

  @Test
  void several_export_partitions_each_keep_their_own_order() throws Exception {
    engine.commitBatches(40, 3);
    properties.put(SourceConfig.PARTITION_COUNT, "4");
    properties.put(SourceConfig.TASK_PARTITIONS, "1,3");
    start(Map.of());
    List<SourceRecord> records = pollUntil(all -> reachedHead(all, 1) && reachedHead(all, 3));
    assertThat(records).extracting(SourceRecord::kafkaPartition).containsOnly(1, 3);
    for (int partition : new int[] {1, 3}) {
      List<SourceRecord> own =
          records.stream().filter(record -> record.kafkaPartition() == partition).toList();
      assertChained(own, Position.ORIGIN);
      assertThat(rows(own))
          .containsExactlyElementsOf(
              engine.truth().stream()
                  .filter(row -> row.globalBatchSeq() % 4 == partition)
                  .toList());
    }
    assertThat(engine.fetches()).allMatch(fetch -> fetch.options().group());
    assertThat(engine.clientNames()).contains("source-1", "source-3");
  }

  @Test
  @DisplayName("KIP-618: with transaction.boundary=connector a transaction is one whole page")
  void a_transaction_ends_with_the_last_record_of_each_page() throws Exception {
    engine.commitBatches(9, 3);
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "9");
    properties.put(SourceConfig.POLL_MAX_RECORDS, "4");
    start(Map.of());
    List<SourceRecord> records = pollUntil(this::reachedHead);
    assertThat(transactionEnds).hasSize(1 + 3);
    assertThat(transactionEnds.stream().map(this::offsetOf))
        .containsExactly(
            Position.ORIGIN, Position.batchEnd(3), Position.batchEnd(6), Position.batchEnd(9));
    assertThat(records).containsAll(transactionEnds);
  }

  @Test
  @DisplayName(
      "KIP-618: with transaction.boundary=connector no transaction is open between two polls, where"
          + " Connect may pause the task for longer than the brokers let a transaction live")
  void a_poll_hands_out_whole_pages_where_the_connector_ends_transactions() throws Exception {
    engine.commitBatches(1, 100);
    properties.put(SourceConfig.POLL_MAX_RECORDS, "30");
    start(Map.of());
    List<SourceRecord> records = new ArrayList<>();
    while (!reachedHead(records)) {
      List<SourceRecord> batch = task.poll();
      if (batch != null) {
        records.addAll(batch);
        assertThat(transactionEnds).endsWith(batch.get(batch.size() - 1));
      }
    }
    assertThat(transactionEnds).hasSize(2);
  }

  @Test
  void a_poll_hands_out_no_more_than_it_may_and_nothing_out_of_order() throws Exception {
    transactions = Optional.empty();
    engine.commitBatches(1, 100);
    properties.put(SourceConfig.POLL_MAX_RECORDS, "30");
    start(Map.of());
    List<Integer> sizes = new ArrayList<>();
    List<SourceRecord> records = new ArrayList<>();
    while (!reachedHead(records)) {
      List<SourceRecord> batch = task.poll();
      if (batch != null) {
        sizes.add(batch.size());
        records.addAll(batch);
      }
    }
    assertThat(sizes).containsExactly(2, 30, 30, 30, 11);
    assertChained(records, Position.ORIGIN);
  }

  @Test
  void poll_returns_within_a_second_when_there_is_nothing() throws Exception {
    properties.put(SourceConfig.FETCH_WAIT_MS, "60000");
    start(Map.of());
    pollUntil(records -> records.size() == 2);
    assertThat(task.poll()).as("and not only once the engine has answered").isNull();
    assertThat(StartedSourceTask.POLL_WAIT_MS)
        .as("and room for a busy machine")
        .isBetween(1L, 500L);
  }

  @Test
  void neither_start_nor_poll_nor_stop_waits_for_brokers_that_hang() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch asked = new CountDownLatch(1);
    start(
        Map.of(),
        () -> {
          asked.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            throw new InterruptException(e);
          }
          throw new AssertionError("nobody lets it go on");
        });
    asked.await();
    assertThat(task.poll()).isNull();
    task.stop();
    assertThat(never.getCount()).as("nobody let the brokers go on").isOne();
    assertThat(StartedSourceTask.STOP_LIMIT_MS).as("of Connect's 5 s").isBetween(1L, 2_000L);
    assertThat(engine.opens()).as("nothing is read before the topic is fit").isEmpty();
  }

  @Test
  void stop_ends_a_long_wait_at_once() throws Exception {
    properties.put(SourceConfig.FETCH_WAIT_MS, "60000");
    start(Map.of());
    pollUntil(records -> records.size() == 2);
    task.stop();
    await(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("tula-fetch-source-0")));
    assertThat(task.poll()).as("a stopped task has nothing more to say").isNull();
  }

  @Test
  void a_failure_comes_out_of_poll_after_what_was_read_before_it() throws Exception {
    engine.commitBatches(2, 2);
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "2");
    engine.failFetch(
        node -> {},
        node -> {},
        node -> {},
        error(ErrorCode.ERR_EXPORT_GROUP_CONFLICT, ErrorCode.GROUP_COUNT_DIFFERS));
    start(Map.of());
    List<SourceRecord> records = new ArrayList<>();
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(
            () -> {
              while (true) {
                records.addAll(Optional.ofNullable(task.poll()).orElse(List.of()));
              }
            })
        .withMessageStartingWith("TULA-88 ")
        .satisfies(
            failure ->
                assertThat(failure.toString()).as("a trace begins so").startsWith("TULA-88 "));
    assertThat(rows(records)).containsExactlyElementsOf(engine.truth());
    assertThat(attribute("ExportFailClosedTotal")).isEqualTo(1L);
    assertThat(attribute("PartitionGroupConflictsTotal")).isEqualTo(1L);
  }

  @Test
  void one_partition_s_failure_comes_out_however_busy_the_others_are() throws Exception {
    engine.commitBatches(400, 5);
    properties.put(SourceConfig.PARTITION_COUNT, "2");
    properties.put(SourceConfig.TASK_PARTITIONS, "0,1");
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "5");
    for (int i = 0; i < 6; i++) {
      engine.failFetch(node -> {});
    }
    engine.failFetch(error(ErrorCode.ERR_BAD_REQUEST, 0));
    start(Map.of());
    assertThatExceptionOfType(ExportFailure.class).isThrownBy(() -> pollUntil(records -> false));
  }

  @Test
  @DisplayName("I4: the fetch position is never acked, however far ahead it is")
  void reading_alone_acks_nothing_and_a_checkpoint_is_acked_exactly() throws Exception {
    engine.commitBatches(30, 2);
    start(Map.of());
    pollUntil(this::reachedHead);
    assertThat(engine.acks()).isEmpty();
    tail.checkpoint(12);
    await(() -> !engine.acks().isEmpty());
    assertThat(engine.acks())
        .containsExactly(new Message.Ack("p", 1, 0, 1, Position.batchEnd(12), 1));
  }

  @Test
  void an_ack_that_hangs_holds_up_neither_reading_nor_polling_nor_stopping() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    engine.failAck(
        node -> {
          hanging.countDown();
          hangUntilInterrupted(engine);
        });
    engine.commitBatches(5, 1);
    start(Map.of());
    tail.checkpoint(3);
    hanging.await();
    engine.commitBatches(20, 1);
    assertThat(rows(pollUntil(this::reachedHead))).containsExactlyElementsOf(engine.truth());
    assertThat(engine.acks()).isEmpty();
  }

  /** As a socket does that nobody answers; the engine serves others meanwhile. */
  private static void hangUntilInterrupted(FakeEngine engine) throws QueryPortException {
    try {
      while (true) {
        engine.wait();
      }
    } catch (InterruptedException e) {
      throw new QueryPortException("lost the connection while the task ended", e);
    }
  }

  @Test
  void follower_reads_ack_nothing_and_take_no_group() throws Exception {
    properties.put(SourceConfig.ALLOW_FOLLOWER_READS, "true");
    engine.commitBatches(5, 1);
    start(Map.of());
    pollUntil(this::reachedHead);
    assertThat(tail.opened).isFalse();
    assertThat(engine.fetches())
        .allMatch(fetch -> fetch.options().followerAllowed() && !fetch.options().group());
  }

  @Test
  void while_nobody_polls_the_lease_is_kept_alive_and_the_queue_stays_bounded() throws Exception {
    engine.commitBatches(2_000, 10);
    properties.put(SourceConfig.QUEUE_MAX_BYTES, Integer.toString(1 << 20));
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "500");
    properties.put(SourceConfig.FETCH_WAIT_MS, "1000");
    start(Map.of());
    await(
        () ->
            engine.fetches().stream()
                    .filter(fetch -> fetch.until().isPresent() && isAfterOrigin(fetch))
                    .count()
                >= 2);
    List<Message.Fetch> fetches = engine.fetches();
    Message.Fetch renewal = fetches.get(fetches.size() - 1);
    assertThat(renewal.after()).isEqualTo(renewal.until().orElseThrow());
    assertThat(renewal.options().lease()).isTrue();
    assertThat((long) attribute("QueueBytes")).isBetween(1L, 1L << 20);
    assertThat(rows(pollUntil(this::reachedHead))).containsExactlyElementsOf(engine.truth());
  }

  @Test
  void a_leader_change_in_the_middle_of_the_stream_is_survived() throws Exception {
    engine.commitBatches(20, 2);
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "4");
    engine.failFetch(node -> {}, node -> {}, node -> engine.elect(FakeEngine.B, true));
    start(Map.of());
    List<SourceRecord> records = pollUntil(this::reachedHead);
    assertThat(rows(records)).containsExactlyElementsOf(engine.truth());
    assertThat(attribute("Term")).isEqualTo(2L);
    assertThat(attribute("Leader")).isEqualTo("b:2");
  }

  @Test
  void an_idle_ledger_still_tells_that_time_closes() throws Exception {
    engine.commitBatches(1, 1);
    properties.put(SourceConfig.FETCH_WAIT_MS, "10");
    start(Map.of());
    pollUntil(this::reachedHead);
    engine.shiftClosedThrough(5_000_000);
    List<SourceRecord> more = pollUntil(records -> !records.isEmpty());
    assertThat(item(more.get(0)))
        .isInstanceOfSatisfying(
            StreamItem.Coverage.class,
            coverage -> {
              assertThat(coverage.from()).isEqualTo(Position.batchEnd(1));
              assertThat(coverage.to()).isEqualTo(Position.batchEnd(1));
              assertThat(coverage.closedThroughMicros()).isEqualTo(6_999_999);
            });
  }

  @Test
  void advisory_flags_are_counted_and_stop_nothing() throws Exception {
    engine.commitBatches(5, 1);
    engine.flags(new Message.PageFlags(true, true, true));
    start(Map.of());
    pollUntil(this::reachedHead);
    assertThat((long) attribute("ExportLeaseNotDurableTotal")).isPositive();
    assertThat((long) attribute("ExportHoldReleasedTotal")).isPositive();
    assertThat((long) attribute("ExportNoLeaseTotal")).isPositive();
    assertThat(attribute("ExportCursorDetached")).isEqualTo(1);
  }

  @Test
  void toggling_what_records_hold_on_a_running_pipeline_is_refused_before_anything_is_written()
      throws Exception {
    engine.commitBatches(5, 1);
    start(Map.of());
    List<SourceRecord> records = pollUntil(this::reachedHead);
    task.stop();
    SourceOffset offset = (SourceOffset) records.get(3).sourceOffset();
    int opens = engine.opens().size();
    admin.deleteTopics(List.of("data"));
    for (String key : List.of(SourceConfig.INCLUDE_METADATA, SourceConfig.FULL_TXN_RECORD)) {
      properties.put(key, "true");
      start(Map.of(0, offset));
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(() -> pollUntil(more -> !more.isEmpty()))
          .withMessageStartingWith("TULA-88 ")
          .withMessageContaining("set them back");
      task.stop();
    }
    assertThat(engine.opens()).as("no lease is taken either").hasSize(opens);
    assertThat(admin.listTopics().names().get()).isEmpty();
  }

  @Test
  void an_offset_of_a_version_before_is_taken_and_the_mode_recorded_from_there_on()
      throws Exception {
    engine.commitBatches(5, 1);
    start(Map.of(0, new SourceOffset(Position.batchEnd(3), FakeEngine.CLUSTER, null)));
    assertThat(pollUntil(this::reachedHead))
        .allSatisfy(
            record ->
                assertThat(((SourceOffset) record.sourceOffset()).mode())
                    .contains(new SourceOffset.RecordMode(false, false)));
  }

  @Test
  void metrics_say_how_far_it_is_and_go_with_the_task() throws Exception {
    engine.commitBatches(5, 2);
    start(Map.of());
    pollUntil(this::reachedHead);
    assertThat(attribute("RowsTotal")).isEqualTo(10L);
    assertThat((long) attribute("BytesTotal")).isPositive();
    assertThat(attribute("FetchedGlobalBatchSeq")).isEqualTo(5L);
    assertThat(attribute("HeadGlobalBatchSeq")).isEqualTo(5L);
    assertThat(attribute("ExportLagBatches")).isEqualTo(0L);
    assertThat(attribute("Up")).isEqualTo(1);
    assertThat(attribute("Running")).isEqualTo(1);
    assertThat((long) attribute("LastSuccessUnix")).isPositive();
    task.stop();
    assertThat(server().isRegistered(MBeanRegistration.nameOf("source-task", "source", 0, 0)))
        .isFalse();
  }

  @Test
  void every_poll_is_timed_by_the_task_s_clock_the_one_that_fails_too() throws Exception {
    AtomicLong nanos = new AtomicLong();
    clock = stopwatch(nanos::get);
    firstTransactionEnded = () -> nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_500));
    engine.commitBatches(1, 1);
    engine.failFetch(
        node -> {},
        node -> {},
        error(ErrorCode.ERR_EXPORT_GROUP_CONFLICT, ErrorCode.GROUP_COUNT_DIFFERS));
    start(Map.of());
    int polls = 0;
    try {
      while (true) {
        polls++;
        task.poll();
      }
    } catch (ExportFailure e) {
      assertThat(pollsAttribute("PollsTotal")).isEqualTo((long) polls);
      assertThat(pollsAttribute("PollsWithin1000Ms"))
          .as("all but the one that took 1.5 s, with the records that open a stream")
          .isEqualTo(polls - 1L);
      assertThat(pollsAttribute("PollsWithin2000Ms")).isEqualTo((long) polls);
      assertThat(pollsAttribute("LongestPollMs")).isEqualTo(1_500L);
    }
    task.stop();
    assertThat(server().isRegistered(MBeanRegistration.nameOf("source-polls", "source", 0)))
        .isFalse();
  }

  /** The machine's time, but for how long something took. */
  private static Clock stopwatch(LongSupplier nanos) {
    Clock system = Clock.system();
    return new Clock() {
      @Override
      public long elapsedMs() {
        return system.elapsedMs();
      }

      @Override
      public long elapsedNanos() {
        return nanos.getAsLong();
      }

      @Override
      public long epochMs() {
        return system.epochMs();
      }

      @Override
      public void sleep(long ms) throws InterruptedException {
        system.sleep(ms);
      }
    };
  }

  private static Object pollsAttribute(String attribute) throws JMException {
    return server().getAttribute(MBeanRegistration.nameOf("source-polls", "source", 0), attribute);
  }

  private void start(Map<Integer, SourceOffset> offsets) {
    start(offsets, () -> new TopicAdmin(admin, 1_000));
  }

  private void start(Map<Integer, SourceOffset> offsets, Supplier<TopicAdmin> topicAdmin) {
    SourceConfig config = new SourceConfig(properties);
    Collaborators collaborators =
        new Collaborators(
            engine, topicAdmin, () -> tail.open(), new DataTopicDouble()::look, clock);
    task = StartedSourceTask.start(config, new HashMap<>(offsets), transactions, collaborators);
  }

  private List<SourceRecord> pollUntil(Predicate<List<SourceRecord>> done)
      throws InterruptedException {
    List<SourceRecord> records = new ArrayList<>();
    while (!done.test(records)) {
      List<SourceRecord> batch = task.poll();
      if (batch != null) {
        records.addAll(batch);
      }
    }
    return records;
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private boolean reachedHead(List<SourceRecord> records) {
    return reachedHead(records, 0);
  }

  private boolean reachedHead(List<SourceRecord> records, int partition) {
    return records.stream()
        .filter(record -> record.kafkaPartition() == partition)
        .reduce((first, second) -> second)
        .filter(last -> offsetOf(last).equals(engine.head()))
        .isPresent();
  }

  private Position offsetOf(SourceRecord record) {
    return ((SourceOffset) record.sourceOffset()).position();
  }

  private static boolean isAfterOrigin(Message.Fetch fetch) {
    return fetch.after().isAfter(Position.ORIGIN);
  }

  private static StreamItem item(SourceRecord record) {
    return ConnectRecords.fromConnect(record.valueSchema(), record.value());
  }

  private static List<StreamItem> items(List<SourceRecord> records) {
    return records.stream().map(StartedSourceTaskTest::item).toList();
  }

  private static List<CanonicalRow> rows(List<SourceRecord> records) {
    List<CanonicalRow> rows = new ArrayList<>();
    for (StreamItem item : items(records)) {
      if (item instanceof StreamItem.Row row) {
        rows.add(row.row());
      }
    }
    return rows;
  }

  private static void assertChained(List<SourceRecord> records, Position from) {
    Position proven = from;
    for (SourceRecord record : records) {
      StreamItem item = item(record);
      assertThat(item.provesAfter()).as("C12: %s continues", item).isEqualTo(proven);
      proven = item.provesTo();
      assertThat(((SourceOffset) record.sourceOffset()).position()).isEqualTo(proven);
    }
  }

  private static void assertWellFormed(SourceRecord record) {
    assertThat(record.topic()).isEqualTo("data");
    assertThat(record.key()).isNull();
    assertThat(record.kafkaPartition()).isZero();
    assertThat(record.sourcePartition()).isEqualTo(new SourcePartition("p", 1, 0, 1).asMap());
    if (item(record) instanceof StreamItem.Row row) {
      assertThat(record.timestamp()).isEqualTo(row.row().recordedAtMicros() / 1_000);
    }
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  private Object attribute(String name) {
    int partition = new SourceConfig(properties).taskPartitions().get(0);
    return TaskBean.attribute("source", partition, name);
  }

  private final class RecordedBoundaries implements TransactionContext {
    @Override
    public void commitTransaction() {
      throw new AssertionError("a page's end is a record");
    }

    @Override
    public void commitTransaction(SourceRecord record) {
      if (transactionEnds.isEmpty()) {
        firstTransactionEnded.run();
      }
      transactionEnds.add(record);
    }

    @Override
    public void abortTransaction() {
      throw new AssertionError("nothing is ever taken back");
    }

    @Override
    public void abortTransaction(SourceRecord record) {
      throw new AssertionError("nothing is ever taken back");
    }
  }

  private static final class IdleTail implements CheckpointTail {
    private final BlockingQueue<Long> checkpoints = new LinkedBlockingQueue<>();
    private volatile boolean opened;

    CheckpointTail open() {
      opened = true;
      return this;
    }

    void checkpoint(long batch) {
      checkpoints.add(batch);
    }

    @Override
    public Reach poll(long waitMs, Sink sink) throws InterruptedException {
      Long batch = checkpoints.poll(20, TimeUnit.MILLISECONDS);
      if (batch != null) {
        EventIdentity identity = new EventIdentity("p", FakeEngine.CLUSTER, 1, 0, 1);
        sink.onCheckpoint(0, PartitionAcksTest.checkpoint(identity, 1, batch));
      }
      return Reach.THROUGH;
    }

    @Override
    public void close() {}
  }
}
