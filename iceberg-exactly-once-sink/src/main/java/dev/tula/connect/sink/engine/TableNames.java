package dev.tula.connect.sink.engine;

/**
 * The physical names of a generation's tables: the logical name, then {@code _g<generation>} above
 * the first, then {@code _p<i>} where there are several partitions.
 *
 * @param generation 1 or more
 * @param partitionCount N
 */
public record TableNames(int generation, int partitionCount) {
  /** The logical name of the watermark table. */
  public static final String WATERMARK = "watermark";

  /** The logical name of the table that holds the pipeline's identity. */
  public static final String PIPELINE = "tula_pipeline";

  /** The physical name of a partition's table. */
  public String physical(String logical, int partition) {
    return generational(logical) + (partitionCount > 1 ? "_p" + partition : "");
  }

  /** The physical name of the identity table, which has no partition. */
  public String pipeline() {
    return generational(PIPELINE);
  }

  private String generational(String logical) {
    return generation > 1 ? logical + "_g" + generation : logical;
  }
}
