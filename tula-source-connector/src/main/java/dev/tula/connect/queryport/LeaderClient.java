package dev.tula.connect.queryport;

import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the engine through whichever node leads. A lost connection and a not-leader answer lead to
 * the next node or the hinted one; after all of them were tried it waits, longer each time; after
 * the limit the call fails for good with an {@link ExportFailure}. A node that answers in an older
 * term than one seen before is an old leader that does not know it yet, and is left like a lost
 * one. A leader that shows nothing new for a while may have been cut off from the others without
 * knowing: another node is asked now and then whether there is a newer term. What TLS refuses is
 * tried a few times, in case a certificate is being replaced, and then fails for good.
 *
 * <p>One thread calls at a time. {@link #leadership} and {@link #close} are safe from any thread;
 * closing ends a call that is under way with an {@link InterruptedException}.
 */
public final class LeaderClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderClient.class);

  /** After so long without anything new, another node is asked who leads. */
  static final long IDLE_PROBE_MS = 30_000;

  /** So many refusals in a row, and one of each node, are no accident of a renewal. */
  private static final int MAX_TLS_REFUSALS = 3;

  private final QueryPortFactory factory;
  private final NodeRing nodes;
  private final String clientName;
  private final String clusterId;
  private final boolean followerReads;
  private final RetryPolicy retryPolicy;
  private final RetryClassifier classifier;
  private final Clock clock;
  private final RandomGenerator random;
  private final ClientObserver observer;
  private final LimitedLog retryLog;

  private Message.Role role = Message.Role.CANDIDATE;
  private long highestTerm;
  private long newsAtMs;
  private volatile QueryPort port;
  private volatile QueryPort probe;
  private volatile Leadership leadership;
  private volatile boolean closed;

  private LeaderClient(Builder builder) {
    this.factory = builder.factory;
    this.nodes = new NodeRing(builder.config.nodes(), builder.config.verifiesHostNames());
    this.clientName = builder.clientName;
    this.clusterId = builder.config.clusterId();
    this.followerReads = builder.followerReads;
    this.retryPolicy = builder.config.retryPolicy();
    this.classifier = new RetryClassifier(followerReads);
    this.clock = builder.clock;
    this.random = builder.random;
    this.observer = builder.observer;
    this.retryLog = new LimitedLog(LOG, clock);
    this.newsAtMs = clock.elapsedMs();
  }

  /** A builder for a client that these settings describe. */
  public static Builder builder(QueryPortConfig config, String clientName) {
    return new Builder(config, clientName);
  }

  /**
   * Reads a page, for as long as it takes within the limits.
   *
   * @throws ExportFailure if it can't be had
   * @throws InterruptedException if the thread was interrupted or this client closed
   */
  public Message.Page fetch(Message.Fetch request) throws InterruptedException {
    Message.Page read =
        call(
            open -> {
              Message.Page page = open.fetch(request);
              noteTerm(page.term());
              leadership = new Leadership(nodes.current(), page.term(), role);
              return page;
            });
    if (read.coveredTo().isAfter(read.coveredFrom())) {
      newsAtMs = clock.elapsedMs();
    } else if (!followerReads && clock.elapsedMs() - newsAtMs >= IDLE_PROBE_MS) {
      newsAtMs = clock.elapsedMs();
      askAnotherNode();
    }
    return read;
  }

  /**
   * Leaves an old leader that is cut off: it answers on in its term, and has nothing new.
   *
   * @return whether it was one
   */
  private boolean askAnotherNode() throws InterruptedException {
    Optional<NodeAddress> other = nodes.another();
    if (other.isEmpty()) {
      return false;
    }
    ClientObserver.ProbeOutcome outcome = probe(other.get());
    observer.onProbe(outcome);
    return outcome == ClientObserver.ProbeOutcome.NEWER_TERM;
  }

  private ClientObserver.ProbeOutcome probe(NodeAddress other) throws InterruptedException {
    try (QueryPort asked = factory.create()) {
      probe = asked;
      checkOpen();
      Message.Welcome welcome = asked.open(other, clientName, Optional.of(clusterId));
      if (provesNewerTerm(welcome)) {
        LOG.info("{} leaves {} for term {}", clientName, nodes.current(), welcome.term());
        highestTerm = welcome.term();
        dropConnection();
        nodes.follow(welcome.leaderAddress());
        return ClientObserver.ProbeOutcome.NEWER_TERM;
      }
      return ClientObserver.ProbeOutcome.CONFIRMED;
    } catch (QueryPortException e) {
      // The leader that is read from answers; a node that does not is the operator's to see.
      LOG.debug("{} could not ask {} who leads", clientName, other, e);
      return ClientObserver.ProbeOutcome.FAILED;
    } finally {
      probe = null;
    }
  }

  /** A term that has no leader yet, as a candidate's, proves nothing. */
  private boolean provesNewerTerm(Message.Welcome welcome) {
    boolean hasLeader = welcome.role() == Message.Role.LEADER || !welcome.leaderAddress().isEmpty();
    return welcome.clusterId().equals(clusterId) && hasLeader && welcome.term() > highestTerm;
  }

  /** A position beyond a leader's head may be its fault: it is asked for once more elsewhere. */
  private boolean anyNodeKnowsNewerTerm() throws InterruptedException {
    for (int i = 1; i < nodes.size(); i++) {
      if (askAnotherNode()) {
        return true;
      }
    }
    return false;
  }

  private static boolean isPositionAhead(Exception error) {
    return error instanceof ErrorReplyException reply
        && reply.reply().code() == ErrorCode.ERR_POSITION_AHEAD;
  }

  /** Reads a page of the state as of a position; otherwise as {@link #fetch}. */
  public Message.StatePage state(Message.State request) throws InterruptedException {
    return call(open -> open.state(request));
  }

  /** Asks the node that is read from how it is; otherwise as {@link #fetch}. */
  public Message.StatusOk status() throws InterruptedException {
    return call(
        open -> {
          Message.StatusOk status = open.status();
          noteTerm(status.term());
          return status;
        });
  }

  /** Who answered the last page; empty before the first. */
  public Optional<Leadership> leadership() {
    return Optional.ofNullable(leadership);
  }

  private <T> T call(Call<T> operation) throws InterruptedException {
    Attempts attempts = new Attempts();
    while (true) {
      checkOpen();
      try {
        return operation.on(connection());
      } catch (QueryPortException | RuntimeException e) {
        checkOpen();
        attempts.failed(e);
      }
    }
  }

  private void checkOpen() throws InterruptedException {
    if (closed || Thread.currentThread().isInterrupted()) {
      throw new InterruptedException("the client is closed");
    }
  }

  private QueryPort connection() throws QueryPortException {
    QueryPort open = port;
    return open != null ? open : connect();
  }

  private QueryPort connect() throws QueryPortException {
    NodeAddress node = nodes.current();
    QueryPort fresh = factory.create();
    port = fresh;
    if (closed) {
      fresh.close();
    }
    try {
      Message.Welcome welcome = fresh.open(node, clientName, Optional.of(clusterId));
      checkCluster(node, welcome);
      checkRole(node, welcome);
      noteTerm(welcome.term());
      role = welcome.role();
      LOG.info("{} reads {} ({}, term {})", clientName, node, welcome.role(), welcome.term());
    } catch (QueryPortException | RuntimeException e) {
      dropConnection();
      throw e;
    }
    observer.onConnected(node);
    return fresh;
  }

  private void checkCluster(NodeAddress node, Message.Welcome welcome) {
    if (!welcome.clusterId().equals(clusterId)) {
      throw new ExportFailure(
          FailureCode.IDENTITY,
          node
              + " belongs to cluster "
              + welcome.clusterId()
              + ", this pipeline to "
              + clusterId
              + "; set tula.hosts or tula.cluster.id right");
    }
  }

  private void checkRole(NodeAddress node, Message.Welcome welcome) throws ErrorReplyException {
    if (welcome.role() != Message.Role.LEADER && !followerReads) {
      throw new ErrorReplyException(
          node,
          new Message.ErrorReply(
              ErrorCode.ERR_NOT_LEADER,
              0,
              "it is a " + welcome.role(),
              welcome.leaderAddress(),
              Optional.empty(),
              Optional.empty(),
              0));
    }
  }

  private void noteTerm(long term) throws QueryPortException {
    if (term < highestTerm) {
      throw new QueryPortException(
          nodes.current()
              + " answers in term "
              + term
              + " after term "
              + highestTerm
              + " was seen");
    }
    highestTerm = term;
  }

  private void dropConnection() {
    QueryPort open = port;
    port = null;
    if (open != null) {
      open.close();
    }
  }

  /** Ends a call that is under way, and refuses further ones. */
  @Override
  public void close() {
    closed = true;
    for (QueryPort open : new QueryPort[] {port, probe}) {
      if (open != null) {
        open.close();
      }
    }
  }

  private interface Call<T> {
    T on(QueryPort open) throws QueryPortException;
  }

  /** The failures of one call, and what to do after each. */
  private final class Attempts {
    private final long startedMs = clock.elapsedMs();
    private int failures;
    private int backoffs;
    private int tlsRefusals;

    void failed(Exception error) throws InterruptedException {
      failures++;
      Verdict verdict = classifier.classify(error);
      checkTls(error);
      if (verdict instanceof Verdict.Fail fail) {
        if (isPositionAhead(error) && anyNodeKnowsNewerTerm()) {
          observer.onRetry(error);
          return;
        }
        dropConnection();
        throw fail.failure();
      }
      observer.onRetry(error);
      retryLog.warn(clientName + " tries again: " + error.getMessage());
      LOG.debug("{} tries again", clientName, error);
      if (verdict instanceof Verdict.AwaitLease lease) {
        giveUpAfter(retryPolicy.indexTakenTimeoutMs(), lease.otherwise());
        clock.sleep(retryPolicy.backoffMs(backoffs++, random));
      } else if (verdict instanceof Verdict.TryAnotherNode another) {
        giveUpAfter(retryPolicy.timeoutMs(), unavailable(error));
        moveOn(another);
      } else {
        giveUpAfter(retryPolicy.timeoutMs(), unavailable(error));
        clock.sleep(waitMs(verdict));
      }
    }

    private void checkTls(Exception error) {
      tlsRefusals = error instanceof TlsRefusedException ? tlsRefusals + 1 : 0;
      if (tlsRefusals >= Math.max(MAX_TLS_REFUSALS, nodes.size())) {
        dropConnection();
        throw new ExportFailure(FailureCode.CONFIGURATION, error.getMessage(), error);
      }
    }

    private void moveOn(Verdict.TryAnotherNode verdict) throws InterruptedException {
      dropConnection();
      verdict.leaderHint().ifPresentOrElse(nodes::follow, nodes::next);
      if (failures >= nodes.size()) {
        clock.sleep(retryPolicy.backoffMs(backoffs++, random));
      }
    }

    private long waitMs(Verdict verdict) {
      long asked = verdict instanceof Verdict.AskAgain again ? again.waitMs() : 0;
      return asked > 0
          ? Math.min(asked, retryPolicy.maxBackoffMs())
          : retryPolicy.backoffMs(backoffs++, random);
    }

    private void giveUpAfter(long limitMs, ExportFailure failure) {
      if (clock.elapsedMs() - startedMs >= limitMs) {
        dropConnection();
        throw failure;
      }
    }

    private ExportFailure unavailable(Exception error) {
      return new ExportFailure(
          FailureCode.UNAVAILABLE,
          "no node of "
              + nodes
              + " could be read for "
              + (clock.elapsedMs() - startedMs)
              + " ms ("
              + failures
              + " attempts); the last one: "
              + error.getMessage()
              + ". Check the nodes and the network, then restart the task; "
              + QueryPortConfig.RETRY_TIMEOUT_MS
              + " sets the limit",
          error);
    }
  }

  /** Builds a client. */
  public static final class Builder {
    private final QueryPortConfig config;
    private final String clientName;
    private QueryPortFactory factory;
    private boolean followerReads;
    private Clock clock = Clock.system();
    private RandomGenerator random;
    private ClientObserver observer = ClientObserver.NONE;

    private Builder(QueryPortConfig config, String clientName) {
      this.config = Objects.requireNonNull(config, "config");
      this.clientName = Objects.requireNonNull(clientName, "clientName");
      this.factory = config.factory();
      this.random = new Random();
    }

    /** Whether a follower will do. */
    public Builder followerReads(boolean allowed) {
      this.followerReads = allowed;
      return this;
    }

    /** Other connections than those that the settings name. */
    public Builder factory(QueryPortFactory other) {
      this.factory = Objects.requireNonNull(other, "factory");
      return this;
    }

    /** Another clock than the machine's. */
    public Builder clock(Clock other) {
      this.clock = Objects.requireNonNull(other, "clock");
      return this;
    }

    /** Another source of jitter. */
    public Builder random(RandomGenerator other) {
      this.random = Objects.requireNonNull(other, "random");
      return this;
    }

    /** Who is told of retries. */
    public Builder observer(ClientObserver other) {
      this.observer = Objects.requireNonNull(other, "observer");
      return this;
    }

    /** The client, which connects with its first call. */
    public LeaderClient build() {
      return new LeaderClient(this);
    }
  }
}
