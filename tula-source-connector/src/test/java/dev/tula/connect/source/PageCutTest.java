package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.NodeAddress;
import dev.tula.connect.queryport.QueryPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What the sequencer makes of pages that a fake engine cuts at random. */
class PageCutTest {
  @Property(tries = 300)
  void however_pages_are_cut_each_row_comes_once_and_the_chain_has_no_gap(
      @ForAll @IntRange(min = 1, max = 4) int partitionCount,
      @ForAll @IntRange(max = 12) int batches,
      @ForAll @IntRange(min = 1, max = 5) int rowsEach,
      @ForAll long seed)
      throws Exception {
    FakeEngine engine = new FakeEngine().commitBatches(batches, rowsEach);
    List<CanonicalRow> all = new ArrayList<>();
    for (int partition = 0; partition < partitionCount; partition++) {
      List<StreamItem> items = export(engine, partition, partitionCount, new Random(seed));
      Position proven = Position.ORIGIN;
      for (StreamItem item : items) {
        assertThat(item.provesAfter()).as("C12: item %s continues", item).isEqualTo(proven);
        proven = item.provesTo();
        if (item instanceof StreamItem.Row row) {
          all.add(row.row());
        }
      }
      assertThat(proven).isEqualTo(engine.head());
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(engine.truth());
  }

  private static List<StreamItem> export(
      FakeEngine engine, int partition, int partitionCount, Random random) throws Exception {
    PageSequencer sequencer =
        new PageSequencer(
            PageSequencerTest.identity(partition, partitionCount), Position.ORIGIN, -1, true);
    List<StreamItem> items = new ArrayList<>();
    try (QueryPort port = engine.create()) {
      port.open(new NodeAddress("a", 1), "me", Optional.empty());
      while (!sequencer.proven().equals(engine.head())) {
        Message.Page page =
            port.fetch(fetch(sequencer.proven(), partition, partitionCount, 1 + random.nextInt(4)));
        sequencer.accept(page, (item, provesTo) -> items.add(item));
      }
    }
    return items;
  }

  private static Message.Fetch fetch(Position after, int partition, int count, int maxRecords) {
    return new Message.Fetch(
        "p",
        1,
        partition,
        count,
        after,
        Optional.empty(),
        maxRecords,
        1 << 20,
        0,
        new Message.FetchOptions(false, false, false, false, false));
  }
}
