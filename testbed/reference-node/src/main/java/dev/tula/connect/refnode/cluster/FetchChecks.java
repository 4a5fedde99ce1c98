package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;

/** What can be said of a request without looking at the ledger. */
final class FetchChecks {
  private FetchChecks() {}

  static void check(Fetch fetch) {
    checkReader(fetch.pipeline(), fetch.generation(), fetch.partition(), fetch.partitionCount());
    require(fetch.maxRecords() >= 1, "max records must be 1 or more");
    require(fetch.maxBytes() >= 1, "max bytes must be 1 or more");
    require(
        fetch.until().isEmpty() || !fetch.after().isAfter(fetch.until().get()),
        "until lies before after");
    checkOptions(fetch.options(), fetch.partitionCount());
  }

  private static void checkOptions(FetchOptions options, int partitionCount) {
    require(
        options.includeMetadata() || !options.fullRecord(),
        "full records require metadata to be included");
    if (options.group()) {
      require(options.lease(), "a group is made of leases: ask for one");
      require(
          partitionCount >= LeaseTable.MIN_GROUP && partitionCount <= LeaseTable.MAX_GROUP,
          "a group has " + LeaseTable.MIN_GROUP + " to " + LeaseTable.MAX_GROUP + " members");
    }
  }

  static void checkReader(String pipeline, int generation, int partition, int partitionCount) {
    require(!pipeline.isEmpty(), "a pipeline needs a name");
    require(generation >= 1, "generations begin at 1");
    require(
        partitionCount >= 1 && partition >= 0 && partition < partitionCount,
        "partition " + partition + " of " + partitionCount + " does not exist");
  }

  static void require(boolean holds, String message) {
    if (!holds) {
      throw QueryPortException.of(ErrorCode.ERR_BAD_REQUEST, message);
    }
  }
}
