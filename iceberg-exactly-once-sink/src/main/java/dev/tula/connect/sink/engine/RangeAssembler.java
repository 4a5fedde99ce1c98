package dev.tula.connect.sink.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Makes ranges of the stream: proves that it is continuous (C12), drops replays once they were
 * compared (C13), routes each row to its table, and cuts at the ends of batches, the first time at
 * D where one is forced (C9). Pure, like the engine. Not thread-safe.
 */
public final class RangeAssembler {
  private static final Verdict TAKEN = new Verdict.Taken();
  private static final Verdict CUT_FIRST = new Verdict.CutFirst();

  private final StreamIdentity stream;
  private final Layout layout;
  private final List<LogicalTable> tables;
  private final AssemblyLimits limits;
  private final String topic;
  private final ReplayWindow window;
  private final RowReader reader = new RowReader();

  private Optional<Position> watermark = Optional.empty();
  private Optional<Position> forcedCut = Optional.empty();
  private Position proven = Position.ORIGIN;
  private Position lastCut = Position.ORIGIN;
  private long closedThroughMicros;
  private long committedClosedThroughMicros;
  private long nextOffset;
  private long rowsDecoded;
  private boolean searched;
  private boolean connected;
  private boolean cutWanted;
  private boolean batchEndProven;
  private TableRows[] open;
  private long openRows;
  private long openBytes;
  private long replayedRows;

  /**
   * An assembler that has seen nothing.
   *
   * @param topic the data topic as the worker consumes it; its partition is the export partition
   */
  public RangeAssembler(
      PipelineIdentity identity, int partition, String topic, AssemblyLimits limits) {
    this.stream = identity.stream(partition);
    this.layout = identity.layout();
    this.tables = identity.tables();
    this.limits = limits;
    this.topic = topic;
    this.window = new ReplayWindow(limits.replayWindowRows());
    this.open = new TableRows[tables.size()];
  }

  /**
   * Begins anew from what the lake holds: at W, or waiting for START. Whatever was open is
   * forgotten.
   */
  public void resume(Writer writer) {
    watermark = writer.position();
    forcedCut = writer.forcedCut();
    proven = watermark.orElse(Position.ORIGIN);
    lastCut = proven;
    closedThroughMicros = writer.watermark().state().closedThroughMicros().orElse(0);
    committedClosedThroughMicros = closedThroughMicros;
    rowsDecoded = writer.watermarkState().rowsDecoded();
    nextOffset = writer.watermarkState().kafka().map(KafkaPosition::offset).orElse(0L);
    searched = false;
    connected = false;
    window.clear();
    clearOpen();
  }

  /** Where to read the Kafka partition from: the offset stored with W, or its beginning (C10). */
  public long resumeOffset() {
    return nextOffset;
  }

  /**
   * The whole Kafka partition is being read, from its beginning: a gap is now what it seems (C10).
   */
  public void searching() {
    searched = true;
  }

  /** A range that was cut is in the lake: W moved there. */
  public void committed(Position w) {
    watermark = Optional.of(w);
    window.trim(w);
  }

  /** W₀ is in the lake; the item after START is next. */
  public void begun(Writer writer, long nextItemOffset) {
    resume(writer);
    connected = true;
    nextOffset = nextItemOffset;
  }

  /**
   * Offers the next item of the Kafka partition.
   *
   * @param offset its offset there
   */
  public Verdict offer(StreamItem item, long offset) {
    Verdict verdict;
    try {
      verdict = judge(item);
    } catch (MalformedRecordException e) {
      verdict = halt(HaltReason.MALFORMED_RECORD, e.getMessage());
    }
    if (verdict == TAKEN) {
      nextOffset = offset + 1;
    }
    return verdict instanceof Verdict.Halt halt ? at(halt, offset) : verdict;
  }

  private Verdict at(Verdict.Halt halt, long offset) {
    Finding finding = halt.finding();
    return new Verdict.Halt(
        new Finding(
            finding.reason(),
            "topic "
                + topic
                + ", partition "
                + stream.partition()
                + ", offset "
                + offset
                + ": "
                + finding.what()));
  }

  /** A replay that {@link Verdict.CompareWithLake} named was compared and agrees. */
  public void compared(long offset) {
    replayedRows++;
    nextOffset = Math.max(nextOffset, offset + 1);
  }

  private Verdict judge(StreamItem item) {
    if (item instanceof StreamItem.Start start) {
      return judge(start);
    }
    if (item instanceof StreamItem.Coverage coverage) {
      return judge(coverage);
    }
    return judge((StreamItem.Row) item);
  }

  private Verdict judge(StreamItem.Start start) {
    if (!start.identity().equals(stream)) {
      return refuse(start.identity());
    }
    if (watermark.isEmpty()) {
      return start.from().isBatchEnd() || start.from().isBeforeSeeded()
          ? new Verdict.Begin(start)
          : halt(
              HaltReason.MALFORMED_RECORD,
              "START at "
                  + start.from()
                  + " is neither at the end of a batch nor before the rows of a bootstrap");
    }
    return start.from().isAtOrBelow(proven)
        ? TAKEN
        : halt(
            HaltReason.UNEXPECTED_START,
            "the stream starts anew after "
                + start.from()
                + ", and it was proven only up to "
                + proven);
  }

