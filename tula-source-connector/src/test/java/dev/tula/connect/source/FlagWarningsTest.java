package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.CapturedLog;
import dev.tula.connect.queryport.ManualClock;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;

/** The three advisory flags: every page counts, and the log hears of each once a minute. */
class FlagWarningsTest {
  private final ManualClock clock = new ManualClock();
  private final SourceConfig config = new SourceConfig(Configs.ofTask(1, "0"));

  @Test
  void each_flag_is_counted_per_page_and_logged_at_most_once_a_minute() {
    FlagWarnings warnings = new FlagWarnings(config.identity(0), false, clock);
    PartitionMetrics metrics = new PartitionMetrics(config, () -> 0, clock);
    int pages = 181;
    try (CapturedLog log = new CapturedLog("dev.tula.connect.source.FlagWarnings", Level.ALL)) {
      for (int second = 0; second < pages; second++) {
        Message.Page page = page(new Message.PageFlags(true, true, true));
        metrics.onPage(page);
        warnings.onPage(page);
        clock.advance(1_000);
      }
      for (String flag : List.of("LEASE_NOT_DURABLE", "EXPORT_HOLD_RELEASED", "NO_LEASE")) {
        assertThat(log.lines().stream().filter(line -> line.contains(flag + ":")))
            .as("at 0, 60, 120 and 180 s")
            .hasSize(4)
            .allMatch(line -> line.startsWith("WARN") && line.contains("Pipeline p, partition 0"));
      }
      assertThat(log.lines()).filteredOn(line -> line.contains("and 59 times since")).hasSize(9);
    }
    assertThat(metrics.getExportLeaseNotDurableTotal()).isEqualTo(pages);
    assertThat(metrics.getExportHoldReleasedTotal()).isEqualTo(pages);
    assertThat(metrics.getExportNoLeaseTotal()).isEqualTo(pages);
    assertThat(metrics.getExportCursorDetached()).isEqualTo(1);
    metrics.onPage(page(Message.PageFlags.NONE));
    assertThat(metrics.getExportCursorDetached()).as("held again").isZero();
  }

  private static Message.Page page(Message.PageFlags flags) {
    return new Message.Page(
        1,
        Position.ORIGIN,
        Position.ORIGIN,
        Position.ORIGIN,
        Position.ORIGIN,
        0,
        flags,
        Message.GroupStatus.NONE,
        List.of());
  }
}
