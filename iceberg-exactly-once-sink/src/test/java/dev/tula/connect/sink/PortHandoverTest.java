package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class PortHandoverTest {
  private final SinkBench.World world = new SinkBench.World(0, 1);
  private final PortHandover handover = new PortHandover();
  private int closed;
  private int arrivals;
  private final PartitionPorts ports =
      new PartitionPorts(world, world, Optional.empty(), () -> closed++);

  @Test
  void what_is_taken_is_the_writers_to_close() {
    handover.give(ports, () -> arrivals++);

    assertThat(handover.take()).isSameAs(ports);
    handover.end();

    assertThat(arrivals).isEqualTo(1);
    assertThat(closed).isZero();
  }

  @Test
  void what_is_given_and_never_taken_is_closed_at_the_end() {
    handover.give(ports, () -> arrivals++);

    handover.end();

    assertThat(closed).isEqualTo(1);
    assertThat(handover.take()).isNull();
  }

  @Test
  void what_comes_after_the_end_is_closed_at_once_and_nobody_is_told() {
    handover.end();

    handover.give(ports, () -> arrivals++);

    assertThat(closed).isEqualTo(1);
    assertThat(arrivals).isZero();
  }
}
