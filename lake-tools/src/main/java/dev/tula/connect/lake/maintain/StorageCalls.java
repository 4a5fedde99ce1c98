package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.MalformedStateException;
import java.util.function.Supplier;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.BulkDeletionFailureException;

/** Calls to storage that no lake makes for us: tried a few times, their failures the lake's. */
final class StorageCalls {
  private StorageCalls() {}

  /**
   * The call's answer.
   *
   * @param what what is being done, and to which table
   * @param work may be done again
   * @throws NotFoundException as it is, since trying again would not help, and a new load may
   * @throws BulkDeletionFailureException as it is, since it says how many were not deleted
   * @throws LakeException its last failure
   */
  static <T> T call(String what, Supplier<T> work) {
    return Retries.call(() -> translated(what, work));
  }

  /**
   * What the manifests of a table say.
   *
   * @param what is being done with them
   * @param table its name in the catalog
   * @throws ToolException if one is gone
   * @throws LakeException the last failure
   */
  static <T> T manifests(String what, String table, Supplier<T> work) {
    try {
      return call(what + " of table " + table, work);
    } catch (NotFoundException e) {
      throw ToolException.error(
          "table "
              + table
              + " lists what is gone: "
              + e.getMessage()
              + ". If something cleaned up meanwhile, run the command again; else see tula-lake"
              + " verify",
          e);
    }
  }

  private static <T> T translated(String what, Supplier<T> work) {
    try {
      return work.get();
    } catch (NotFoundException
        | BulkDeletionFailureException
        | LakeException
        | MalformedStateException
        | ToolException e) {
      throw e;
    } catch (RuntimeException e) {
      throw LakeException.passing(what + " failed: " + e, e);
    }
  }
}