  private Verdict judge(StreamItem.Coverage coverage) {
    if (!coverage.identity().equals(stream)) {
      return refuse(coverage.identity());
    }
    Verdict gap = gap(coverage);
    if (gap != null) {
      return gap;
    }
    if (coverage.to().isAtOrBelow(proven)) {
      return replayed(coverage);
    }
    if (cutBefore(coverage.to())) {
      return CUT_FIRST;
    }
    proven = coverage.to();
    batchEndProven = proven.isBatchEnd();
    closedThroughMicros = Math.max(closedThroughMicros, coverage.closedThroughMicros());
    connected = true;
    return TAKEN;
  }

  /**
   * An idle ledger's position stands still while the time that it is closed through goes on. What
   * comes next may yet be something else than W's successor: such an item may be a replay's end
   * (C10).
   */
  private Verdict replayed(StreamItem.Coverage coverage) {
    if (coverage.to().equals(proven)) {
      closedThroughMicros = Math.max(closedThroughMicros, coverage.closedThroughMicros());
    }
    return TAKEN;
  }

  private Verdict judge(StreamItem.Row item) {
    CanonicalRow row = item.row();
    Position position = row.position();
    checkBelongs(row, position);
    Verdict gap = gap(item);
    if (gap != null) {
      return gap;
    }
    if (position.isAtOrBelow(proven)) {
      return replay(row, position);
    }
    if (cutBefore(position)) {
      return CUT_FIRST;
    }
    add(row);
    proven = position;
    batchEndProven = false;
    connected = true;
    return TAKEN;
  }

  private void checkBelongs(CanonicalRow row, Position position) {
    if (position.exportPartition(stream.partitionCount()) != stream.partition()) {
      throw new MalformedRecordException(
          "the record at "
              + position
              + " belongs to export partition "
              + position.exportPartition(stream.partitionCount()));
    }
    if (row.kind().isMetadata() && !stream.includeMetadata()) {
      throw new MalformedRecordException(
          "the "
              + row.kind()
              + " record at "
              + position
              + " is metadata, and tula.include.metadata is false");
    }
  }

  private Verdict gap(StreamItem item) {
    if (watermark.isEmpty()) {
      return halt(
          HaltReason.NO_START,
          "the stream begins with a "
              + item.kind()
              + " item up to "
              + item.provesTo()
              + " and not with START");
    }
    if (item.provesAfter().isAtOrBelow(proven)) {
      return null;
    }
    Finding finding =
        new Finding(
            HaltReason.GAP,
            "records are missing: the stream was proven up to "
                + proven
                + " and goes on after "
                + item.provesAfter());
    return connected || searched ? new Verdict.Halt(finding) : new Verdict.SearchFirst(finding);
  }

  private Verdict replay(CanonicalRow row, Position position) {
    boolean aboveWatermark = position.isAfter(watermark.orElseThrow());
    if (!aboveWatermark && !window.reaches(position)) {
      return new Verdict.CompareWithLake(row);
    }
    OptionalLong known = window.find(position.globalBatchSeq(), position.arrayIndex());
    if (known.isEmpty()) {
      return halt(
          HaltReason.ROW_DIFFERS,
          "a record at " + position + " appears where the stream had none when it was read before");
    }
    if (known.getAsLong() != window.fingerprint(row)) {
      return halt(
          HaltReason.ROW_DIFFERS, "the record at " + position + " comes again with other bytes");
    }
    replayedRows++;
    return TAKEN;
  }

  /**
   * Whether the range must be cut before an item that ends at {@code next}; notes what that item
   * proves of the stretch before.
   */
  private boolean cutBefore(Position next) {
    if (forcedCut.isPresent()) {
      return cutBeforeForced(next, forcedCut.get());
    }
    if (next.globalBatchSeq() > proven.globalBatchSeq() && !proven.isBatchEnd()) {
      // The next batch's record follows this one's, so this batch has no more.
      proven = proven.endOfBatch();
      batchEndProven = true;
    }
    return batchEndProven && hasContent() && (cutWanted || limitReached());
  }

  private boolean cutBeforeForced(Position next, Position d) {
    if (proven.compareTo(d) < 0 && next.isAfter(d)) {
      proven = d;
      batchEndProven = true;
    }
    return proven.equals(d);
  }

  private boolean limitReached() {
    return openRows >= Math.min(limits.maxRows(), limits.replayWindowRows() / 2)
        || openBytes >= limits.maxBytes();
  }

