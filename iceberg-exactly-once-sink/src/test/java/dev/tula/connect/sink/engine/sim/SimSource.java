package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The source task of the partition: writes the ledger's pages to the topic as C12 says, restarts
 * from a source offset that may lie far behind, cuts pages otherwise each time, and may have an
 * older self that is not dead yet.
 */
final class SimSource {
  private static final int MAX_PAGE_ROWS = 9;
  private static final int MAX_SESSIONS = 2;

  private final Schedule schedule;
  private final SimLedger ledger;
  private final StreamIdentity identity;
  private final SimTopic topic;
  private final boolean exactlyOnce;
  private final List<Session> sessions = new ArrayList<>();
  private Optional<Position> stored = Optional.empty();
  private long head;

  /** One run of the task: where it stands, and what it knows of the time. */
  private static final class Session {
    private Position proven;
    private long closedThroughMicros;

    Session(Position proven) {
      this.proven = proven;
    }
  }

  SimSource(
      Schedule schedule,
      SimLedger ledger,
      StreamIdentity identity,
      SimTopic topic,
      boolean exactlyOnce) {
    this.schedule = schedule;
    this.ledger = ledger;
    this.identity = identity;
    this.topic = topic;
    this.exactlyOnce = exactlyOnce;
    this.head = ledger.start().globalBatchSeq();
  }

  /** Does one thing. */
  void step() {
    if (sessions.isEmpty()) {
      open();
    } else if (head < ledger.lastBatch() && schedule.chance(0.4)) {
      head += schedule.between(1, (int) Math.min(3, ledger.lastBatch() - head));
    } else if (schedule.chance(0.08)) {
      restart();
    } else {
      writePage(schedule.pick(sessions));
    }
  }

  /** Comes to the ledger's end, with nothing in its way. */
  void finish() {
    head = ledger.lastBatch();
    if (sessions.isEmpty()) {
      open();
    }
    Session newest = sessions.get(sessions.size() - 1);
    while (!newest.proven.equals(ledger.end())) {
      writePage(newest);
    }
  }

  /** Nothing is new, but time goes on, and an idle source says so. */
  void idle() {
    Session newest = sessions.get(sessions.size() - 1);
    write(coverage(newest, newest.proven, newest.proven));
  }

  /**
   * Stops every session and sets the source offset.
   *
   * @param offset none for a source without one, which begins at START
   */
  void reset(Optional<Position> offset) {
    sessions.clear();
    stored = offset;
  }

  private void restart() {
    schedule.count("source restarts");
    if (exactlyOnce || sessions.size() == MAX_SESSIONS || schedule.chance(0.6)) {
      sessions.remove(0);
    }
    open();
  }

  private void open() {
    Session session = new Session(stored.orElse(ledger.start()));
    session.closedThroughMicros = earliestClosedThrough(session.proven);
    sessions.add(session);
    if (sessions.size() > 1) {
      schedule.count("two sessions of the source");
    }
    if (stored.isEmpty()) {
      write(new StreamItem.Start(session.proven, session.closedThroughMicros, identity));
      maybeStore(session.proven);
    }
    write(coverage(session, session.proven, session.proven));
  }

  private static long earliestClosedThrough(Position position) {
    return Math.max(0, position.globalBatchSeq() * 1_000_000 - 1);
  }

  private void writePage(Session session) {
    Position from = session.proven;
    List<CanonicalRow> rows = page(from);
    for (CanonicalRow row : rows) {
      write(new StreamItem.Row(session.proven, row));
      session.proven = row.position();
      maybeStore(session.proven);
    }
    Position covered = coveredBy(from, rows);
    boolean idle = rows.isEmpty() && covered.equals(session.proven);
    if (covered.isAfter(session.proven) || idle && schedule.chance(0.3)) {
      write(coverage(session, session.proven, covered));
      session.proven = covered;
      maybeStore(covered);
    }
  }

  private List<CanonicalRow> page(Position from) {
    int max = schedule.between(1, MAX_PAGE_ROWS);
    List<CanonicalRow> rows = new ArrayList<>();
    for (Map.Entry<Position, CanonicalRow> row :
        ledger.rows(from, Position.max(from, Position.batchEnd(head))).entrySet()) {
      if (rows.size() == max) {
        break;
      }
      rows.add(row.getValue());
    }
    return rows;
  }

  /**
   * A page covers what was scanned: to the head, or to where its last row is, or its batch ends.
   */
  private Position coveredBy(Position from, List<CanonicalRow> rows) {
    Position headEnd = Position.max(from, Position.batchEnd(head));
    Position last = rows.isEmpty() ? from : rows.get(rows.size() - 1).position();
    boolean more = !ledger.rows(last, headEnd).isEmpty();
    if (!more && schedule.chance(0.7)) {
      return headEnd;
    }
    if (rows.isEmpty()) {
      // It scanned one batch and found nothing.
      return Position.min(headEnd, Position.batchEnd(from.globalBatchSeq() + 1));
    }
    return ledger.endsBatch(last) ? last.endOfBatch() : last;
  }

  private StreamItem coverage(Session session, Position from, Position to) {
    long latest = ledger.latestClosedThroughMicros(to);
    long spread = Math.max(0, latest - session.closedThroughMicros);
    session.closedThroughMicros += (long) (spread * (schedule.below(101) / 100.0));
    return new StreamItem.Coverage(from, to, session.closedThroughMicros, identity);
  }

  private void write(StreamItem item) {
    topic.append(item);
    if (!exactlyOnce && schedule.chance(0.02)) {
      schedule.count("items written twice");
      topic.append(item);
    }
  }

  private void maybeStore(Position position) {
    if (exactlyOnce || schedule.chance(0.15)) {
      stored = Optional.of(position);
    }
  }
}
