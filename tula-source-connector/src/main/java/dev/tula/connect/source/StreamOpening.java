package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.LeaderClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where a task session takes up an export partition's stream, and with which items it opens: a
 * START record if there is no source offset yet, and always a coverage record of no width (C12).
 *
 * @param position where the session goes on
 * @param closedThroughMicros the time that is closed there, µs
 * @param items what the session opens with
 */
record StreamOpening(Position position, long closedThroughMicros, List<StreamItem> items) {
  /** The floor may move on between asking for it and reading from it. */
  private static final int FLOOR_ATTEMPTS = 5;

  /**
   * Takes the stream up.
   *
   * @param offset the source offset, if there is one, of this very identity
   * @throws ExportFailure if the engine no longer has what follows
   */
  static StreamOpening open(
      SourceConfig config,
      StreamIdentity identity,
      Optional<SourceOffset> offset,
      LeaderClient client,
      FetchRequests requests)
      throws InterruptedException {
    if (offset.isPresent()) {
      Message.Page page = client.fetch(requests.at(offset.get().position()));
      return resumed(identity, checkedEmpty(page, offset.get().position()));
    }
    Optional<Position> configured = config.startPosition();
    return configured.isPresent()
        ? started(identity, configured.get(), client, requests)
        : atFloor(client, floor -> started(identity, floor, client, requests));
  }

  /** Opens a stream at a position. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens it.
     *
     * @throws ExportFailure if the engine no longer has what follows
     */
    StreamOpening at(Position position) throws InterruptedException;
  }

  /** Opens a stream at the engine's floor, which may move on before it is read from. */
  static StreamOpening atFloor(LeaderClient client, Opener opener) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return opener.at(client.status().reclaimFloor().endOfBatch());
      } catch (ExportFailure e) {
        if (e.code() != FailureCode.RANGE_RECLAIMED || attempt == FLOOR_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Opens a stream that begins at {@code from}, with START. */
  static StreamOpening started(
      StreamIdentity identity, Position from, LeaderClient client, FetchRequests requests)
      throws InterruptedException {
    Message.Page page = checkedEmpty(client.fetch(requests.at(from)), from);
    StreamOpening resumed = resumed(identity, page);
    List<StreamItem> items = new ArrayList<>();
    items.add(new StreamItem.Start(from, page.closedThroughMicros(), identity));
    items.addAll(resumed.items());
    return new StreamOpening(from, page.closedThroughMicros(), List.copyOf(items));
  }

  private static StreamOpening resumed(StreamIdentity identity, Message.Page page) {
    Position at = page.coveredTo();
    long closed = page.closedThroughMicros();
    return new StreamOpening(
        at, closed, List.of(new StreamItem.Coverage(at, at, closed, identity)));
  }

  /** Demands that a page at a position is what was asked for: one that covers nothing. */
  static Message.Page checkedEmpty(Message.Page page, Position at) {
    if (!page.coveredFrom().equals(at)
        || !page.coveredTo().equals(at)
        || !page.records().isEmpty()) {
      throw new ExportFailure(
          FailureCode.CONTRACT,
          "an empty page at "
              + at
              + " was asked for, and the engine covered from "
              + page.coveredFrom()
              + " to "
              + page.coveredTo()
              + " with "
              + page.records().size()
              + " records");
    }
    return page;
  }
}
