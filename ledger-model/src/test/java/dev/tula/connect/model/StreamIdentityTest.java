package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StreamIdentityTest {
  private static final StreamIdentity HERE = new StreamIdentity("c", "p", 1, 0, 2, true, false);

  @Test
  void a_difference_is_told_under_the_key_that_it_is_configured_with() {
    assertThat(HERE.differencesTo(HERE)).isEmpty();
    assertThat(HERE.differencesTo(new StreamIdentity("c", "q", 1, 0, 2, true, false)))
        .isEqualTo("tula.pipeline is q there and p here");
    assertThat(HERE.differencesTo(new StreamIdentity("d", "p", 2, 1, 4, true, true)))
        .isEqualTo(
            "tula.cluster.id is d there and c here, tula.generation is 2 there and 1 here,"
                + " tula.partition.count is 4 there and 2 here, the partition is 1 there and 0"
                + " here, tula.full.txn.record is true there and false here");
    assertThat(HERE.differencesTo(new StreamIdentity("c", "p", 1, 0, 2, false, false)))
        .isEqualTo("tula.include.metadata is false there and true here");
  }
}
