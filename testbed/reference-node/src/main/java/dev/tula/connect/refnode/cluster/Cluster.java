package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.Acked;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.GroupStatus;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.model.wire.Message.PageFlags;
import dev.tula.connect.model.wire.Message.Role;
import dev.tula.connect.model.wire.Message.State;
import dev.tula.connect.model.wire.Message.StatePage;
import dev.tula.connect.model.wire.Message.StatusOk;
import dev.tula.connect.refnode.cluster.LeaseTable.Grant;
import dev.tula.connect.refnode.history.History;
import dev.tula.connect.refnode.history.RecordForm;
import java.io.Closeable;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The nodes over one committed history: who leads, in which term, what each node shows, and how far
 * history may be reclaimed. It answers every request of the query port but HELLO. Safe for any
 * thread.
 *
 * <p>Nothing is ever deleted: what was reclaimed is refused to readers, and stays on disk, because
 * the ledger's truth has to remain whole for verification. A leader change or a restart writes no
 * record, so that faults leave the truth as it is.
 */
public final class Cluster implements Closeable {
  /** The longest wait that a FETCH may ask for; a longer one is cut to it. */
  public static final int MAX_WAIT_MS = 60_000;

  private static final int LAG_RETRY_MS = 100;
  private static final int PAGE_RESERVE_BYTES = 256;
  private static final long STORE_LEASES_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MICROS_PER_HOUR = 3_600_000_000L;
  private static final long REGRESSION_MICROS = MICROS_PER_HOUR;

  private final String clusterId;
  private final String workload;
  private final ExportSettings settings;
  private final CommittedLedger ledger;
  private final Signal signal;
  private final StateReader stateReader;
  private final ClusterFile file;
  private final AckLog ackLog;
  private final FaultSwitches faults = new FaultSwitches();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicLong failures = new AtomicLong();

  private final Object lock = new Object();
  private final List<Node> nodes = new ArrayList<>();
  private final LeaseTable leases;
  private int leader;
  private long term;
  private Position floor = Position.ORIGIN;
  private long leasesStoredAtNanos;

  /**
   * A cluster over a ledger, in the directory of its history.
   *
   * @param leaseNanos the clock that leases run out by, as {@link System#nanoTime}
   * @throws IllegalArgumentException if the directory belongs to another cluster or workload
   */
  public Cluster(
      Path directory,
      String clusterId,
      int nodeCount,
      ExportSettings settings,
      CommittedLedger ledger,
      LongSupplier leaseNanos) {
    this.clusterId = clusterId;
    this.workload = ledger.workloadFingerprint();
    this.settings = settings;
    this.ledger = ledger;
    this.signal = ledger.signal();
    this.stateReader = new StateReader(ledger.history());
    this.leases = new LeaseTable(settings, leaseNanos);
    this.file = new ClusterFile(directory);
    for (int number = 0; number < nodeCount; number++) {
      nodes.add(new Node(number));
    }
    file.read().ifPresent(this::restore);
    // Whoever starts holds an election first.
    term++;
    store();
    this.ackLog = new AckLog(directory);
  }

  private void restore(ClusterFile.Contents stored) {
    if (!stored.clusterId().equals(clusterId) || !stored.workload().equals(workload)) {
      throw new IllegalArgumentException(
          "the history belongs to cluster "
              + stored.clusterId()
              + " with workload "
              + stored.workload()
              + ", not to "
              + clusterId
              + " with "
              + workload
              + ": use those, or another directory");
    }
    term = stored.term();
    leader = stored.leader() < nodes.size() ? stored.leader() : 0;
    floor = stored.floor();
    stored.leases().forEach(leases::restore);
  }

  private void store() {
    file.write(
        new ClusterFile.Contents(clusterId, workload, term, leader, floor, leases.durableLeases()));
    leasesStoredAtNanos = System.nanoTime();
  }

  /** The cluster's id. */
  public String clusterId() {
    return clusterId;
  }

  /** What goes wrong on purpose. */
  public FaultSwitches faults() {
    return faults;
  }

