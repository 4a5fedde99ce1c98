package dev.tula.connect.sink.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which snapshots of a table a cleanup keeps: those that are young, the newest of main, whatever a
 * branch or a tag leads to (C29), the newest of ours (C7), the one that the watermark names, and
 * what it may come to name before the expiry lands. Immutable, and decides by what it is given
 * alone.
 *
 * @param olderThanMillis only what was committed before this may go; milliseconds since the epoch
 * @param keep so many of main's newest stay, whatever their age; 1 or more
 */
public record SnapshotRetention(long olderThanMillis, int keep) {
  private static final Set<CommitKind> OF_WRITERS =
      EnumSet.of(CommitKind.CLAIM, CommitKind.RANGE, CommitKind.WATERMARK);

  /** Checks the number. */
  public SnapshotRetention {
    if (keep < 1) {
      throw new IllegalArgumentException("keep " + keep + " snapshots");
    }
  }

  /**
   * A snapshot as the table lists it.
   *
   * @param id its id
   * @param parentId the snapshot that it stands on; it may have been expired
   * @param atMillis when it was committed
   * @param kind what it did, if it is one of ours
   */
  public record Listed(long id, OptionalLong parentId, long atMillis, Optional<CommitKind> kind) {
    /** Checks that the parts are there. */
    public Listed {
      Objects.requireNonNull(parentId, "parentId");
      Objects.requireNonNull(kind, "kind");
    }

    private boolean isOfWriter() {
      return kind.filter(OF_WRITERS::contains).isPresent();
    }
  }

  /**
   * What leads to a table's snapshots.
   *
   * @param main main's newest; absent in a table without one
   * @param branches the newest of every other branch
   * @param tags what tags name
   */
  public record References(OptionalLong main, Set<Long> branches, Set<Long> tags) {
    /** Copies the sets. */
    public References {
      Objects.requireNonNull(main, "main");
      branches = Set.copyOf(branches);
      tags = Set.copyOf(tags);
    }
  }

  /**
   * The ids of the snapshots that may be expired, in the table's order.
   *
   * @param snapshots all that the table lists, in the order in which they were committed
   * @param references what leads to them
   * @param newestOurs the newest ancestor of main that carries our state
   * @param watermark the table as the watermark's state has it, read after the snapshots were: once
   *     a writer commits to the table again, the expiry is refused (C14)
   */
  public List<Long> expirable(
      Collection<Listed> snapshots,
      References references,
      OptionalLong newestOurs,
      Optional<TableAtWatermark> watermark) {
    Map<Long, Listed> byId = new HashMap<>();
    snapshots.forEach(snapshot -> byId.put(snapshot.id(), snapshot));
    Set<Long> kept = new HashSet<>(references.tags());
    newestOurs.ifPresent(kept::add);
    watermark.ifPresent(then -> then.snapshotId().ifPresent(kept::add));
    kept.addAll(nextAtWatermark(snapshots, watermark));
    List<Long> main = ancestry(byId, references.main());
    kept.addAll(main.subList(0, Math.min(keep, main.size())));
    for (long branch : references.branches()) {
      List<Long> own = ancestry(byId, OptionalLong.of(branch));
      kept.add(branch);
      own.removeAll(main);
      kept.addAll(own);
    }
    return snapshots.stream()
        .filter(snapshot -> snapshot.atMillis() < olderThanMillis)
        .map(Listed::id)
        .filter(id -> !kept.contains(id))
        .toList();
  }

  /**
   * What the watermark may come to name: the newest that a writer made, wherever it stands, as what
   * is between it and main may have been expired before. Until the watermark has come to it, also
   * what we did after it, as the writer may have read the table only then.
   */
  private static List<Long> nextAtWatermark(
      Collection<Listed> snapshots, Optional<TableAtWatermark> watermark) {
    OptionalLong named = watermark.map(TableAtWatermark::snapshotId).orElse(OptionalLong.empty());
    List<Long> since = new ArrayList<>();
    boolean reached = false;
    for (Listed snapshot : snapshots) {
      if (snapshot.isOfWriter()) {
        since.clear();
        reached = false;
      }
      if (snapshot.isOfWriter() || !since.isEmpty() && snapshot.kind().isPresent()) {
        since.add(snapshot.id());
      }
      reached |= !since.isEmpty() && named.equals(OptionalLong.of(snapshot.id()));
    }
    return reached ? since.subList(0, 1) : since;
  }

  /** A snapshot and what it stands on, newest first, as far as it is listed. */
  private static List<Long> ancestry(Map<Long, Listed> byId, OptionalLong newest) {
    List<Long> ancestry = new ArrayList<>();
    OptionalLong next = newest;
    while (next.isPresent() && byId.containsKey(next.getAsLong())) {
      ancestry.add(next.getAsLong());
      next = byId.get(next.getAsLong()).parentId();
    }
    return ancestry;
  }
}
