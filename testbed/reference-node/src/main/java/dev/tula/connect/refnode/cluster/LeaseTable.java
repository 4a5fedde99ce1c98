package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.GroupStatus;
import dev.tula.connect.model.wire.Message.LeaseStatus;
import dev.tula.connect.model.wire.Message.NamedGroup;
import dev.tula.connect.refnode.cluster.Reader.Lease;
import dev.tula.connect.refnode.history.RecordForm;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Leases, groups and credit.
 *
 * <ul>
 *   <li>A lease belongs to its owner, the client's name, until its time to live is over; the same
 *       name takes its own lease over, another is refused.
 *   <li>The live leases of one pipeline and generation agree on the partition count; those of a
 *       group also on what they read.
 *   <li>A lone reader (N = 1) is credited with what it acked in the current term. The members of a
 *       group are credited together with the lowest ack, and only while all are there. A part of a
 *       pipeline that is no group earns nothing.
 * </ul>
 *
 * <p>Not thread-safe; the cluster's lock guards it.
 */
final class LeaseTable {
  static final int MIN_GROUP = 2;
  static final int MAX_GROUP = 32;

  // Readers without a lease are remembered for their acks; the oldest goes when there are too many.
  private static final int MAX_READERS = 2048;

  private final ExportSettings settings;
  private final LongSupplier nanoClock;
  private final Map<ReaderKey, Reader> readers = new LinkedHashMap<>();

  LeaseTable(ExportSettings settings, LongSupplier nanoClock) {
    this.settings = settings;
    this.nanoClock = nanoClock;
  }

  /** What the table did for a page. */
  enum Grant {
    /** No lease was asked for. */
    NOT_ASKED,
    /** The reader has its lease. */
    HELD,
    /** There is no room, or leases are off. */
    NONE
  }

  /** Who reads, and from whom: {@code term} is 0 where that is not the leader. */
  record Session(String owner, int node, long term, boolean durable) {}

  /**
   * Notes a read, and takes or renews the lease that it asks for.
   *
   * @param full whether there is to be no room for a new one
   * @throws QueryPortException on a conflict
   */
  Grant noteFetch(Fetch fetch, Session session, boolean full) {
    dropExpired();
    ReaderKey key = key(fetch);
    if (!fetch.options().lease() || settings.exportLeaseTtlMs() == 0) {
      reader(key).readIn(session.term());
      return fetch.options().lease() ? Grant.NONE : Grant.NOT_ASKED;
    }
    boolean group = fetch.options().group();
    RecordForm form = form(fetch);
    requireNoConflict(key, session.owner(), group, form);
    Reader reader = reader(key);
    boolean noRoom = full || leases(any -> true).size() >= settings.exportLeaseTableSize();
    if (reader.lease() == null && noRoom) {
      if (group) {
        throw QueryPortException.conflict(
            ErrorCode.GROUP_LEASE_TABLE_FULL,
            "the lease table is full with " + settings.exportLeaseTableSize() + " leases");
      }
      reader.readIn(session.term());
      return Grant.NONE;
    }
    reader.readIn(session.term());
    reader.lease(
        new Lease(
            session.owner(),
            fetch.after(),
            group,
            form,
            session.node(),
            session.durable(),
            expiry()));
    return Grant.HELD;
  }

  /** Whether the reader has a live lease under that name. */
  boolean owns(Fetch fetch, String owner) {
    dropExpired();
    Reader reader = readers.get(key(fetch));
    return reader != null && reader.lease() != null && reader.lease().owner().equals(owner);
  }

  private static ReaderKey key(Fetch fetch) {
    return new ReaderKey(
        fetch.pipeline(), fetch.generation(), fetch.partition(), fetch.partitionCount());
  }

  private static RecordForm form(Fetch fetch) {
    return new RecordForm(fetch.options().includeMetadata(), fetch.options().fullRecord());
  }

  private void requireNoConflict(ReaderKey key, String owner, boolean group, RecordForm form) {
    for (Reader other : readers.values()) {
      Lease lease = other.lease();
      if (lease == null || !other.key().isSamePipeline(key)) {
        continue;
      }
      if (other.key().partitionCount() != key.partitionCount()) {
        throw QueryPortException.conflict(
            ErrorCode.GROUP_COUNT_DIFFERS, key + ": " + lease.owner() + " holds " + other.key());
      }
      if (other.key().equals(key)) {
        requireOwn(key, owner, lease);
      } else if (group && lease.group() && !lease.form().equals(form)) {
        throw QueryPortException.conflict(
            ErrorCode.GROUP_OPTION_MISMATCH,
            key + " reads " + form + ", " + other.key() + " reads " + lease.form());
      }
    }
  }

  private static void requireOwn(ReaderKey key, String owner, Lease lease) {
    if (!lease.owner().equals(owner)) {
      throw QueryPortException.conflict(
          ErrorCode.GROUP_INDEX_TAKEN, key + " is held by " + lease.owner() + ", not by " + owner);
    }
  }

  private Reader reader(ReaderKey key) {
    Reader known = readers.get(key);
    if (known != null) {
      return known;
    }
    if (readers.size() >= MAX_READERS) {
      Iterator<Reader> oldest = readers.values().iterator();
      while (oldest.hasNext()) {
        if (oldest.next().lease() == null) {
          oldest.remove();
          break;
        }
      }
    }
    Reader added = new Reader(key);
    readers.put(key, added);
    return added;
  }

  /** How many readers are remembered. */
  int readerCount() {
    return readers.size();
  }

  private long expiry() {
    return nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(settings.exportLeaseTtlMs());
  }

  private void dropExpired() {
    long now = nanoClock.getAsLong();
    for (Reader reader : readers.values()) {
      if (reader.lease() != null && now - reader.lease().expiresAtNanos() >= 0) {
        reader.lease(null);
      }
    }
  }

