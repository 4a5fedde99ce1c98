package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.wire.Message;
import java.util.Optional;

/** Makes the FETCH requests of one export partition. Immutable. */
final class FetchRequests {
  private final SourceConfig config;
  private final StreamIdentity identity;
  private final Message.FetchOptions options;

  FetchRequests(SourceConfig config, StreamIdentity identity) {
    this.config = config;
    this.identity = identity;
    this.options = config.fetchOptions();
  }

  /** The next page after a position; waits for one. */
  Message.Fetch after(Position position) {
    return request(position, Optional.empty(), config.fetchWaitMs());
  }

  /**
   * Nothing but what is closed at a position, at once. Takes the lease there, or keeps it alive.
   */
  Message.Fetch at(Position position) {
    return request(position, Optional.of(position), 0);
  }

  private Message.Fetch request(Position after, Optional<Position> until, int waitMs) {
    return new Message.Fetch(
        identity.pipeline(),
        identity.generation(),
        identity.partition(),
        identity.partitionCount(),
        after,
        until,
        config.pageMaxRecords(),
        config.pageMaxBytes(),
        waitMs,
        options);
  }
}
