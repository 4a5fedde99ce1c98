package dev.tula.connect.model.metrics;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.apache.kafka.common.utils.Sanitizer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bean under a name that its predecessor may still hold, and its successor may already hold when
 * this one goes. The newest always wins: registering takes the name over, and closing gives it up
 * only if it is still this bean's. Safe for any thread.
 */
public final class MBeanRegistration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MBeanRegistration.class);
  private static final String INSTANCE_ID = "InstanceId";

  private final MBeanServer server;
  private final ObjectName name;
  private final String instanceId;

  private MBeanRegistration(MBeanServer server, ObjectName name, String instanceId) {
    this.server = server;
    this.name = name;
    this.instanceId = instanceId;
  }

  /**
   * The name of an export partition's bean.
   *
   * @param type {@code source-task} or {@code sink-task}
   * @param task the task's number, as Connect counts them
   */
  public static ObjectName nameOf(String type, String connector, int task, int partition) {
    return name(type, connector, "task=" + task + ",partition=" + partition);
  }

  /**
   * The name of a task's own bean.
   *
   * @param type {@code source-polls}
   * @param task the task's number, as Connect counts them
   */
  public static ObjectName nameOf(String type, String connector, int task) {
    return name(type, connector, "task=" + task);
  }

  private static ObjectName name(String type, String connector, String rest) {
    try {
      return new ObjectName(
          "tula.connect:type="
              + type
              + ",connector="
              + Sanitizer.jmxSanitize(connector)
              + ","
              + rest);
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException("connector name " + connector + " makes no JMX name", e);
    }
  }

  /** Registers a bean in the platform's server. A failure costs the metrics, and nothing else. */
  public static MBeanRegistration register(ObjectName name, TaskBean bean) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    synchronized (server) {
      try {
        if (server.isRegistered(name)) {
          server.unregisterMBean(name);
        }
        server.registerMBean(bean, name);
      } catch (JMException e) {
        LOG.warn("The metrics {} are not to be had", name, e);
      }
    }
    return new MBeanRegistration(server, name, bean.getInstanceId());
  }

  /** Removes the bean, unless another has the name by now. */
  @Override
  public void close() {
    synchronized (server) {
      try {
        if (instanceId.equals(server.getAttribute(name, INSTANCE_ID))) {
          server.unregisterMBean(name);
        }
      } catch (InstanceNotFoundException e) {
        LOG.debug("The metrics {} were removed already", name);
      } catch (JMException e) {
        LOG.warn("The metrics {} could not be removed", name, e);
      }
    }
  }
}
