package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

class Utf8Test {
  @Provide
  Arbitrary<String> strings() {
    return LedgerArbitraries.strings();
  }

  @Provide
  Arbitrary<byte[]> bytes() {
    Arbitrary<Byte> mostlyAscii =
        Arbitraries.frequencyOf(
            Tuple.of(9, Arbitraries.bytes().between((byte) 0, (byte) 127)),
            Tuple.of(1, Arbitraries.bytes()));
    return mostlyAscii.array(byte[].class).ofMaxSize(30);
  }

  @Property
  void strings_keep_their_characters(@ForAll("strings") String value) {
    byte[] utf8 = Utf8.encode(value);
    assertThat(utf8).isEqualTo(value.getBytes(StandardCharsets.UTF_8)).hasSize(Utf8.length(value));
    assertThat(Utf8.decode(utf8, 0, utf8.length)).isEqualTo(value);
  }

  /** Bytes are UTF-8 exactly if Java's lenient conversion there and back changes nothing. */
  @Property(tries = 5_000)
  void bytes_are_read_exactly_where_they_are_utf8(@ForAll("bytes") byte[] bytes) {
    String lenient = new String(bytes, StandardCharsets.UTF_8);
    if (Arrays.equals(lenient.getBytes(StandardCharsets.UTF_8), bytes)) {
      assertThat(Utf8.decode(bytes, 0, bytes.length)).isEqualTo(lenient);
      Utf8.check(bytes, 0, bytes.length);
    } else {
      assertThatExceptionOfType(MalformedRecordException.class)
          .isThrownBy(() -> Utf8.decode(bytes, 0, bytes.length));
      assertThatExceptionOfType(MalformedRecordException.class)
          .isThrownBy(() -> Utf8.check(bytes, 0, bytes.length));
    }
  }

  /**
   * Every length and place, so that no byte slips past the look at eight at a time, nor is one
   * outside looked at.
   */
  @Test
  void one_bad_byte_is_seen_wherever_it_is_and_none_outside() {
    for (int offset = 0; offset < 18; offset++) {
      for (int length = 0; length < 26; length++) {
        byte[] bytes = new byte[offset + length + 9];
        Arrays.fill(bytes, (byte) 0xFF);
        Arrays.fill(bytes, offset, offset + length, (byte) 'a');
        assertThat(Utf8.decode(bytes, offset, length)).isEqualTo("a".repeat(length));
        for (int bad = offset; bad < offset + length; bad++) {
          bytes[bad] = (byte) 0x80;
          assertRefused(bytes, offset, length);
          bytes[bad] = 'a';
        }
      }
    }
  }

  private static void assertRefused(byte[] bytes, int offset, int length) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> Utf8.check(bytes, offset, length))
        .withMessageContaining("UTF-8");
  }

  @Test
  void half_a_character_is_refused_both_ways() {
    for (String value :
        List.of("\uD800", "a\uDC00", "\uDC00\uD800", "\uD800\uD800\uDC00", "x\uDBFF")) {
      assertThatExceptionOfType(MalformedRecordException.class)
          .isThrownBy(() -> Utf8.encode(value))
          .withMessageContaining("half a character");
    }
    byte[] surrogate = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};
    assertRefused(surrogate, 0, 3);
  }
}
