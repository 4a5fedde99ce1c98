package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import java.math.BigInteger;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state that a table carries: as keys in the summary of each snapshot of ours and, committed in
 * the same transaction, as one JSON document in the property {@code tula.state}. It decides what
 * may be committed next (C14). Immutable; two states are equal exactly if their documents are.
 *
 * @param format the lake format
 * @param identity of the stream; the record mode is not part of it here
 * @param claim the newest writer's claim
 * @param commit what the last commit of ours did
 * @param range the last committed range; absent before the first
 * @param totalRows the table's rows
 * @param totalAmountSum the sum of all amounts; absent where amounts aren't summed
 * @param chain the chain over all range digests
 * @param closedThroughMicros the ledger is closed through this time at the range's end
 * @param watermark what only the watermark table has
 */
public record TableState(
    int format,
    Identity identity,
    WriterClaim claim,
    CommitKind commit,
    Optional<RangeState> range,
    long totalRows,
    Optional<BigInteger> totalAmountSum,
    Chain chain,
    OptionalLong closedThroughMicros,
    Optional<WatermarkState> watermark) {

  /** The table property that holds the whole state as JSON. */
  public static final String PROPERTY = "tula.state";

  /** The snapshot summary key by which a snapshot of ours is known. */
  public static final String SUMMARY_MARK = "tula.format";

  /**
   * Whose table it is.
   *
   * @param pipeline the pipeline
   * @param clusterId the ledger cluster
   * @param generation 1 or more
   * @param partition the export partition
   * @param partitionCount of so many
   */
  public record Identity(
      String pipeline, String clusterId, int generation, int partition, int partitionCount) {
    /** The identity of a stream's tables. */
    public static Identity of(StreamIdentity stream) {
      return new Identity(
          stream.pipeline(),
          stream.clusterId(),
          stream.generation(),
          stream.partition(),
          stream.partitionCount());
    }
  }

  /** Checks that the parts are there. */
  public TableState {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(commit, "commit");
    Objects.requireNonNull(range, "range");
    Objects.requireNonNull(totalAmountSum, "totalAmountSum");
    Objects.requireNonNull(chain, "chain");
    Objects.requireNonNull(closedThroughMicros, "closedThroughMicros");
    Objects.requireNonNull(watermark, "watermark");
  }

  /** The state that the first claim gives a table without one. */
  static TableState first(
      StreamIdentity stream,
      WriterClaim claim,
      boolean amounts,
      Optional<WatermarkState> watermark) {
    return new TableState(
        PipelineIdentity.FORMAT,
        Identity.of(stream),
        claim,
        CommitKind.CLAIM,
        Optional.empty(),
        0,
        amounts ? Optional.of(BigInteger.ZERO) : Optional.empty(),
        Chain.ZERO,
        OptionalLong.empty(),
        watermark);
  }

  /** The end of the last committed range; absent before the first. */
  public Optional<Position> to() {
    return range.map(last -> last.range().to());
  }

  /** This state under another claim; everything else is copied. */
  TableState claimedBy(WriterClaim newer) {
    return new TableState(
        format,
        identity,
        newer,
        CommitKind.CLAIM,
        range,
        totalRows,
        totalAmountSum,
        chain,
        closedThroughMicros,
        watermark);
  }

  /** This state after a commit that changes no rows and no range. */
  public TableState after(CommitKind kind) {
    return new TableState(
        format,
        identity,
        claim,
        kind,
        range,
        totalRows,
        totalAmountSum,
        chain,
        closedThroughMicros,
        watermark);
  }

  /** This state after a data range. */
  TableState afterRange(RangeState next, long closedThrough) {
    return new TableState(
        format,
        identity,
        claim,
        CommitKind.RANGE,
        Optional.of(next),
        totalRows + next.rows(),
        totalAmountSum.map(sum -> sum.add(next.amountSum().orElseThrow())),
        chain.next(next.digest().orElseThrow()),
        OptionalLong.of(closedThrough),
        watermark);
  }

  /** This state after the watermark moved. */
  TableState afterWatermark(RangeState next, long closedThrough, WatermarkState newWatermark) {
    return new TableState(
        format,
        identity,
        claim,
        CommitKind.WATERMARK,
        Optional.of(next),
        1,
        totalAmountSum,
        chain,
        OptionalLong.of(closedThrough),
        Optional.of(newWatermark));
  }

  /** The keys and values of a snapshot summary. */
  public Map<String, String> toProperties() {
    return TableStateCodec.toProperties(this);
  }

  /** The document for {@link #PROPERTY}: the same keys, sorted. */
  public String toJson() {
    return TableStateCodec.toJson(this);
  }

  /**
   * Reads a snapshot summary; keys that are not the state's are ignored.
   *
   * @throws MalformedStateException naming the key that is missing or wrong
   */
  public static TableState ofProperties(Map<String, String> properties) {
    return TableStateCodec.ofProperties(properties);
  }

  /**
   * Reads the document in {@link #PROPERTY}.
   *
   * @throws MalformedStateException naming the key that is missing or wrong
   */
  public static TableState ofJson(String json) {
    return TableStateCodec.ofJson(json);
  }
}
