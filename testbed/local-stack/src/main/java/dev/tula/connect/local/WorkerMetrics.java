package dev.tula.connect.local;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads the connectors' MBeans in a running worker. It attaches to the process, which only the same
 * user can, so that no open JMX port is needed.
 *
 * <p>For one thread.
 */
public final class WorkerMetrics implements AutoCloseable {
  /** Without the client's own heartbeat, which would report a killed worker on standard error. */
  private static final Map<String, Long> CLIENT =
      Map.of("jmx.remote.x.client.connection.check.period", 0L);

  private final JMXConnector connector;
  private final MBeanServerConnection beans;

  private WorkerMetrics(JMXConnector connector) throws IOException {
    this.connector = connector;
    this.beans = connector.getMBeanServerConnection();
  }

  /**
   * The metrics of one task's export partition.
   *
   * @param type {@code source-task} or {@code sink-task}
   * @param connector the connector's name
   * @param partition the export partition
   * @param values its attributes by name, numbers and texts
   */
  public record TaskMetrics(
      String type, String connector, int partition, Map<String, Object> values) {
    /** The value of a counter or position; 0 where there is none. */
    public long count(String metric) {
      return values.get(metric) instanceof Number number ? number.longValue() : 0;
    }
  }

  /**
   * Attaches to a process.
   *
   * @throws IOException if it is gone, or not ready for it yet
   */
  // Error Prone warns of deserializing what a stranger sends; the address comes from this user's
  // own
  // process, through the attach channel.
  @SuppressWarnings("BanJNDI")
  public static WorkerMetrics attach(long pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        String address = machine.startLocalManagementAgent();
        return new WorkerMetrics(JMXConnectorFactory.connect(new JMXServiceURL(address), CLIENT));
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("process " + pid + " does not let itself be attached to", e);
    }
  }

  /**
   * The metrics of every task and export partition in the worker.
   *
   * @throws IOException if the worker is gone
   */
  public List<TaskMetrics> read() throws IOException {
    try {
      List<TaskMetrics> all = new ArrayList<>();
      for (ObjectName name : beans.queryNames(new ObjectName("tula.connect:*"), null)) {
        read(name).ifPresent(all::add);
      }
      return all;
    } catch (JMException e) {
      throw new IOException("reading the worker's MBeans failed", e);
    }
  }

  /**
   * The attributes of every bean of a type, by name.
   *
   * @throws IOException if the worker is gone
   */
  public List<Map<String, Object>> valuesOf(String type) throws IOException {
    try {
      List<Map<String, Object>> all = new ArrayList<>();
      for (ObjectName name :
          beans.queryNames(new ObjectName("tula.connect:type=" + type + ",*"), null)) {
        all.add(values(name));
      }
      return all;
    } catch (JMException e) {
      throw new IOException("reading the worker's MBeans failed", e);
    }
  }

  /**
   * The most that the worker's heap can be, in bytes, as its own JVM says.
   *
   * @throws IOException if the worker is gone
   */
  long maxHeapBytes() throws IOException {
    try {
      Object usage =
          beans.getAttribute(
              new ObjectName(ManagementFactory.MEMORY_MXBEAN_NAME), "HeapMemoryUsage");
      return MemoryUsage.from((CompositeData) usage).getMax();
    } catch (JMException e) {
      throw new IOException("reading the worker's heap failed", e);
    }
  }

  private Optional<TaskMetrics> read(ObjectName name) throws JMException, IOException {
    String partition = name.getKeyProperty("partition");
    if (partition == null) {
      return Optional.empty();
    }
    return Optional.of(
        new TaskMetrics(
            name.getKeyProperty("type"),
            unquoted(name.getKeyProperty("connector")),
            Integer.parseInt(unquoted(partition)),
            values(name)));
  }

  private Map<String, Object> values(ObjectName name) throws JMException, IOException {
    List<String> names = new ArrayList<>();
    for (MBeanAttributeInfo attribute : beans.getMBeanInfo(name).getAttributes()) {
      names.add(attribute.getName());
    }
    Map<String, Object> values = new HashMap<>();
    beans
        .getAttributes(name, names.toArray(String[]::new))
        .asList()
        .forEach(
            attribute -> {
              if (attribute.getValue() != null) {
                values.put(attribute.getName(), attribute.getValue());
              }
            });
    return Map.copyOf(values);
  }

  private static String unquoted(String value) {
    return value.startsWith("\"") ? ObjectName.unquote(value) : value;
  }

  @Override
  public void close() throws IOException {
    connector.close();
  }
}
