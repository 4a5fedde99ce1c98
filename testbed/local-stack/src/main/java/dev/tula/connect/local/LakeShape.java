package dev.tula.connect.local;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What decides which tables a pipeline has.
 *
 * @param layout how transactions are spread over tables
 * @param partitionCount the number of export partitions, N
 * @param includeMetadata whether there are change-logs
 * @param fullRecord whether transactions have balances and the engine's digest
 * @param generation which generation's tables they are, from 1
 */
public record LakeShape(
    Layout layout,
    int partitionCount,
    boolean includeMetadata,
    boolean fullRecord,
    int generation) {
  private static final Pattern PHYSICAL_NAME = Pattern.compile(".+?(?:_g([0-9]+))?(?:_p[0-9]+)?");

  /** How transactions are spread over tables; {@code tula.layout}. */
  public enum Layout {
    /** A table for each kind, tiered ledgers apart. */
    BY_TYPE,
    /** A table for each mode. */
    BY_MODE,
    /** One table. */
    SHARED;

    /** As the configuration writes it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The physical name of a table of one partition. */
  String physicalName(String logicalName, int partition) {
    String name = ofGeneration(logicalName);
    return partitionCount == 1 ? name : name + "_p" + partition;
  }

  /** The physical name of the table that all partitions share. */
  String pipelineTable() {
    return ofGeneration("tula_pipeline");
  }

  private String ofGeneration(String logicalName) {
    return generation == 1 ? logicalName : logicalName + "_g" + generation;
  }

  /** Whether a table has a name that those of another generation have. */
  boolean isOfAnotherGeneration(String physicalName) {
    Matcher name = PHYSICAL_NAME.matcher(physicalName);
    if (!name.matches()) {
      return false;
    }
    return generation != (name.group(1) == null ? 1 : Integer.parseInt(name.group(1)));
  }
}
