package dev.tula.connect.queryport;

import java.util.List;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Validates a list of node addresses: not empty, not endless, and none of them twice. */
final class NodeAddresses implements ConfigDef.Validator {
  private static final int MAX_NODES = 64;

  @Override
  public void ensureValid(String name, Object value) {
    List<?> texts = value instanceof List<?> list ? list : List.of();
    if (texts.isEmpty()) {
      throw new ConfigException(name, value, "At least one host:port must be given");
    }
    if (texts.size() > MAX_NODES) {
      throw new ConfigException(name, value, "At most " + MAX_NODES + " addresses can be given");
    }
    List<NodeAddress> nodes = texts.stream().map(text -> parsed(name, text)).toList();
    if (nodes.stream().distinct().count() != nodes.size()) {
      throw new ConfigException(name, value, "An address is given twice");
    }
  }

  private static NodeAddress parsed(String name, Object text) {
    try {
      return NodeAddress.parse(text.toString());
    } catch (IllegalArgumentException e) {
      throw new ConfigException(name, text, e.getMessage());
    }
  }

  @Override
  public String toString() {
    return "host:port, …";
  }
}
