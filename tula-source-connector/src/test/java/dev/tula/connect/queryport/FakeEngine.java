package dev.tula.connect.queryport;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A ledger in memory that answers as the protocol says, and misbehaves when told to. Every batch's
 * {@code recorded_at} is its number in seconds; what is closed at a position is one microsecond
 * less than the next batch's.
 */
public class FakeEngine implements QueryPortFactory {
  /** The cluster's id. */
  public static final String CLUSTER = "cluster-1";

  /** The node that leads unless told otherwise. */
  public static final NodeAddress A = new NodeAddress("a", 1);

  /** Another node. */
  public static final NodeAddress B = new NodeAddress("b", 2);

  /** A third. */
  public static final NodeAddress C = new NodeAddress("c", 3);

  /** One step of misbehaviour, in place of an answer. */
  @FunctionalInterface
  public interface Fault {
    /** Throws, to fail the call, or returns to let it go on. */
    void strike(NodeAddress node) throws QueryPortException;
  }

  private final TreeMap<Long, List<CanonicalRow>> batches = new TreeMap<>();
  private final Map<NodeAddress, Message.Role> roles = new HashMap<>();
  private final Map<NodeAddress, Long> terms = new HashMap<>();
  private final Deque<Fault> openFaults = new ArrayDeque<>();
  private final Deque<Fault> fetchFaults = new ArrayDeque<>();
  private final Deque<Fault> ackFaults = new ArrayDeque<>();
  private final Deque<Fault> stateFaults = new ArrayDeque<>();
  private final List<NodeAddress> opens = new ArrayList<>();
  private final List<String> clientNames = new ArrayList<>();
  private final List<Message.Fetch> fetches = new ArrayList<>();
  private final List<Message.Ack> acks = new ArrayList<>();
  private final List<NodeAddress> ackedNodes = new ArrayList<>();
  private Optional<NodeAddress> leader = Optional.of(A);
  private String clusterId = CLUSTER;
  private Position floor = Position.ORIGIN;
  private long closedShiftMicros;
  private Message.PageFlags flags = Message.PageFlags.NONE;
  private boolean hints = true;
  private int accounts;
  private int currencies;
  private int open;

  /** With three nodes, of which A leads in term 1. */
  public FakeEngine() {
    for (NodeAddress node : List.of(A, B, C)) {
      roles.put(node, node.equals(A) ? Message.Role.LEADER : Message.Role.FOLLOWER);
      terms.put(node, 1L);
    }
  }

  /** Commits the next batch. */
  public synchronized FakeEngine commit(CanonicalRow... rows) {
    batches.put(head().globalBatchSeq() + 1, List.of(rows));
    notifyAll();
    return this;
  }

  /** Commits batches of so many transactions each. */
  public synchronized FakeEngine commitBatches(int count, int rowsEach) {
    for (int i = 0; i < count; i++) {
      long gbs = head().globalBatchSeq() + 1;
      CanonicalRow[] rows = new CanonicalRow[rowsEach];
      for (int index = 0; index < rowsEach; index++) {
        rows[index] = Rows.transaction(gbs, index);
      }
      commit(rows);
    }
    return this;
  }

  /** The end of the last batch. */
  public synchronized Position head() {
    return batches.isEmpty() ? Position.ORIGIN : Position.batchEnd(batches.lastKey());
  }

  /** Gives up everything at or below it. */
  public synchronized void reclaim(Position to) {
    floor = to;
  }

  /** Makes a node lead, in a new term that the old leader does not know of. */
  public synchronized void elect(NodeAddress node, boolean oldLeaderKnows) {
    long term = terms.values().stream().mapToLong(Long::longValue).max().orElse(0) + 1;
    for (NodeAddress each : List.of(A, B, C)) {
      boolean deaf = leader.isPresent() && each.equals(leader.get()) && !oldLeaderKnows;
      if (!deaf) {
        terms.put(each, term);
        roles.put(each, each.equals(node) ? Message.Role.LEADER : Message.Role.FOLLOWER);
      }
    }
    leader = Optional.of(node);
    notifyAll();
  }

  /** Makes a node that sees nobody ask for votes, in terms of its own. */
  public synchronized void campaign(NodeAddress node, long term) {
    roles.put(node, Message.Role.CANDIDATE);
    terms.put(node, term);
    hints = false;
  }

  /** Whether followers name the leader. */
  public synchronized void hints(boolean give) {
    hints = give;
  }

  /** Becomes another cluster. */
  public synchronized void clusterId(String other) {
    clusterId = other;
  }

