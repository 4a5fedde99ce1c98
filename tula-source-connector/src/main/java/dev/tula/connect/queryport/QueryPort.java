package dev.tula.connect.queryport;

import dev.tula.connect.model.wire.Message;
import java.util.Optional;
import org.apache.kafka.common.Configurable;

/**
 * One connection to one node's query port. The rest of the project reaches the engine through this
 * interface alone, so that another protocol is one more implementation, named by {@code
 * tula.query.port.class}; an implementation has a public constructor without parameters and is
 * {@linkplain #configure configured} with the connector's properties before anything else.
 *
 * <p>Every call has a deadline of its own and ends by it. After a {@link QueryPortException} that
 * is not an {@link ErrorReplyException} the connection is of no further use. One thread calls at a
 * time; only {@link #close} may come from another thread, and ends a call that is under way.
 */
public interface QueryPort extends Configurable, AutoCloseable {
  /**
   * Connects. Called once.
   *
   * @param node where to
   * @param clientName the owner of the leases that later calls take
   * @param expectedClusterId refuses any other cluster, if given
   * @return what the node says of itself
   */
  Message.Welcome open(NodeAddress node, String clientName, Optional<String> expectedClusterId)
      throws QueryPortException;

  /** Reads a page. Waits for the request's own {@code waitMs} and the request time-out on top. */
  Message.Page fetch(Message.Fetch request) throws QueryPortException;

  /**
   * Tells the leader what is durable downstream. Only a checkpoint may lead here, never a fetch
   * position (I4).
   */
  Message.Acked ack(Message.Ack request) throws QueryPortException;

  /** Reads a page of the state as of a position. */
  Message.StatePage state(Message.State request) throws QueryPortException;

  /** Asks how the node is. Needs no role. */
  Message.StatusOk status() throws QueryPortException;

  /** Ends the connection, and any call that is under way. Safe from any thread, and repeatable. */
  @Override
  void close();
}
