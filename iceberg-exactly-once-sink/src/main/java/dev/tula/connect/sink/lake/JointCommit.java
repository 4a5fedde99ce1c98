package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.TableView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.iceberg.catalog.TableCommit;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compare-and-sets of several tables in one transaction of the catalog's (C22). The catalog is
 * believed no more than with a single table: it re-asserts only UUID and branch, and may report
 * success without having committed every table. So each attempt checks every table's condition, and
 * whatever was answered, each table's reply is what the table itself shows when it is read again.
 *
 * <p>A table that can't be committed keeps the others from being sent; theirs is then a refusal
 * that shows them as they were expected, and the engine tries again. For one thread, used once.
 */
final class JointCommit {
  private static final Logger LOG = LoggerFactory.getLogger(JointCommit.class);

  private final List<Member> members;
  private final Sender sender;
  private final SendGate gate;
  private final StateCommit.Counters counters;
  private Optional<StateCommit.Failure> failure = Optional.empty();

  /** Sends a transaction to the catalog. */
  interface Sender {
    void send(List<TableCommit> commits);
  }

  /** One table's part, and what became of it. */
  private static final class Member {
    private final StateCommit commit;
    private TableAccess.Loaded now;
    private Optional<CommitReply> reply = Optional.empty();

    Member(StateCommit commit) {
      this.commit = commit;
    }

    boolean isOpen() {
      return reply.isEmpty();
    }

    boolean isLanded() {
      return reply.filter(CommitReply.Landed.class::isInstance).isPresent();
    }
  }

  JointCommit(
      List<StateCommit> commits, Sender sender, SendGate gate, StateCommit.Counters counters) {
    this.members = commits.stream().map(Member::new).toList();
    this.sender = sender;
    this.gate = gate;
    this.counters = counters;
  }

  /**
   * Commits, or finds that it can't.
   *
   * @return a reply for each table, in their order
   * @throws RuntimeException if no table certainly has its commit, and none will
   */
  List<CommitReply> run() {
    boolean failed = false;
    for (int attempt = 1; attempt <= StateCommit.MAX_ATTEMPTS + 1; attempt++) {
      look(attempt > StateCommit.MAX_ATTEMPTS);
      List<Member> open = members.stream().filter(Member::isOpen).toList();
      if (open.isEmpty()) {
        if (failed && members.stream().allMatch(Member::isLanded)) {
          counters.falseFailures().incrementAndGet();
        }
        return members.stream().map(member -> member.reply.orElseThrow()).toList();
      }
      StateCommit.backOff(attempt);
      failed = !attempt(open);
    }
    throw new IllegalStateException("the last round always decides");
  }

  /** Reads every table that has no reply yet, and gives it one unless it is worth an attempt. */
  private void look(boolean exhausted) {
    List<Member> open = members.stream().filter(Member::isOpen).toList();
    RuntimeException thrown = null;
    List<Member> throwing = new ArrayList<>();
    for (Member member : open) {
      try {
        member.reply = look(member, exhausted);
      } catch (RuntimeException e) {
        thrown = thrown == null ? e : thrown;
        throwing.add(member);
      }
    }
    if (thrown != null) {
      if (members.stream().noneMatch(Member::isLanded)) {
        throw thrown;
      }
      String cause = thrown.toString();
      throwing.forEach(member -> member.reply = Optional.of(new CommitReply.Unknown(cause)));
    }
    boolean someCannot = members.stream().anyMatch(m -> !m.isOpen() && !m.isLanded());
    if (someCannot) {
      open.stream().filter(Member::isOpen).forEach(JointCommit::leave);
    }
  }

  private Optional<CommitReply> look(Member member, boolean exhausted) {
    Optional<TableAccess.Loaded> now;
    try {
      now = member.commit.load();
    } catch (RuntimeException e) {
      if (member.commit.anythingSent()) {
        return Optional.of(
            member.commit.unknown(failure.orElseThrow(), "and the table can't be read: " + e));
      }
      throw e;
    }
    if (now.isEmpty()) {
      return Optional.of(new CommitReply.Refused(Optional.empty()));
    }
    member.now = now.get();
    return member.commit.decide(member.now, failure, exhausted);
  }

  private static void leave(Member member) {
    TableView view = member.commit.view(member.now);
    member.reply = Optional.of(new CommitReply.Refused(Optional.of(view)));
  }

  /** Prepares and sends. Returns whether the catalog reported success. */
  private boolean attempt(List<Member> open) {
    List<TableCommit> requests = new ArrayList<>();
    for (Member member : open) {
      StateCommit.Preparation preparation = member.commit.prepare(member.now);
      if (preparation.failure().isPresent()) {
        failure = preparation.failure();
        return false;
      }
      requests.add(preparation.request().orElseThrow());
    }
    gate.enter();
    open.forEach(member -> member.commit.sent());
    try {
      sender.send(requests);
      failure =
          Optional.of(
              StateCommit.Failure.ofAnswer(
                  new CommitStateUnknownException(
                      new IllegalStateException("success, and does not show the commit (C22)"))));
      return true;
    } catch (RuntimeException answer) {
      LOG.info("An attempt to commit {} tables in one transaction failed", open.size(), answer);
      RuntimeException meant =
          open.stream()
              .flatMap(member -> member.commit.explain(answer).stream())
              .findFirst()
              .orElse(answer);
      failure = Optional.of(StateCommit.Failure.ofAnswer(meant));
      return false;
    }
  }
}
