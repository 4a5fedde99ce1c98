package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class PageQueueTest {
  @Test
  void a_page_leaves_in_parts_and_the_last_one_says_so() throws Exception {
    PageQueue queue = new PageQueue(1_000, 2);
    List<SourceRecord> page = page(5);
    queue.offer(page, 100, 0);
    queue.offer(page(1), 100, 0);
    List<RecordBatch> parts = new ArrayList<>();
    for (Optional<RecordBatch> part = queue.poll(0); part.isPresent(); part = queue.poll(0)) {
      parts.add(part.get());
    }
    assertThat(parts).extracting(part -> part.records().size()).containsExactly(2, 2, 1, 1);
    assertThat(parts).extracting(RecordBatch::endsPage).containsExactly(false, false, true, true);
    assertThat(parts.subList(0, 3))
        .flatExtracting(RecordBatch::records)
        .containsExactlyElementsOf(page);
    assertThat(parts.get(2).last()).isSameAs(page.get(4));
  }

  @Test
  void it_is_bounded_by_bytes_that_are_free_again_once_a_page_has_left() throws Exception {
    PageQueue queue = new PageQueue(100, 2);
    assertThat(queue.offer(page(3), 60, 0)).isTrue();
    assertThat(queue.offer(page(1), 60, 0)).isFalse();
    queue.poll(0);
    assertThat(queue.offer(page(1), 60, 0)).as("a part of the page is still there").isFalse();
    queue.poll(0);
    assertThat(queue.bytes()).isZero();
    assertThat(queue.offer(page(1), 60, 0)).isTrue();
  }

  @Test
  void one_page_always_fits() throws Exception {
    PageQueue queue = new PageQueue(100, 2);
    assertThat(queue.offer(page(1), 1_000_000, 0)).isTrue();
    assertThat(queue.offer(page(1), 1, 0)).isFalse();
  }

  @Test
  void a_full_queue_lets_a_waiting_page_in_when_there_is_room() throws Exception {
    PageQueue queue = new PageQueue(100, 10);
    queue.offer(page(1), 100, 0);
    CountDownLatch in = new CountDownLatch(1);
    Thread offering =
        new Thread(
            () -> {
              try {
                if (queue.offer(page(2), 100, 20_000)) {
                  in.countDown();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    offering.start();
    queue.poll(0);
    in.await();
    assertThat(queue.poll(20_000).orElseThrow().records()).hasSize(2);
    offering.join();
  }

  @Test
  void a_closed_queue_takes_nothing_and_still_gives_what_is_in_it() throws Exception {
    PageQueue queue = new PageQueue(100, 10);
    queue.offer(page(1), 10, 0);
    queue.close();
    assertThat(queue.isClosed()).isTrue();
    assertThat(queue.offer(page(1), 10, 20_000)).isFalse();
    assertThat(queue.poll(0)).isPresent();
    assertThat(queue.poll(20_000)).as("without waiting").isEmpty();
  }

  private static List<SourceRecord> page(int size) {
    List<SourceRecord> records = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      records.add(new SourceRecord(Map.of(), Map.of("i", i), "t", 0, null, null, null, "v" + i));
    }
    return records;
  }
}
