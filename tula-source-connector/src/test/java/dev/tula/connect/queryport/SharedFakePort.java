package dev.tula.connect.queryport;

import dev.tula.connect.model.wire.Message;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The fake engine for code that makes its connections by {@code tula.query.port.class}: the test
 * says which engine before.
 */
public final class SharedFakePort implements QueryPort {
  private static final AtomicReference<FakeEngine> ENGINE = new AtomicReference<>();

  private final QueryPort port = ENGINE.get().create();

  /** As the interface demands. */
  public SharedFakePort() {}

  /** Says which engine connections lead to from here on. */
  public static void use(FakeEngine engine) {
    ENGINE.set(engine);
  }

  @Override
  public void configure(Map<String, ?> properties) {
    port.configure(properties);
  }

  @Override
  public Message.Welcome open(NodeAddress node, String clientName, Optional<String> clusterId)
      throws QueryPortException {
    return port.open(node, clientName, clusterId);
  }

  @Override
  public Message.Page fetch(Message.Fetch request) throws QueryPortException {
    return port.fetch(request);
  }

  @Override
  public Message.Acked ack(Message.Ack request) throws QueryPortException {
    return port.ack(request);
  }

  @Override
  public Message.StatePage state(Message.State request) throws QueryPortException {
    return port.state(request);
  }

  @Override
  public Message.StatusOk status() throws QueryPortException {
    return port.status();
  }

  @Override
  public void close() {
    port.close();
  }
}
