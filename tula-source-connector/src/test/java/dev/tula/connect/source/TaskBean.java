package dev.tula.connect.source;

import dev.tula.connect.model.metrics.MBeanRegistration;
import java.lang.management.ManagementFactory;
import javax.management.JMException;

/** What tasks say of themselves by JMX. */
final class TaskBean {
  private TaskBean() {}

  /** An attribute of a partition's MBean of a connector's first task. */
  static Object attribute(String connector, int partition, String name) {
    return attribute(connector, 0, partition, name);
  }

  /** An attribute of a partition's MBean. */
  static Object attribute(String connector, int task, int partition, String name) {
    try {
      return ManagementFactory.getPlatformMBeanServer()
          .getAttribute(MBeanRegistration.nameOf("source-task", connector, task, partition), name);
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }
}
