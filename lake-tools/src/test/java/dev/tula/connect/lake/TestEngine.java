package dev.tula.connect.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ErrorReplyException;
import dev.tula.connect.queryport.NodeAddress;
import dev.tula.connect.queryport.QueryPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** The ledger of {@link TestRows}, behind a query port that is made by the command, by name. */
public final class TestEngine implements QueryPort {
  private static final NodeAddress NODE = new NodeAddress("localhost", 7800);
  private static final List<Message.Fetch> REQUESTS = new CopyOnWriteArrayList<>();
  private static volatile UnaryOperator<List<CanonicalRow>> history = UnaryOperator.identity();
  private static volatile Position floor = Position.ORIGIN;

  /** Forgets what earlier tests set. */
  static void reset() {
    REQUESTS.clear();
    history = UnaryOperator.identity();
    floor = Position.ORIGIN;
  }

  /** From now on a batch's rows are others. */
  static void withHistory(UnaryOperator<List<CanonicalRow>> other) {
    history = other;
  }

  /** From now on everything at or below this is gone. */
  static void withFloor(Position reclaimed) {
    floor = reclaimed;
  }

  static List<Message.Fetch> requests() {
    return REQUESTS;
  }

  @Override
  public void configure(Map<String, ?> properties) {}

  @Override
  public Message.Welcome open(NodeAddress node, String client, Optional<String> cluster) {
    return new Message.Welcome(
        1,
        "cluster-1",
        "n1",
        Message.Role.LEADER,
        1,
        "",
        Position.batchEnd(1_000),
        1 << 24,
        100,
        0);
  }

  @Override
  public Message.Page fetch(Message.Fetch request) throws ErrorReplyException {
    REQUESTS.add(request);
    refuseReclaimed(request.after());
    List<CanonicalRow> rows = new ArrayList<>();
    Position until = request.until().orElseThrow();
    Position covered = request.after();
    long batch = request.after().globalBatchSeq() + (request.after().isBatchEnd() ? 1 : 0);
    while (!covered.equals(until) && rows.size() < request.maxRecords()) {
      if (batch % request.partitionCount() == request.partition()) {
        for (CanonicalRow row : history.apply(TestRows.batch(batch))) {
          if (row.position().isAfter(request.after()) && row.position().isAtOrBelow(until)) {
            rows.add(row);
          }
        }
      }
      covered = Position.min(until, Position.batchEnd(batch));
      batch++;
    }
    return new Message.Page(
        1,
        request.after(),
        covered,
        Position.batchEnd(1_000),
        floor,
        0,
        Message.PageFlags.NONE,
        Message.GroupStatus.NONE,
        rows);
  }

  @Override
  public Message.Acked ack(Message.Ack request) {
    throw new AssertionError("a repair acks nothing");
  }

  @Override
  public Message.StatePage state(Message.State request) throws ErrorReplyException {
    refuseReclaimed(request.asOf());
    List<CanonicalRow> all =
        TestRows.state(request.asOf().globalBatchSeq()).stream()
            .filter(row -> row.kind().code() == 2 + request.kind().ordinal())
            .toList();
    int from = request.cursor().isEmpty() ? 0 : Integer.parseInt(request.cursor());
    int to = Math.min(all.size(), from + 3);
    return new Message.StatePage(
        request.asOf(), all.subList(from, to), to < all.size() ? Integer.toString(to) : "");
  }

  @Override
  public Message.StatusOk status() {
    return new Message.StatusOk(
        Message.Role.LEADER, 1, "", Position.batchEnd(1_000), floor, List.of(), List.of());
  }

  private static void refuseReclaimed(Position requested) throws ErrorReplyException {
    if (floor.isAfter(requested)) {
      throw new ErrorReplyException(
          NODE,
          new Message.ErrorReply(
              ErrorCode.ERR_EXPORT_RANGE_RECLAIMED,
              0,
              "gone",
              "",
              Optional.of(requested),
              Optional.of(floor),
              0));
    }
  }

  @Override
  public void close() {}
}
