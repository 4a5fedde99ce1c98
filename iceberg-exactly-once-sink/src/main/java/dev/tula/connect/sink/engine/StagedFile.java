package dev.tula.connect.sink.engine;

/**
 * A data file that was written and belongs to no snapshot yet. It is named {@code
 * <epoch>-<n>-<writer id>-<table>-<to>.parquet}, so that a dead writer's files can be told from a
 * live one's (C28).
 */
public interface StagedFile {
  /** Where it is. */
  String location();

  /** Its rows. */
  long rows();
}
