package dev.tula.connect.queryport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

class LimitedLogTest {
  @Test
  void it_warns_at_most_once_a_minute() {
    ManualClock clock = new ManualClock();
    LimitedLog log = new LimitedLog(NOPLogger.NOP_LOGGER, clock);
    assertThat(log.warn("a")).isTrue();
    clock.advance(59_999);
    assertThat(log.warn("a")).isFalse();
    clock.advance(1);
    assertThat(log.warn("a")).isTrue();
  }
}