  /** Shifts every closed-through time. */
  public synchronized void shiftClosedThrough(long micros) {
    closedShiftMicros = micros;
    notifyAll();
  }

  /** Sets the flags of every page. */
  public synchronized void flags(Message.PageFlags every) {
    flags = every;
  }

  /** Strikes the next connections, one each. */
  public synchronized void failOpen(Fault... faults) {
    openFaults.addAll(List.of(faults));
  }

  /** Strikes the next fetches, one each. */
  public synchronized void failFetch(Fault... faults) {
    fetchFaults.addAll(List.of(faults));
  }

  /** Strikes the next acks, one each. */
  public synchronized void failAck(Fault... faults) {
    ackFaults.addAll(List.of(faults));
  }

  /** Strikes the next questions for the state, one each. */
  public synchronized void failState(Fault... faults) {
    stateFaults.addAll(List.of(faults));
  }

  /** Has so many accounts in every state, and so many currencies. */
  public synchronized void holdsState(int accountCount, int currencyCount) {
    accounts = accountCount;
    currencies = currencyCount;
  }

  /** The state as of a batch's end, which is another one for each batch. */
  public synchronized List<CanonicalRow> state(Position asOf) {
    List<CanonicalRow> rows = new ArrayList<>();
    for (int i = 0; i < accounts + currencies; i++) {
      Message.StateKind kind =
          i < accounts ? Message.StateKind.ACCOUNTS : Message.StateKind.CURRENCIES;
      rows.add(Rows.seeded(kind, asOf.globalBatchSeq(), i));
    }
    return rows;
  }

  /** A fault that loses the connection. */
  public static Fault lost() {
    return node -> {
      throw new QueryPortException("lost the connection to " + node);
    };
  }

  /** A fault that answers with an error. */
  public static Fault error(Message.ErrorReply reply) {
    return node -> {
      throw new ErrorReplyException(node, reply);
    };
  }

  /** A fault that answers with an error. */
  public static Fault error(ErrorCode code, int subCode) {
    return error(Message.ErrorReply.of(code, subCode, "told so by the test"));
  }

  /** The nodes that were connected to, in order. */
  public synchronized List<NodeAddress> opens() {
    return List.copyOf(opens);
  }

  /** Under which names. */
  public synchronized List<String> clientNames() {
    return List.copyOf(clientNames);
  }

  /** The fetches that were answered. */
  public synchronized List<Message.Fetch> fetches() {
    return List.copyOf(fetches);
  }

  /** The acks that were taken. */
  public synchronized List<Message.Ack> acks() {
    return List.copyOf(acks);
  }

  /** The nodes that took them. */
  public synchronized List<NodeAddress> ackedNodes() {
    return List.copyOf(ackedNodes);
  }

  /** Connections that are open. */
  public synchronized int openConnections() {
    return open;
  }

  /** Every row, in order. */
  public synchronized List<CanonicalRow> truth() {
    return batches.values().stream().flatMap(List::stream).toList();
  }

  @Override
  public QueryPort create() {
    return new Port();
  }

  private static void strike(Deque<Fault> faults, NodeAddress node) throws QueryPortException {
    Fault fault = faults.poll();
    if (fault != null) {
      fault.strike(node);
    }
  }

  private long closedThroughMicros(Position covered) {
    Long next = batches.higherKey(covered.globalBatchSeq());
    long seconds =
        covered.isBatchEnd()
            ? (next == null ? covered.globalBatchSeq() + 1 : next)
            : covered.globalBatchSeq();
    return seconds * Rows.MICROS_PER_SECOND - 1 + closedShiftMicros;
  }

  private String leaderAddress() {
    return hints ? leader.map(NodeAddress::toString).orElse("") : "";
  }

  private final class Port implements QueryPort {
    private NodeAddress node;
    private boolean closed;

    @Override
    public void configure(Map<String, ?> properties) {}

    @Override
    public Message.Welcome open(NodeAddress address, String clientName, Optional<String> cluster)
        throws QueryPortException {
      synchronized (FakeEngine.this) {
        node = address;
        opens.add(address);
        clientNames.add(clientName);
        open++;
        strike(openFaults, node);
        return new Message.Welcome(
            1,
            clusterId,
            "node-" + node.host(),
            roles.get(node),
            terms.get(node),
            leaderAddress(),
            head(),
            Message.DEFAULT_MAX_FRAME_BYTES,
            1_000,
            0);
      }
    }

