package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.queryport.ClientObserver;
import dev.tula.connect.queryport.ManualClock;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class MBeanRegistrationTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

  @Test
  void a_late_dying_task_does_not_remove_its_successor_s_bean() throws Exception {
    ObjectName name = MBeanRegistration.nameOf("source-task", "late dying", 0, 1);
    PartitionMetrics old = metrics();
    PartitionMetrics successor = metrics();
    MBeanRegistration second = registerBoth(name, old, successor);
    assertThat(SERVER.getAttribute(name, "InstanceId")).isEqualTo(successor.getInstanceId());
    second.close();
    assertThat(SERVER.isRegistered(name)).isFalse();
  }

  private static MBeanRegistration registerBoth(
      ObjectName name, PartitionMetrics old, PartitionMetrics successor) {
    MBeanRegistration first = MBeanRegistration.register(name, old);
    MBeanRegistration second = MBeanRegistration.register(name, successor);
    first.close();
    return second;
  }

  @Test
  void a_bean_that_somebody_removed_is_no_error() throws Exception {
    ObjectName name = MBeanRegistration.nameOf("source-task", "removed", 0, 0);
    MBeanRegistration registration = MBeanRegistration.register(name, metrics());
    SERVER.unregisterMBean(name);
    registration.close();
    assertThat(SERVER.isRegistered(name)).isFalse();
  }

  @Test
  void a_connector_may_have_any_name() {
    assertThat(
            MBeanRegistration.nameOf("source-task", "a,b=c:*?\"", 3, 4).getKeyProperty("partition"))
        .isEqualTo("4");
    assertThat(MBeanRegistration.nameOf("source-task", "plain", 3, 4).toString())
        .isEqualTo("tula.connect:type=source-task,connector=plain,task=3,partition=4");
  }

  @Test
  void the_names_that_operations_rely_on_are_there() throws Exception {
    ObjectName name = MBeanRegistration.nameOf("source-task", "names", 0, 0);
    try (MBeanRegistration registration = MBeanRegistration.register(name, metrics())) {
      assertThat(registration).isNotNull();
      Set<String> attributes = new TreeSet<>();
      Stream.of(SERVER.getMBeanInfo(name).getAttributes())
          .map(MBeanAttributeInfo::getName)
          .forEach(attributes::add);
      assertThat(attributes)
          .contains(
              "Up",
              "Running",
              "LastSuccessUnix",
              "ExportLagBatches",
              "ExportLagSeconds",
              "CheckpointGlobalBatchSeq",
              "AckedGlobalBatchSeq",
              "ExportHeadroomBatches",
              "ExportCursorDetached",
              "ExportRangeReclaimedTotal",
              "ExportGapBatches",
              "ExportFailClosedTotal",
              "ExportErrorsTotal",
              "ExportLeaseNotDurableTotal",
              "ExportNoLeaseTotal",
              "ExportHoldReleasedTotal",
              "PartitionGroupStatus",
              "PartitionGroupMembersPresent",
              "PartitionGroupConflictsTotal",
              "LeaderProbesTotal",
              "RowsTotal",
              "BytesTotal");
      for (String attribute : attributes) {
        assertThat(SERVER.getAttribute(name, attribute)).as(attribute).isNotNull();
      }
    }
  }

  @Test
  void probes_are_counted_by_what_came_of_them() {
    PartitionMetrics metrics = metrics();
    for (ClientObserver.ProbeOutcome outcome : ClientObserver.ProbeOutcome.values()) {
      metrics.onProbe(outcome);
    }
    metrics.onProbe(ClientObserver.ProbeOutcome.FAILED);
    assertThat(metrics.getLeaderProbesTotal()).isEqualTo(4);
    assertThat(metrics.getLeaderProbesNewerTermTotal()).isEqualTo(1);
    assertThat(metrics.getLeaderProbesFailedTotal()).isEqualTo(2);
  }

  private static PartitionMetrics metrics() {
    return new PartitionMetrics(
        new SourceConfig(Configs.ofTask(1, "0")), () -> 0, new ManualClock());
  }
}
