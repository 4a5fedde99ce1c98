package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.claim;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.LakeException;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClockTest {
  private static final Pattern TIME =
      Pattern.compile("(\"(?:timestamp-ms|last-updated-ms)\"\\s*:\\s*)([0-9]+)");

  @TempDir Path folder;

  private static String later(String json, long millis) {
    return TIME.matcher(json).replaceAll((MatchResult time) -> shifted(time, millis));
  }

  private static String shifted(MatchResult time, long millis) {
    return time.group(1) + (Long.parseLong(time.group(2)) + millis);
  }

  @Test
  @DisplayName("C23: a clock that is behind is named, and the commit is tried again, not halted")
  void commit_by_a_clock_behind_the_tables_last_commit_may_pass_and_names_the_clock() {
    try (LakeFixture fixture = LakeFixture.in(folder).opened()) {
      ForeignEngine.forge(fixture, TABLE, json -> later(json, 600_000));

      assertThatThrownBy(() -> fixture.claim(TABLE, claim(2)))
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
          .hasMessageContainingAll("transactions", "clock");
      assertThat(fixture.state().claim()).isEqualTo(claim(1));
    }
  }

  @Test
  @DisplayName("C23: less than a minute is let pass, as Iceberg does")
  void commit_by_a_clock_a_little_behind_lands() {
    try (LakeFixture fixture = LakeFixture.in(folder).opened()) {
      ForeignEngine.forge(fixture, TABLE, json -> later(json, 30_000));

      assertThat(fixture.claim(TABLE, claim(2))).isInstanceOf(Landed.class);
    }
  }
}