  /** The ledger behind it. */
  public CommittedLedger ledger() {
    return ledger;
  }

  /** A connection ended with what no peer should be able to bring about. */
  public void noteFailure() {
    failures.incrementAndGet();
  }

  /** How many connections ended so. */
  public long failures() {
    return failures.get();
  }

  /** The number of nodes. */
  public int nodeCount() {
    return nodes.size();
  }

  /** A node's id. */
  public String nodeId(int node) {
    return nodes.get(node).id();
  }

  /** The number of the node that leads. */
  public int leader() {
    synchronized (lock) {
      return leader;
    }
  }

  /** The term. */
  public long term() {
    synchronized (lock) {
      return term;
    }
  }

  /** The last committed position. */
  public Position head() {
    return Position.batchEnd(ledger.history().head());
  }

  /** Everything at or below it may be gone. */
  public Position floor() {
    synchronized (lock) {
      return floor;
    }
  }

  /** The last acks, newest last. */
  public List<AckEvent> acks() {
    return ackLog.recent();
  }

  // What happens to nodes

  /** A node listens at that address. */
  public void nodeUp(int node, String address) {
    synchronized (lock) {
      nodes.get(node).address(address);
      nodes.get(node).up(true);
    }
    signal.changed();
  }

  /**
   * A node is gone: what it held in memory alone is lost. If it led, another one leads in a new
   * term; if there is no other, it leads again in a new term when it is back.
   */
  public void nodeDown(int node) {
    if (closed.get()) {
      return;
    }
    synchronized (lock) {
      nodes.get(node).up(false);
      nodes.get(node).reconnect();
      leases.dropVolatileLeasesOf(node);
      if (node == leader) {
        elect(nextUp(node));
      }
    }
    signal.changed();
  }

  private int nextUp(int node) {
    for (int step = 1; step < nodes.size(); step++) {
      int candidate = (node + step) % nodes.size();
      if (nodes.get(candidate).isUp()) {
        return candidate;
      }
    }
    return node;
  }

  private void elect(int node) {
    nodes.get(node).reconnect();
    leader = node;
    term++;
    store();
  }

  /** Lets another node lead, in a new term. */
  public void changeLeader(int node) {
    synchronized (lock) {
      if (node < 0 || node >= nodes.size()) {
        throw new IllegalArgumentException(
            "node " + node + " of " + nodes.size() + " does not exist");
      }
      elect(node);
    }
    signal.changed();
  }

  /** Lets the next node lead, in a new term; with one node alone, the same in a new term. */
  public void changeLeader() {
    synchronized (lock) {
      elect(nextUp(leader));
    }
    signal.changed();
  }

  /**
   * Cuts the leader off: another node leads in a new term, and the old one answers on in its own,
   * with the history that it has, as long as nobody tells it better. What it grants holds nothing.
   *
   * @return the number of the node that was cut off
   * @throws IllegalStateException if there is no other node that is up
   */
  public int cutOffLeader() {
    int old;
    synchronized (lock) {
      old = leader;
      int successor = nextUp(old);
      if (successor == old) {
        throw new IllegalStateException("no other node could lead");
      }
      nodes.get(old).cutOff(term, ledger.history().head());
      elect(successor);
    }
    signal.changed();
    return old;
  }

  /** A node that was cut off sees the others again. */
  public void reconnect(int node) {
    synchronized (lock) {
      nodes.get(node).reconnect();
    }
    signal.changed();
  }

  /** Lets a follower lag behind by so many batches. */
  public void lag(int node, long batches) {
    synchronized (lock) {
      nodes.get(node).lagBatches(Math.max(0, batches));
    }
    signal.changed();
  }

  /**
   * Reclaims up to a position, whatever is held or was acked.
   *
   * @throws IllegalArgumentException if it is no batch's end, above the head, or below the floor
   */
  public void advanceFloor(Position newFloor) {
    synchronized (lock) {
      if (!newFloor.isBatchEnd() || newFloor.isAfter(head()) || floor.isAfter(newFloor)) {
        throw new IllegalArgumentException(
            newFloor + " must be the end of a batch from " + floor + " to " + head());
      }
      floor = newFloor;
      store();
    }
    signal.changed();
  }

