package dev.tula.connect.sink;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer's bean under a name that its predecessor may still hold, and its successor may already
 * hold when this one goes. The newest always wins: registering takes the name over, and closing
 * gives it up only if it is still this bean's.
 */
final class MetricsRegistration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsRegistration.class);

  private final MBeanServer server;
  private final ObjectName name;
  private final String instanceId;

  private MetricsRegistration(MBeanServer server, ObjectName name, String instanceId) {
    this.server = server;
    this.name = name;
    this.instanceId = instanceId;
  }

  static MetricsRegistration register(
      String connector, String task, int partition, SinkPartitionMXBean bean) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = nameOf(connector, task, partition);
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
    return new MetricsRegistration(server, name, bean.getInstanceId());
  }

  private static ObjectName nameOf(String connector, String task, int partition) {
    try {
      return new ObjectName(
          "tula.connect:type=sink-task,connector="
              + ObjectName.quote(connector)
              + ",task="
              + task
              + ",partition="
              + partition);
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException("connector name " + connector + " makes no JMX name", e);
    }
  }

  @Override
  public void close() {
    synchronized (server) {
      try {
        if (instanceId.equals(server.getAttribute(name, "InstanceId"))) {
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
