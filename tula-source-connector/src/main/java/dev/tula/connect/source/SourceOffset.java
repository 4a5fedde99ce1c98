package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A source offset as Connect wants it, a map. There is one beside every record and Connect looks
 * into the last of many, so this one makes its entries when somebody asks. Immutable.
 *
 * <p>It carries what the pipeline must not change while it runs: the cluster, and what its records
 * hold. Offsets of versions before that lack the latter, and are taken as they are.
 */
final class SourceOffset extends AbstractMap<String, Object> {
  static final String GLOBAL_BATCH_SEQ = "global_batch_seq";
  static final String ARRAY_INDEX = "array_index";
  static final String CLUSTER_ID = "cluster_id";
  static final String INCLUDE_METADATA = "include_metadata";
  static final String FULL_TXN_RECORD = "full_txn_record";

  private static final Set<String> POSITION_KEYS =
      Set.of(GLOBAL_BATCH_SEQ, ARRAY_INDEX, CLUSTER_ID);
  private static final Set<String> MODE_KEYS = Set.of(INCLUDE_METADATA, FULL_TXN_RECORD);

  private final Position position;
  private final String clusterId;
  private final RecordMode mode;

  /**
   * What a pipeline's records hold.
   *
   * @param includeMetadata whether metadata changes are among them
   * @param fullTxnRecord whether transactions are full
   */
  record RecordMode(boolean includeMetadata, boolean fullTxnRecord) {
    static RecordMode of(StreamIdentity identity) {
      return new RecordMode(identity.includeMetadata(), identity.fullTxnRecord());
    }

    @Override
    public String toString() {
      return SourceConfig.INCLUDE_METADATA
          + "="
          + includeMetadata
          + " and "
          + SourceConfig.FULL_TXN_RECORD
          + "="
          + fullTxnRecord;
    }
  }

  /** With a mode, or null where it is not known. */
  SourceOffset(Position position, String clusterId, RecordMode mode) {
    this.position = Objects.requireNonNull(position, "position");
    this.clusterId = Objects.requireNonNull(clusterId, "clusterId");
    this.mode = mode;
  }

  /** Everything at or below it was handed over. */
  Position position() {
    return position;
  }

  /** The ledger cluster that the position is of. */
  String clusterId() {
    return clusterId;
  }

  /** What the records up to it hold; empty if a version before wrote it. */
  Optional<RecordMode> mode() {
    return Optional.ofNullable(mode);
  }

  /**
   * Checks that a stream of this identity may go on from here.
   *
   * @throws ExportFailure with 88, if the pipeline was another ledger's or its records held
   *     something else
   */
  void requireOf(StreamIdentity identity) {
    if (!clusterId.equals(identity.clusterId())) {
      throw new ExportFailure(
          FailureCode.IDENTITY,
          "the source offset "
              + position
              + " is of cluster "
              + clusterId
              + ", and the configuration names "
              + identity.clusterId()
              + "; set tula.cluster.id back, or begin a new pipeline");
    }
    RecordMode configured = RecordMode.of(identity);
    if (mode != null && !mode.equals(configured)) {
      throw new ExportFailure(
          FailureCode.IDENTITY,
          "pipeline "
              + identity.pipeline()
              + ", generation "
              + identity.generation()
              + ", was exported up to "
              + position
              + " with "
              + mode
              + ", and the configuration says "
              + configured
              + "; set them back, or open the next generation ("
              + SourceConfig.GENERATION
              + "), which exports the ledger anew with them");
    }
  }

  @Override
  public Set<Entry<String, Object>> entrySet() {
    Map<String, Object> entries = new LinkedHashMap<>();
    entries.put(GLOBAL_BATCH_SEQ, position.globalBatchSeq());
    entries.put(ARRAY_INDEX, (long) position.arrayIndex());
    entries.put(CLUSTER_ID, clusterId);
    if (mode != null) {
      entries.put(INCLUDE_METADATA, mode.includeMetadata());
      entries.put(FULL_TXN_RECORD, mode.fullTxnRecord());
    }
    return entries.entrySet();
  }

  /** A map's, without its entries: Connect asks for it beside every record of a transaction. */
  @Override
  public int hashCode() {
    int hash =
        entryHash(GLOBAL_BATCH_SEQ, Long.hashCode(position.globalBatchSeq()))
            + entryHash(ARRAY_INDEX, Long.hashCode(position.arrayIndex()))
            + entryHash(CLUSTER_ID, clusterId.hashCode());
    return mode == null
        ? hash
        : hash
            + entryHash(INCLUDE_METADATA, Boolean.hashCode(mode.includeMetadata()))
            + entryHash(FULL_TXN_RECORD, Boolean.hashCode(mode.fullTxnRecord()));
  }

  private static int entryHash(String key, int value) {
    return key.hashCode() ^ value;
  }

  /**
   * Reads an offset strictly.
   *
   * @throws IllegalArgumentException naming the part at fault
   */
  static SourceOffset parse(Map<String, ?> offset) {
    StrictMap map = new StrictMap("source offset", offset, POSITION_KEYS, MODE_KEYS);
    long index = map.number(ARRAY_INDEX);
    if (index < 0 || index > Position.BATCH_END_INDEX) {
      throw new IllegalArgumentException(
          "source offset: array_index " + index + " is not 0 to " + Position.BATCH_END_INDEX);
    }
    Position position = new Position(map.number(GLOBAL_BATCH_SEQ), (int) index);
    RecordMode mode =
        map.has(INCLUDE_METADATA)
            ? new RecordMode(map.flag(INCLUDE_METADATA), map.flag(FULL_TXN_RECORD))
            : null;
    return new SourceOffset(position, map.text(CLUSTER_ID), mode);
  }
}
