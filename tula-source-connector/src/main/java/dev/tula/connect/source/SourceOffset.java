package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A source offset as Connect wants it, a map. There is one beside every record and Connect looks
 * into the last of many, so this one makes its entries when somebody asks. Immutable.
 */
final class SourceOffset extends AbstractMap<String, Object> {
  static final String GLOBAL_BATCH_SEQ = "global_batch_seq";
  static final String ARRAY_INDEX = "array_index";
  static final String CLUSTER_ID = "cluster_id";

  private final Position position;
  private final String clusterId;

  SourceOffset(Position position, String clusterId) {
    this.position = Objects.requireNonNull(position, "position");
    this.clusterId = Objects.requireNonNull(clusterId, "clusterId");
  }

  /** Everything at or below it was handed over. */
  Position position() {
    return position;
  }

  /** The ledger cluster that the position is of. */
  String clusterId() {
    return clusterId;
  }

  @Override
  public Set<Entry<String, Object>> entrySet() {
    return Map.<String, Object>of(
            GLOBAL_BATCH_SEQ,
            position.globalBatchSeq(),
            ARRAY_INDEX,
            (long) position.arrayIndex(),
            CLUSTER_ID,
            clusterId)
        .entrySet();
  }

  /**
   * Reads an offset strictly.
   *
   * @throws IllegalArgumentException naming the part at fault
   */
  static SourceOffset parse(Map<String, ?> offset) {
    StrictMap map =
        new StrictMap("source offset", offset, Set.of(GLOBAL_BATCH_SEQ, ARRAY_INDEX, CLUSTER_ID));
    long index = map.number(ARRAY_INDEX);
    if (index < 0 || index > Position.BATCH_END_INDEX) {
      throw new IllegalArgumentException(
          "source offset: array_index " + index + " is not 0 to " + Position.BATCH_END_INDEX);
    }
    Position position = new Position(map.number(GLOBAL_BATCH_SEQ), (int) index);
    return new SourceOffset(position, map.text(CLUSTER_ID));
  }
}