  private void add(CanonicalRow row) {
    reader.wrap(row);
    checkHasColumns(row);
    int table = layout.route(row, reader);
    if (open[table] == null) {
      open[table] = new TableRows();
    }
    long before = open[table].bytes();
    if (row.kind() == RecordKind.TRANSACTION) {
      open[table].add(
          row, reader.amountHigh(RowSchema.AMOUNT_FIELD), reader.amountLow(RowSchema.AMOUNT_FIELD));
    } else {
      open[table].add(row);
    }
    openRows++;
    openBytes += open[table].bytes() - before;
    window.add(row);
  }

  /** What no column of the lake would hold must not be dropped in silence (I7). */
  private void checkHasColumns(CanonicalRow row) {
    if (row.kind() != RecordKind.TRANSACTION || stream.fullTxnRecord()) {
      return;
    }
    for (int i = RowSchema.FIRST_FULL_RECORD_FIELD; i <= RowSchema.DIGEST_HEX; i++) {
      if (reader.isPresent(i)) {
        throw new MalformedRecordException(
            "the record at "
                + row.position()
                + " carries "
                + reader.schema().field(i).name()
                + ", which is part of full transaction records, and tula.full.txn.record is"
                + " false");
      }
    }
  }

  /** From now on, cut at the next end of a batch: the commit interval has passed. */
  public void wantCut() {
    cutWanted = true;
  }

  /**
   * Whether a range can be cut now, and should be: a limit, the interval or a forced D was reached.
   */
  public boolean cutDue() {
    if (forcedCut.isPresent()) {
      return proven.equals(forcedCut.get());
    }
    return batchEndProven && hasContent() && (cutWanted || limitReached());
  }

  /** Whether there is anything that the lake does not have yet. */
  public boolean hasContent() {
    return watermark.isPresent()
        && (openRows > 0
            || proven.isAfter(lastCut)
            || closedThroughMicros > committedClosedThroughMicros);
  }

  /** Cuts the range. The next one begins at once, while this one is committed. */
  public CutRange cut() {
    if (!proven.isBatchEnd()) {
      throw new IllegalStateException("a cut inside batch " + proven.globalBatchSeq());
    }
    Map<String, SealedTable> sealed = new HashMap<>();
    Map<String, TableRows> rows = new HashMap<>();
    for (int i = 0; i < open.length; i++) {
      if (open[i] != null) {
        LogicalTable table = tables.get(i);
        Optional<BigInteger> sum =
            table.hasAmounts() ? Optional.of(open[i].amountSum()) : Optional.empty();
        sealed.put(table.name(), new SealedTable(table.name(), open[i].rows(), sum));
        rows.put(table.name(), open[i]);
      }
    }
    rowsDecoded += openRows;
    KafkaPosition kafka = new KafkaPosition(topic, stream.partition(), nextOffset);
    SealedRange range = new SealedRange(proven, closedThroughMicros, rowsDecoded, kafka, sealed);
    committedClosedThroughMicros = closedThroughMicros;
    forcedCut = Optional.empty();
    clearOpen();
    lastCut = proven;
    return new CutRange(range, rows);
  }

  private void clearOpen() {
    open = new TableRows[tables.size()];
    openRows = 0;
    openBytes = 0;
    cutWanted = false;
    batchEndProven = proven.isBatchEnd();
  }

  /** How far the stream is proven: W, or further. */
  public Position proven() {
    return proven;
  }

  /** The rows of the open range. */
  public long openRows() {
    return openRows;
  }

  /** The bytes of the open range. */
  public long openBytes() {
    return openBytes;
  }

  /** The memory that the open range's rows are held in. */
  public long heldBytes() {
    long held = 0;
    for (TableRows rows : open) {
      held += rows == null ? 0 : rows.heldBytes();
    }
    return held;
  }

  /** The memory of the replay window. */
  public long windowBytes() {
    return window.bytes();
  }

  /**
   * Keeps fingerprints of rows that are in the lake in so much memory, or in what the settings say
   * if that is less. Older replays are compared with the lake itself.
   */
  public void limitWindow(long bytes) {
    // Its arrays double when they are full, so up to half of them is free.
    window.keep((int) Math.min(limits.replayWindowRows(), bytes / ReplayWindow.ROW_BYTES / 2));
  }

  /** Whether a range with anything in it could be cut now. */
  public boolean canCut() {
    return batchEndProven && hasContent() && forcedCut.map(proven::equals).orElse(true);
  }

  /** The replays that were compared and dropped. */
  public long replayedRows() {
    return replayedRows;
  }

  private Verdict refuse(StreamIdentity theirs) {
    return new Verdict.Refuse(
        new Stop(
            Stop.Code.IDENTITY,
            "the data topic "
                + topic
                + " holds another stream than this connector is configured for: "
                + stream.differencesTo(theirs)
                + ". Nothing of it was written. Set the connector that is wrong right; if a source"
                + " wrote there that is not this pipeline's, stop it and send the stretch after the"
                + " watermark again"));
  }

  private static Verdict halt(HaltReason reason, String what) {
    return new Verdict.Halt(new Finding(reason, what));
  }
}
