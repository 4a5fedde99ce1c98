package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SourcePartitionTest {
  @Test
  void its_form_has_one_order_because_connect_finds_offsets_by_its_bytes() {
    SourcePartition partition = new SourcePartition("ledger", 2, 3, 4);

    assertThat(partition.asMap().toString())
        .isEqualTo("{pipeline=ledger, generation=2, partition=3, partition_count=4}");
    assertThat(SourcePartition.parse(partition.asMap())).isEqualTo(partition);
  }
}
