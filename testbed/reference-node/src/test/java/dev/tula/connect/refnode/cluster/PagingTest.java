package dev.tula.connect.refnode.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** However a ledger is cut into pages, they come to the same. */
class PagingTest {
  private static final int ROWS = 6000;

  private static ReferenceCluster cluster;

  @BeforeContainer
  static void start() {
    cluster = ReferenceCluster.builder().seed(21).maxBatchRecords(200).rows(ROWS).start();
  }

  @AfterContainer
  static void stop() {
    cluster.close();
  }

  private static List<CanonicalRow> truth(int partition, int count, RecordForm form) {
    try (TruthReader truth = cluster.truth(partition, count, form)) {
      return truth.remaining();
    }
  }

  private static RecordForm form(int number) {
    return new RecordForm(number > 0, number > 1);
  }

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
  void pages_of_any_cut_concatenate_to_the_truth_and_their_ranges_join(
      @ForAll @IntRange(min = 1, max = 33) int count,
      @ForAll @IntRange(min = 0, max = 32) int anyPartition,
      @ForAll @IntRange(min = 0, max = 2) int formNumber,
      @ForAll Random random)
      throws InterruptedException {
    int partition = anyPartition % count;
    RecordForm form = form(formNumber);
    List<CanonicalRow> read = new ArrayList<>();
    Position at = Position.ORIGIN;
    long closed = Long.MIN_VALUE;
    Cluster.ReadContext context = cluster.cluster().readContext("c", 1 << 16);
    while (cluster.head().isAfter(at)) {
      Page page = page(context, partition, count, at, form, random);
      assertThat(page.coveredFrom()).isEqualTo(at);
      assertThat(page.coveredTo().isAfter(at)).isTrue();
      assertThat(page.coveredTo().isAtOrBelow(page.head())).isTrue();
      assertThat(page.closedThroughMicros()).isGreaterThanOrEqualTo(closed);
      for (CanonicalRow row : page.records()) {
        assertThat(row.position().isAfter(at)).isTrue();
        assertThat(row.position().isAtOrBelow(page.coveredTo())).isTrue();
        assertThat(row.position().exportPartition(count)).isEqualTo(partition);
      }
      closed = page.closedThroughMicros();
      read.addAll(page.records());
      at = page.coveredTo();
    }
    assertThat(read).isEqualTo(truth(partition, count, form));
  }

  private static Page page(
      Cluster.ReadContext context,
      int partition,
      int count,
      Position after,
      RecordForm form,
      Random random)
      throws InterruptedException {
    // Some pages are bounded by records, some by bytes, some by a position, some by the frame.
    int maxRecords = random.nextInt(3) == 0 ? 1 + random.nextInt(50) : 100_000;
    int maxBytes = random.nextInt(3) == 0 ? 1 + random.nextInt(20_000) : 1 << 30;
    Optional<Position> until =
        random.nextInt(3) == 0
            ? Optional.of(
                new Position(after.globalBatchSeq() + 1 + random.nextInt(20), random.nextInt(250)))
            : Optional.empty();
    FetchOptions options =
        new FetchOptions(form.includeMetadata(), form.fullRecord(), false, false, false);
    Fetch fetch =
        new Fetch("p", 1, partition, count, after, until, maxRecords, maxBytes, 0, options);
    Page page = cluster.cluster().fetch(0, context, fetch);
    assertThat(page.records().size()).isLessThanOrEqualTo(maxRecords);
    int bytes = page.records().stream().mapToInt(CanonicalRow::length).sum();
    assertThat(bytes <= maxBytes || page.records().size() == 1).isTrue();
    assertThat(FrameCodec.frameBytes(page)).isLessThanOrEqualTo(1 << 16);
    until.ifPresent(limit -> assertThat(page.coveredTo().isAtOrBelow(limit)).isTrue());
    return page;
  }

  @Property(tries = 20, edgeCases = EdgeCasesMode.NONE)
  void the_partitions_together_are_the_whole(
      @ForAll @IntRange(min = 1, max = 40) int count,
      @ForAll @IntRange(min = 0, max = 2) int formNumber) {
    List<CanonicalRow> merged = new ArrayList<>();
    for (int partition = 0; partition < count; partition++) {
      merged.addAll(truth(partition, count, form(formNumber)));
    }
    merged.sort(Comparator.comparing(CanonicalRow::position));
    assertThat(merged).isEqualTo(truth(0, 1, form(formNumber)));
  }

  /** A page that holds a batch's last record covers to the batch's end, else to its last record. */
  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
  void a_page_covers_to_its_last_record_or_to_the_end_of_a_batch(
      @ForAll @IntRange(min = 1, max = 400) int maxRecords) throws InterruptedException {
    Cluster.ReadContext context =
        cluster.cluster().readContext("c", Message.DEFAULT_MAX_FRAME_BYTES);
    FetchOptions options = new FetchOptions(true, false, false, false, false);
    Position at = Position.ORIGIN;
    while (cluster.head().isAfter(at)) {
      Page page =
          cluster
              .cluster()
              .fetch(
                  0,
                  context,
                  new Fetch("p", 1, 0, 1, at, Optional.empty(), maxRecords, 1 << 30, 0, options));
      CanonicalRow last = page.records().get(page.records().size() - 1);
      int inBatch = cluster.ledger().history().records(last.globalBatchSeq());
      Position expected =
          last.arrayIndex() == inBatch - 1 ? last.position().endOfBatch() : last.position();
      assertThat(page.coveredTo()).isEqualTo(expected);
      at = page.coveredTo();
    }
  }

  /** What is closed at a position is exactly what the records say, whenever it is asked for. */
  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void every_record_committed_by_the_closed_time_lies_at_or_below_the_position(
      @ForAll @IntRange(min = 0, max = ROWS - 1) int number) throws InterruptedException {
    List<CanonicalRow> all = truth(0, 1, RecordForm.NARROW);
    Position position = all.get(number % all.size()).position();
    Cluster.ReadContext context = cluster.cluster().readContext("c", 1 << 16);
    FetchOptions options = new FetchOptions(false, false, false, false, false);
    Page page =
        cluster
            .cluster()
            .fetch(
                0,
                context,
                new Fetch("p", 1, 0, 1, position, Optional.of(position), 1, 1, 0, options));

    assertThat(page.records()).isEmpty();
    assertThat(page.coveredFrom()).isEqualTo(position);
    assertThat(page.coveredTo()).isEqualTo(position);
    assertThat(
            all.stream()
                .filter(row -> row.recordedAtMicros() <= page.closedThroughMicros())
                .allMatch(row -> row.position().isAtOrBelow(position)))
        .isTrue();
  }
}
