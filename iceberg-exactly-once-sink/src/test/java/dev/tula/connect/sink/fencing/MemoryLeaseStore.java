package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A store that can be away, or lose its replies. Safe for any thread. */
final class MemoryLeaseStore implements LeaseStore {
  private final Map<String, LeaseRecord> leases = new HashMap<>();
  private boolean away;
  private boolean losesReplies;

  synchronized void away(boolean now) {
    away = now;
  }

  synchronized void losesReplies(boolean now) {
    losesReplies = now;
  }

  @Override
  public synchronized Optional<LeaseRecord> read(String name) {
    failIf(away);
    return Optional.ofNullable(leases.get(name));
  }

  @Override
  public synchronized boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
    failIf(away);
    if (!read(name).equals(expected)) {
      return false;
    }
    leases.put(name, next);
    failIf(losesReplies);
    return true;
  }

  private static void failIf(boolean failing) {
    if (failing) {
      throw LakeException.passing("the store is away", null);
    }
  }
}
