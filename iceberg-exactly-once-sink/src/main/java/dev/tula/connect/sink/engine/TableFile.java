package dev.tula.connect.sink.engine;

/** A data file of a table. */
public interface TableFile {
  /** Where it is. */
  String location();

  /** Its rows. */
  long rows();
}
