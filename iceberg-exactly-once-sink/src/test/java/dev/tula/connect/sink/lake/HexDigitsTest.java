package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class HexDigitsTest {
  @Property
  void digits_are_those_of_the_platform(
      @ForAll @Size(64) byte[] raw, @ForAll @IntRange(max = 32) int at) {
    for (int width : new int[] {16, 32}) {
      byte[] hex = new byte[width * 2];
      HexDigits.write(raw, at, hex);

      assertThat(new String(hex, StandardCharsets.US_ASCII))
          .isEqualTo(HexFormat.of().formatHex(raw, at, at + width));
    }
  }
}
