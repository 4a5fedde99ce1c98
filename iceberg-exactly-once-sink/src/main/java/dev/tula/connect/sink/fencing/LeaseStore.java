package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;
import java.util.Optional;

/**
 * Where leases are kept, by name. Safe for several threads and processes; every call may block as
 * long as the storage below it does.
 */
interface LeaseStore {
  /**
   * The lease as it is now; absent if nobody ever took it.
   *
   * @throws LakeException if the store can't be read
   */
  Optional<LeaseRecord> read(String name);

  /**
   * Puts {@code next} in the place of {@code expected}, in one step. Returns false, and changes
   * nothing, if something else is there.
   *
   * @throws LakeException if that can't be told; it may have happened or not
   */
  boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next);
}