  /** Every lease is lost. */
  public void dropLeases() {
    synchronized (lock) {
      leases.dropLeases();
      store();
    }
    signal.changed();
  }

  /**
   * Reclaims what is old enough, is held by no lease, and, where export is required, was acked by
   * every pipeline that acks the leader; with none that does, nothing.
   */
  public void reclaim() {
    if (settings.historyRetentionHours() == 0) {
      return;
    }
    synchronized (lock) {
      long head = ledger.history().head();
      long cutoff = ledger.clockMicros() - settings.historyRetentionHours() * MICROS_PER_HOUR;
      Position limit = Position.batchEnd(lastBatchAtOrBefore(cutoff, head));
      if (settings.historyPurgeRequiresExport()) {
        limit = Position.min(limit, leases.lowestCredit(term).orElse(Position.ORIGIN));
      }
      if (!faults.areHoldsReleased()) {
        limit = Position.min(limit, leases.lowestHold(head).orElse(limit));
      }
      Position wholeBatches =
          limit.isBatchEnd() ? limit : Position.batchEnd(limit.globalBatchSeq() - 1);
      if (wholeBatches.isAfter(floor)) {
        floor = wholeBatches;
        store();
      }
    }
  }

  private long lastBatchAtOrBefore(long micros, long head) {
    History history = ledger.history();
    long low = 0;
    long high = head;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (history.recordedAtMicros(middle) <= micros) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  // Requests

  /** Where a node stands. */
  public record Standing(
      String nodeId, Role role, long term, String leaderAddress, Position head, long clockMicros) {}

  /** What a node believes: who leads, in which term, and where the ledger ends. */
  private record View(boolean leads, long term, long head, String leaderAddress) {
    Role role() {
      return leads ? Role.LEADER : Role.FOLLOWER;
    }
  }

  private View view(int number) {
    Node node = nodes.get(number);
    if (node.isCutOff()) {
      return new View(true, node.cutOffTerm(), node.cutOffHead(), node.address());
    }
    boolean leads = number == leader;
    long head = ledger.history().head();
    long visible = leads ? head : Math.max(0, head - node.lagBatches());
    return new View(leads, term, visible, leaderAddress());
  }

  /** Where a node stands. */
  public Standing standing(int node) {
    synchronized (lock) {
      View view = view(node);
      return new Standing(
          nodes.get(node).id(),
          view.role(),
          view.term(),
          view.leaderAddress(),
          Position.batchEnd(view.head()),
          ledger.clockMicros());
    }
  }

  private String leaderAddress() {
    String known = nodes.get(leader).isUp() ? nodes.get(leader).address() : "";
    return faults.leaderHint().orElse(known);
  }

  /** Answers STATUS. */
  public StatusOk status(int node) {
    synchronized (lock) {
      View view = view(node);
      return new StatusOk(
          view.role(),
          view.term(),
          view.leaderAddress(),
          Position.batchEnd(view.head()),
          floor,
          leases.statuses(view.term()),
          leases.groups(view.term()));
    }
  }

  /** What a connection keeps between two FETCHes. */
  public final class ReadContext implements Closeable {
    private volatile boolean contextClosed;
    private final String client;
    private final int maxFrameBytes;
    private final BatchCache cache;

    private ReadContext(String client, int maxFrameBytes, BatchCache cache) {
      this.client = client;
      this.maxFrameBytes = maxFrameBytes;
      this.cache = cache;
    }

    /** Ends the wait of a FETCH that is in flight. */
    @Override
    public void close() {
      contextClosed = true;
      signal.changed();
    }
  }

  /** For a connection of that client, with that largest frame. */
  public ReadContext readContext(String client, int maxFrameBytes) {
    return new ReadContext(client, maxFrameBytes, new BatchCache(ledger.history()));
  }

  /**
   * Answers FETCH; waits for something new as long as the request allows. One call at a time per
   * context.
   *
   * @throws QueryPortException with the error to answer
   * @throws InterruptedException if the context or the cluster is closed meanwhile
   */
  public Page fetch(int node, ReadContext context, Fetch fetch) throws InterruptedException {
    FetchChecks.check(fetch);
    Optional<ErrorReply> failure = faults.takeFetchFailure();
    if (failure.isPresent()) {
      throw new QueryPortException(failure.get());
    }
    long waitMs = Math.min(fetch.waitMs(), MAX_WAIT_MS);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    RecordForm form =
        new RecordForm(fetch.options().includeMetadata(), fetch.options().fullRecord());
    PageScan scan =
        new PageScan(context.cache, fetch, form, context.maxFrameBytes - (long) PAGE_RESERVE_BYTES);
    while (true) {
      long seen = signal.version();
      Read read = read(node, context.client, fetch);
      scan.advance(read.head);
      boolean behind = fetch.after().isAfter(Position.batchEnd(read.head));
      if (scan.isComplete() || !awaitChange(context, seen, deadline)) {
        if (behind) {
          throw QueryPortException.busy(
              nodes.get(node).id() + " has not come to " + fetch.after() + " yet", LAG_RETRY_MS);
        }
        return page(read, fetch, scan);
      }
    }
  }

  private boolean awaitChange(ReadContext context, long seen, long deadline)
      throws InterruptedException {
    boolean changed = signal.await(seen, deadline);
    if (closed.get() || context.contextClosed) {
      throw new InterruptedException("the connection is closed");
    }
    return changed;
  }

  /** What was decided under the lock for one look at the history. */
  private record Read(long term, long head, Position floor, PageFlags flags, GroupStatus group) {}

  private Read read(int node, String client, Fetch fetch) {
    synchronized (lock) {
      View view = view(node);
      boolean leads = view.leads();
      requireReadable(node, fetch, view);
      if (nodes.get(node).isCutOff()) {
        return new Read(view.term(), view.head(), floor, PageFlags.NONE, GroupStatus.NONE);
      }
      boolean durable = leads && settings.exportLeaseDurable() && !faults.areLeasesNotDurable();
      LeaseTable.Session session = new LeaseTable.Session(client, node, leads ? term : 0, durable);
      boolean known = leases.owns(fetch, client);
      Grant grant = leases.noteFetch(fetch, session, faults.isLeaseTableFull());
      if (grant == Grant.HELD && durable) {
        storeLeases(!known);
      }
      long head = ledger.history().head();
      boolean released =
          grant == Grant.HELD
              && (faults.areHoldsReleased() || leases.isReleased(fetch.after(), head));
      PageFlags flags =
          new PageFlags(grant == Grant.HELD && !durable, released, grant == Grant.NONE);
      return new Read(term, view.head(), floor, flags, leases.group(fetch, term));
    }
  }

  private void requireReadable(int node, Fetch fetch, View view) {
    boolean leads = view.leads();
    if (!leads && !fetch.options().followerAllowed()) {
      throw QueryPortException.notLeader(leaderAddress());
    }
    if (!leads && fetch.options().group()) {
      throw QueryPortException.conflict(
          ErrorCode.GROUP_NOT_THE_LEADERS,
          nodes.get(node).id() + " does not lead, and a group belongs to the leader");
    }
    Position end = leads ? Position.batchEnd(view.head()) : head();
    if (fetch.after().isAfter(end)) {
      throw QueryPortException.of(
          ErrorCode.ERR_POSITION_AHEAD,
          fetch.after() + " lies above the head, " + end + ": a restored or another cluster?");
    }
    if (floor.isAfter(fetch.after())) {
      throw QueryPortException.reclaimed(fetch.after(), floor);
    }
  }

  /** A new lease is stored at once; a renewed one, whose older hold is as safe, once a second. */
  private void storeLeases(boolean isNew) {
    if (isNew || System.nanoTime() - leasesStoredAtNanos > STORE_LEASES_EVERY_NANOS) {
      store();
    }
  }

  private Page page(Read read, Fetch fetch, PageScan scan) {
    long closedThrough = ledger.closedThroughMicros(scan.covered());
    if (faults.takeClosedRegression()) {
      closedThrough -= REGRESSION_MICROS;
    }
    return new Page(
        read.term,
        fetch.after(),
        scan.covered(),
        Position.batchEnd(read.head),
        read.floor,
        closedThrough,
        read.flags,
        read.group,
        scan.rows());
  }

  /**
   * Answers ACK, and logs it whatever the answer is.
   *
   * @throws QueryPortException with the error to answer
   */
  public Acked ack(int node, String client, Ack ack) {
    FetchChecks.checkReader(
        ack.pipeline(), ack.generation(), ack.partition(), ack.partitionCount());
    ReaderKey key =
        new ReaderKey(ack.pipeline(), ack.generation(), ack.partition(), ack.partitionCount());
    synchronized (lock) {
      try {
        requireAckable(node, ack);
      } catch (QueryPortException e) {
        log(node, client, ack, leases.credit(key, term), false);
        throw e;
      }
      if (nodes.get(node).isCutOff()) {
        log(node, client, ack, ack.through(), true);
        return new Acked(ack.through());
      }
      Position credited = leases.ack(key, ack.through(), term);
      log(node, client, ack, credited, true);
      return new Acked(credited);
    }
  }

  private void requireAckable(int node, Ack ack) {
    View view = view(node);
    if (!view.leads()) {
      throw QueryPortException.notLeader(view.leaderAddress());
    }
    if (ack.term() < view.term()) {
      throw QueryPortException.of(
          ErrorCode.ERR_STALE_TERM,
          "the ack is for term " + ack.term() + ", this is term " + view.term());
    }
    FetchChecks.require(
        ack.term() == view.term(),
        "term " + ack.term() + " is yet to come; this is term " + view.term());
    Position end = Position.batchEnd(view.head());
    if (ack.through().isAfter(end)) {
      throw QueryPortException.of(
          ErrorCode.ERR_POSITION_AHEAD, ack.through() + " lies above the head, " + end);
    }
  }

  private void log(int node, String client, Ack ack, Position credited, boolean accepted) {
    ackLog.add(
        new AckEvent(
            Instant.now(),
            nodes.get(node).id(),
            client,
            ack.pipeline(),
            ack.generation(),
            ack.partition(),
            ack.partitionCount(),
            ack.through(),
            ack.term(),
            credited,
            accepted));
  }

  /**
   * Answers STATE.
   *
   * @throws QueryPortException with the error to answer
   */
  public StatePage state(int node, ReadContext context, State state) {
    FetchChecks.require(state.maxRecords() >= 1, "max records must be 1 or more");
    FetchChecks.require(state.asOf().isBatchEnd(), "state is as of the end of a batch");
    synchronized (lock) {
      if (state.asOf().isAfter(head())) {
        throw QueryPortException.of(
            ErrorCode.ERR_POSITION_AHEAD, state.asOf() + " lies above the head, " + head());
      }
      if (floor.isAfter(state.asOf())) {
        throw QueryPortException.reclaimed(state.asOf(), floor);
      }
      if (state.asOf().globalBatchSeq() > view(node).head()) {
        throw QueryPortException.busy(
            nodes.get(node).id() + " has not come to " + state.asOf() + " yet", LAG_RETRY_MS);
      }
    }
    return stateReader.read(state, context.maxFrameBytes - (long) PAGE_RESERVE_BYTES);
  }

  /** Ends every wait. Nodes that go down from here on are part of the end: nobody is elected. */
  public void endService() {
    closed.set(true);
    signal.changed();
  }

  /** Stores what is to be kept; the nodes have to be down. */
  @Override
  public void close() {
    endService();
    synchronized (lock) {
      store();
    }
    ackLog.close();
  }
}