  private List<Reader> leases(Predicate<Reader> wanted) {
    return readers.values().stream()
        .filter(reader -> reader.lease() != null && wanted.test(reader))
        .toList();
  }

  /** Notes an ack; returns what its pipeline is credited with. */
  Position ack(ReaderKey key, Position through, long term) {
    dropExpired();
    reader(key).ack(through, term);
    return credit(key, term);
  }

  /** What a reader's pipeline is credited with; the origin if nothing. */
  Position credit(ReaderKey key, long term) {
    if (key.partitionCount() == 1) {
      Reader reader = readers.get(key);
      return reader == null ? Position.ORIGIN : reader.credit(term);
    }
    List<Reader> members = members(key);
    if (members.size() < key.partitionCount()) {
      return Position.ORIGIN;
    }
    return members.stream()
        .map(member -> member.credit(term))
        .min(Comparator.naturalOrder())
        .orElse(Position.ORIGIN);
  }

  private List<Reader> members(ReaderKey key) {
    return leases(
        reader ->
            reader.lease().group()
                && reader.key().isSamePipeline(key)
                && reader.key().partitionCount() == key.partitionCount());
  }

  /** The group that a fetch belongs to, as it is now. */
  GroupStatus group(Fetch fetch, long term) {
    return fetch.options().group() && settings.exportLeaseTtlMs() > 0
        ? groupStatus(key(fetch), term)
        : GroupStatus.NONE;
  }

  private GroupStatus groupStatus(ReaderKey key, long term) {
    List<Reader> members = members(key);
    int count = key.partitionCount();
    Position lowest =
        members.stream()
            .map(member -> member.acked(term))
            .min(Comparator.naturalOrder())
            .orElse(Position.ORIGIN);
    return new GroupStatus(
        members.size(), count, members.size() == count ? lowest : Position.ORIGIN);
  }

  /** Whether a lease is so far behind that it no longer holds anything. */
  boolean isReleased(Position holdsFrom, long head) {
    return head - holdsFrom.globalBatchSeq() > settings.exportLeaseMaxHoldBatches();
  }

  /** The lowest position that a lease holds. */
  Optional<Position> lowestHold(long head) {
    dropExpired();
    return leases(reader -> !isReleased(reader.lease().holdsFrom(), head)).stream()
        .map(reader -> reader.lease().holdsFrom())
        .min(Comparator.naturalOrder());
  }

  /**
   * The lowest credit of any pipeline that reads and acks the leader in this term. One that acked
   * in an earlier term and still holds its lease counts with nothing until it acks again: what it
   * was credited with then is not known to this leader.
   */
  Optional<Position> lowestCredit(long term) {
    dropExpired();
    return readers.values().stream()
        .filter(
            reader ->
                reader.credit(term).isAfter(Position.ORIGIN)
                    || reader.hasAcked() && reader.lease() != null)
        .map(reader -> credit(reader.key(), term))
        .min(Comparator.naturalOrder());
  }

  /** Forgets every lease. */
  void dropLeases() {
    readers.values().forEach(reader -> reader.lease(null));
  }

  /** Forgets the leases that a node granted and held in memory alone, as its restart does. */
  void dropVolatileLeasesOf(int node) {
    leases(reader -> reader.lease().grantedBy() == node && !reader.lease().durable())
        .forEach(reader -> reader.lease(null));
  }

  /** A lease as it is stored, without its remaining time. */
  record StoredLease(
      ReaderKey key, String owner, Position holdsFrom, boolean group, RecordForm form, int node) {}

  /** What has to be stored so that {@link #restore} can give it back. */
  List<StoredLease> durableLeases() {
    return leases(reader -> reader.lease().durable()).stream()
        .map(
            reader -> {
              Lease lease = reader.lease();
              return new StoredLease(
                  reader.key(),
                  lease.owner(),
                  lease.holdsFrom(),
                  lease.group(),
                  lease.form(),
                  lease.grantedBy());
            })
        .toList();
  }

  /** Gives a stored lease back, with its whole time to live. */
  void restore(StoredLease stored) {
    if (settings.exportLeaseTtlMs() > 0) {
      reader(stored.key())
          .lease(
              new Lease(
                  stored.owner(),
                  stored.holdsFrom(),
                  stored.group(),
                  stored.form(),
                  stored.node(),
                  true,
                  expiry()));
    }
  }

  /** Every lease. */
  List<LeaseStatus> statuses(long term) {
    dropExpired();
    long now = nanoClock.getAsLong();
    return leases(any -> true).stream().map(reader -> status(reader, term, now)).toList();
  }

  private static LeaseStatus status(Reader reader, long term, long now) {
    ReaderKey key = reader.key();
    return new LeaseStatus(
        key.pipeline(),
        key.generation(),
        key.partition(),
        key.partitionCount(),
        reader.lease().owner(),
        reader.lease().holdsFrom(),
        reader.acked(term),
        Math.max(0, TimeUnit.NANOSECONDS.toMillis(reader.lease().expiresAtNanos() - now)));
  }

  /** Every group. */
  List<NamedGroup> groups(long term) {
    dropExpired();
    List<NamedGroup> groups = new ArrayList<>();
    for (Reader member : leases(reader -> reader.lease().group())) {
      ReaderKey key = member.key();
      boolean listed =
          groups.stream()
              .anyMatch(
                  group ->
                      group.pipeline().equals(key.pipeline())
                          && group.generation() == key.generation());
      if (!listed) {
        groups.add(new NamedGroup(key.pipeline(), key.generation(), groupStatus(key, term)));
      }
    }
    return groups;
  }
}
