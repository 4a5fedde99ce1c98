package dev.tula.connect.lake.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.RepairEvent.RepairedRange;
import dev.tula.connect.model.event.TableEvent;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TableLogTest {
  private final Differences differences = new Differences();

  private TableLog log(Map<Range, RepairedRange> repairs) {
    return new TableLog(
        "uuid",
        Position.ORIGIN,
        true,
        repairs,
        KeptSnapshots.none(),
        TableLog.RangeListener.NONE,
        differences);
  }

  /** Ranges of one batch each, the i-th with i rows. */
  private static List<TableEvent> events(int count) {
    List<TableEvent> events = new ArrayList<>();
    Chain chain = Chain.ZERO;
    long total = 0;
    for (int i = 1; i <= count; i++) {
      String digest = String.format("%064x", i);
      chain = chain.next(digest);
      total += i;
      events.add(event(i - 1, i, digest, chain, i, total));
    }
    return events;
  }

  private static TableEvent event(
      long from, long to, String digest, Chain chain, long rows, long total) {
    return new TableEvent(
        new EventIdentity("p", "c", 1, 0, 1),
        "transactions",
        "uuid",
        Position.batchEnd(from),
        Position.batchEnd(to),
        digest,
        chain.toString(),
        rows,
        Optional.of(BigInteger.valueOf(10 * rows)),
        total,
        5,
        1,
        1);
  }

  /** Compaction may leave any event in the place of a copy of it that came later. */
  @Property(tries = 300)
  void events_in_any_order_and_repeated_add_up_to_the_same(
      @ForAll @IntRange(min = 1, max = 40) int count, @ForAll long seed) {
    List<TableEvent> inOrder = events(count);
    List<TableEvent> shuffled = new ArrayList<>(inOrder);
    shuffled.addAll(inOrder.subList(0, count / 2));
    Collections.shuffle(shuffled, new Random(seed));
    Differences found = new Differences();
    TableLog log =
        new TableLog(
            "uuid",
            Position.ORIGIN,
            true,
            Map.of(),
            KeptSnapshots.none(),
            TableLog.RangeListener.NONE,
            found);

    shuffled.forEach(log::accept);
    log.finish();

    assertThat(found.toList()).isEmpty();
    assertThat(log.ranges()).isEqualTo(count);
    assertThat(log.rows()).isEqualTo((long) count * (count + 1) / 2);
    assertThat(log.amountSum()).isEqualTo(BigInteger.valueOf(10 * log.rows()));
    assertThat(log.chain().toString()).isEqualTo(inOrder.get(count - 1).chain());
    assertThat(log.end()).isEqualTo(Position.batchEnd(count));
  }

  @Test
  void the_newest_repair_of_a_range_says_what_is_in_it_and_the_chain_stays() {
    Range second = new Range(Position.batchEnd(1), Position.batchEnd(2));
    TableLog log =
        log(
            Map.of(
                second,
                new RepairedRange(
                    second.from(), second.to(), "ab".repeat(32), 7, Optional.of(BigInteger.TWO))));

    events(3).forEach(log::accept);
    log.finish();

    assertThat(differences.toList()).isEmpty();
    assertThat(log.rows()).isEqualTo(1 + 7 + 3);
    assertThat(log.amountSum()).isEqualTo(BigInteger.valueOf(10 + 2 + 30));
    assertThat(log.repairedRanges()).isEqualTo(1);
    assertThat(log.chain().toString()).isEqualTo(events(3).get(2).chain());
  }

  @Test
  void a_range_that_overlaps_others_is_a_difference() {
    TableLog log = log(Map.of());
    events(3).forEach(log::accept);

    log.accept(event(1, 5, "ab".repeat(32), Chain.ZERO, 1, 1));

    assertThat(differences.toList())
        .containsExactly(
            "the commit log has the range (1:2147483647, 5:2147483647] where its ranges had come to"
                + " 3:2147483647 already");
  }

  @Test
  void a_total_that_does_not_add_up_is_a_difference() {
    TableLog log = log(Map.of());
    TableEvent event = events(1).get(0);

    log.accept(event(0, 1, event.digest(), Chain.parse(event.chain()), 1, 2));

    assertThat(differences.toList())
        .containsExactly(
            "the commit log counts 1 rows up to 1:2147483647, and the event of that range says 2");
  }

  @Test
  void a_digest_that_is_not_hex_is_a_difference() {
    TableLog log = log(Map.of());

    log.accept(event(0, 1, "xyz", Chain.ZERO, 1, 1));

    assertThat(differences.toList()).anyMatch(what -> what.contains("is not hex"));
  }

  @Test
  void of_many_differences_the_first_are_kept_and_the_others_counted() {
    for (int i = 0; i < 25; i++) {
      differences.add("difference " + i);
    }

    assertThat(differences.toList()).hasSize(21).startsWith("difference 0").endsWith("and 5 more");
  }
}
