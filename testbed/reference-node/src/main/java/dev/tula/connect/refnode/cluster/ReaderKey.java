package dev.tula.connect.refnode.cluster;

/** Who reads: one partition of one generation of a pipeline. */
record ReaderKey(String pipeline, int generation, int partition, int partitionCount) {
  boolean isSamePipeline(ReaderKey other) {
    return generation == other.generation && pipeline.equals(other.pipeline);
  }

  @Override
  public String toString() {
    return pipeline
        + " generation "
        + generation
        + " partition "
        + partition
        + " of "
        + partitionCount;
  }
}
