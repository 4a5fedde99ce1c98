package dev.tula.connect.refnode.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IdentityIndexTest {
  private static final int IDENTITIES = 300_000;

  private final IdentityIndex index = new IdentityIndex();

  @Test
  void every_identity_is_found_at_its_place_and_no_other_is() {
    for (int i = 0; i < IDENTITIES; i++) {
      index.put(Mix.mix(i), i);
    }
    assertThat(index.size()).isEqualTo(IDENTITIES);
    for (int i = 0; i < IDENTITIES; i++) {
      assertThat(index.find(Mix.mix(i), locator -> true)).isEqualTo(i);
    }
    for (int i = IDENTITIES; i < 2 * IDENTITIES; i++) {
      assertThat(index.find(Mix.mix(i), locator -> true)).isEqualTo(IdentityIndex.NOT_FOUND);
    }
  }

  @Test
  void a_fingerprint_that_several_share_decides_nothing() {
    for (long fingerprint : new long[] {0, 1, -1, 42}) {
      for (int locator = 0; locator < 100; locator++) {
        index.put(fingerprint, locator);
      }
      for (int locator = 0; locator < 100; locator++) {
        int wanted = locator;
        assertThat(index.find(fingerprint, found -> found == wanted)).isEqualTo(wanted);
      }
      assertThat(index.find(fingerprint, found -> false)).isEqualTo(IdentityIndex.NOT_FOUND);
    }
  }
}
