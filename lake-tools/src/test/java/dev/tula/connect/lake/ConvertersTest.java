package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.Position;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** The values of options. */
class ConvertersTest {
  @Test
  void spans_of_time_have_one_unit() {
    DurationConverter converter = new DurationConverter();

    assertThat(converter.convert("5d")).isEqualTo(Duration.ofDays(5));
    assertThat(converter.convert("12h")).isEqualTo(Duration.ofHours(12));
    assertThat(converter.convert("30m")).isEqualTo(Duration.ofMinutes(30));
    assertThat(converter.convert("0s")).isEqualTo(Duration.ZERO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "d", "-5d", "5w", "1h30m", "99999999d"})
  void anything_else_is_no_span_of_time(String text) {
    assertThatThrownBy(() -> new DurationConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("write 5d, 12h, 30m or 90s");
  }

  @Test
  void sizes_go_by_powers_of_1024() {
    BytesConverter converter = new BytesConverter();

    assertThat(converter.convert("65536")).isEqualTo(65_536);
    assertThat(converter.convert("64k")).isEqualTo(65_536);
    assertThat(converter.convert("512MB")).isEqualTo(512L << 20);
    assertThat(converter.convert("2g")).isEqualTo(2L << 30);
    assertThatThrownBy(() -> converter.convert("big")).isInstanceOf(TypeConversionException.class);
    assertThatThrownBy(() -> converter.convert("1t")).isInstanceOf(TypeConversionException.class);
  }

  @Test
  void batch_alone_is_its_end_and_0_is_before_everything() {
    PositionConverter converter = new PositionConverter();

    assertThat(converter.convert("41")).isEqualTo(Position.batchEnd(41));
    assertThat(converter.convert("0")).isEqualTo(Position.ORIGIN);
    assertThat(converter.convert("41:7")).isEqualTo(new Position(41, 7));
    for (String wrong : new String[] {"", "x", "-1", "41:", "0:7"}) {
      assertThatThrownBy(() -> converter.convert(wrong))
          .isInstanceOf(TypeConversionException.class)
          .hasMessageContaining("is no position");
    }
  }
}