    @Override
    public Message.Page fetch(Message.Fetch request) throws QueryPortException {
      synchronized (FakeEngine.this) {
        strike(fetchFaults, node);
        awaitNews(request);
        checkServes(request.options().followerAllowed());
        if (floor.isAfter(request.after())) {
          throw new ErrorReplyException(node, reclaimed(request.after()));
        }
        if (request.after().isAfter(head())) {
          throw new ErrorReplyException(
              node, Message.ErrorReply.of(ErrorCode.ERR_POSITION_AHEAD, 0, "beyond the head"));
        }
        fetches.add(request);
        return page(request);
      }
    }

    private Message.ErrorReply reclaimed(Position requested) {
      return new Message.ErrorReply(
          ErrorCode.ERR_EXPORT_RANGE_RECLAIMED,
          0,
          "gone",
          "",
          Optional.of(requested),
          Optional.of(floor),
          0);
    }

    private void awaitNews(Message.Fetch request) throws QueryPortException {
      long endNanos = System.nanoTime() + request.waitMs() * 1_000_000L;
      try {
        while (!closed && !head().isAfter(request.after())) {
          long leftMs = (endNanos - System.nanoTime()) / 1_000_000;
          if (leftMs <= 0) {
            break;
          }
          FakeEngine.this.wait(leftMs);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (closed) {
        throw new QueryPortException("closed");
      }
    }

    private void checkServes(boolean followerAllowed) throws QueryPortException {
      if (roles.get(node) != Message.Role.LEADER && !followerAllowed) {
        throw new ErrorReplyException(
            node,
            new Message.ErrorReply(
                ErrorCode.ERR_NOT_LEADER,
                0,
                "not the leader",
                leaderAddress(),
                Optional.empty(),
                Optional.empty(),
                0));
      }
    }

    private Message.Page page(Message.Fetch request) {
      List<CanonicalRow> found = new ArrayList<>();
      Position until = request.until().orElse(head());
      Position covered = request.after();
      for (Map.Entry<Long, List<CanonicalRow>> batch :
          batches.tailMap(request.after().globalBatchSeq(), true).entrySet()) {
        if (Position.batchEnd(batch.getKey()).isAfter(until)) {
          break;
        }
        boolean own = batch.getKey() % request.partitionCount() == request.partition();
        for (CanonicalRow row : own ? batch.getValue() : List.<CanonicalRow>of()) {
          if (row.position().isAfter(request.after())) {
            if (found.size() == request.maxRecords()) {
              return page(request, covered, found);
            }
            found.add(row);
            covered = row.position();
          }
        }
        covered = Position.max(covered, Position.batchEnd(batch.getKey()));
      }
      return page(request, covered, found);
    }

    private Message.Page page(Message.Fetch request, Position covered, List<CanonicalRow> found) {
      return new Message.Page(
          terms.get(node),
          request.after(),
          covered,
          head(),
          floor,
          closedThroughMicros(covered),
          flags,
          Message.GroupStatus.NONE,
          List.copyOf(found));
    }

    @Override
    public Message.Acked ack(Message.Ack request) throws QueryPortException {
      synchronized (FakeEngine.this) {
        strike(ackFaults, node);
        checkServes(false);
        if (request.term() < terms.get(node)) {
          throw new ErrorReplyException(
              node, Message.ErrorReply.of(ErrorCode.ERR_STALE_TERM, 0, "an older term"));
        }
        acks.add(request);
        ackedNodes.add(node);
        return new Message.Acked(request.through());
      }
    }

    @Override
    public Message.StatePage state(Message.State request) throws QueryPortException {
      synchronized (FakeEngine.this) {
        strike(stateFaults, node);
        checkServes(false);
        if (floor.isAfter(request.asOf())) {
          throw new ErrorReplyException(node, reclaimed(request.asOf()));
        }
        List<CanonicalRow> all =
            FakeEngine.this.state(request.asOf()).stream()
                .filter(row -> row.kind() == Rows.kind(request.kind()))
                .toList();
        int from = request.cursor().isEmpty() ? 0 : Integer.parseInt(request.cursor());
        int to = Math.min(all.size(), from + request.maxRecords());
        String next = to < all.size() ? Integer.toString(to) : "";
        return new Message.StatePage(request.asOf(), all.subList(from, to), next);
      }
    }

    @Override
    public Message.StatusOk status() {
      synchronized (FakeEngine.this) {
        return new Message.StatusOk(
            roles.get(node), terms.get(node), leaderAddress(), head(), floor, List.of(), List.of());
      }
    }

    @Override
    public void close() {
      synchronized (FakeEngine.this) {
        if (!closed) {
          closed = true;
          open--;
          FakeEngine.this.notifyAll();
        }
      }
    }
  }
}
