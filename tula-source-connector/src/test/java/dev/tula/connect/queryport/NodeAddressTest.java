package dev.tula.connect.queryport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeAddressTest {
  @ParameterizedTest
  @CsvSource({
    "db1:7801, db1, 7801",
    "db1, db1, 7800",
    "' 10.0.0.1:9 ', 10.0.0.1, 9",
    "[::1]:7800, ::1, 7800",
    "[fe80::1], fe80::1, 7800"
  })
  void names_addresses_and_ipv6_are_read(String text, String host, int port) {
    assertThat(NodeAddress.parse(text)).isEqualTo(new NodeAddress(host, port));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":7800",
        "db1:",
        "db1:x",
        "db1:0",
        "db1:65536",
        "db1:-1",
        "::1",
        "[::1",
        "a:1:2"
      })
  void what_is_no_address_is_refused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> NodeAddress.parse(text));
  }

  @Test
  void the_text_form_is_read_back() {
    for (String text : new String[] {"db1:7801", "[::1]:7800"}) {
      assertThat(NodeAddress.parse(text).toString()).isEqualTo(text);
      assertThat(NodeAddress.parse(NodeAddress.parse(text).toString()))
          .isEqualTo(NodeAddress.parse(text));
    }
  }
}
