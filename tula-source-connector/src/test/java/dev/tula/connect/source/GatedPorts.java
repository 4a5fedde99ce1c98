package dev.tula.connect.source;

import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.NodeAddress;
import dev.tula.connect.queryport.QueryPort;
import dev.tula.connect.queryport.QueryPortException;
import dev.tula.connect.queryport.QueryPortFactory;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Connections of one task, all of which a test can let fail from some moment on. */
final class GatedPorts implements QueryPortFactory {
  private final QueryPortFactory real;
  private final Set<QueryPort> open = ConcurrentHashMap.newKeySet();
  private volatile QueryPortException fault;

  GatedPorts(QueryPortFactory real) {
    this.real = real;
  }

  /** Every call fails so, those that are under way too. */
  void fail(QueryPortException with) {
    fault = with;
    open.forEach(QueryPort::close);
  }

  @Override
  public QueryPort create() {
    return new Gate(real.create());
  }

  private final class Gate implements QueryPort {
    private final QueryPort port;

    private Gate(QueryPort port) {
      this.port = port;
      open.add(port);
    }

    private <T> T through(Call<T> call) throws QueryPortException {
      check();
      try {
        return call.get();
      } catch (QueryPortException e) {
        check();
        throw e;
      }
    }

    private void check() throws QueryPortException {
      QueryPortException failing = fault;
      if (failing != null) {
        throw failing;
      }
    }

    @Override
    public void configure(Map<String, ?> properties) {
      port.configure(properties);
    }

    @Override
    public Message.Welcome open(NodeAddress node, String clientName, Optional<String> clusterId)
        throws QueryPortException {
      return through(() -> port.open(node, clientName, clusterId));
    }

    @Override
    public Message.Page fetch(Message.Fetch request) throws QueryPortException {
      return through(() -> port.fetch(request));
    }

    @Override
    public Message.Acked ack(Message.Ack request) throws QueryPortException {
      return through(() -> port.ack(request));
    }

    @Override
    public Message.StatePage state(Message.State request) throws QueryPortException {
      return through(() -> port.state(request));
    }

    @Override
    public Message.StatusOk status() throws QueryPortException {
      return through(port::status);
    }

    @Override
    public void close() {
      open.remove(port);
      port.close();
    }
  }

  private interface Call<T> {
    T get() throws QueryPortException;
  }
}
