package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class FileThreadsTest {
  private static final int THREADS = 4;
  private static final long LIMIT_S = 60;
  private static final long A_WHILE_MS = 100;

  private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);
  private final FileThreads threads = new FileThreads(pool, THREADS);
  private final CountDownLatch released = new CountDownLatch(1);
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore done = new Semaphore(0);
  private final AtomicInteger hanging = new AtomicInteger();

  @AfterEach
  void close() {
    released.countDown();
    threads.close();
  }

  private void hang(FileThreads.Share share, int files) {
    for (int i = 0; i < files; i++) {
      share.execute(
          () -> {
            hanging.incrementAndGet();
            begun.release();
            await();
            hanging.decrementAndGet();
          });
    }
  }

  private void await() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void assertAreWritten(FileThreads.Share share, int files) throws Exception {
    for (int i = 0; i < files; i++) {
      share.execute(done::release);
    }
    assertThat(done.tryAcquire(files, LIMIT_S, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void a_partition_that_is_alone_has_all_threads() throws Exception {
    hang(threads.open(), THREADS + 1);

    assertThat(begun.tryAcquire(THREADS, LIMIT_S, TimeUnit.SECONDS)).isTrue();
    assertThat(begun.tryAcquire(A_WHILE_MS, TimeUnit.MILLISECONDS)).isFalse();
  }

  @Test
  void files_of_one_partition_that_hang_leave_the_others_their_part() throws Exception {
    FileThreads.Share first = threads.open();
    FileThreads.Share second = threads.open();

    hang(first, 10);

    assertAreWritten(second, 10);
    assertThat(hanging.get()).isLessThanOrEqualTo(THREADS / 2);
  }

  @Test
  void more_partitions_than_threads_have_one_each() throws Exception {
    List<FileThreads.Share> shares =
        Stream.generate(threads::open).limit(THREADS + 1).collect(Collectors.toList());
    FileThreads.Share one = shares.remove(0);
    FileThreads.Share other = shares.remove(0);

    shares.forEach(share -> hang(share, 10));

    assertAreWritten(one, 10);
    assertAreWritten(other, 10);
  }

  @Test
  void a_partition_that_is_closed_writes_no_more_and_leaves_its_part() throws Exception {
    FileThreads.Share first = threads.open();
    FileThreads.Share second = threads.open();
    hang(first, 10);
    assertThat(begun.tryAcquire(THREADS / 2, LIMIT_S, TimeUnit.SECONDS)).isTrue();
    hang(second, 10);
    assertThat(begun.tryAcquire(THREADS / 2, LIMIT_S, TimeUnit.SECONDS)).isTrue();

    first.close();
    released.countDown();

    assertThat(begun.tryAcquire(10 - THREADS / 2, LIMIT_S, TimeUnit.SECONDS)).isTrue();
    assertThat(begun.tryAcquire(A_WHILE_MS, TimeUnit.MILLISECONDS)).isFalse();
  }

  @Test
  void once_the_threads_are_closed_nothing_begins_and_nothing_fails() throws Exception {
    FileThreads.Share first = threads.open();
    FileThreads.Share second = threads.open();
    hang(first, 10);
    assertThat(begun.tryAcquire(THREADS / 2, LIMIT_S, TimeUnit.SECONDS)).isTrue();

    threads.close();
    hang(second, 1);
    first.close();
    second.close();

    assertThat(begun.tryAcquire(A_WHILE_MS, TimeUnit.MILLISECONDS)).isFalse();
  }

  @Test
  void a_file_that_fails_makes_room_for_the_next() throws Exception {
    FileThreads.Share first = threads.open();
    threads.open();
    for (int i = 0; i < 2 * THREADS; i++) {
      first.execute(
          () -> {
            throw new IllegalStateException("as a test");
          });
    }

    assertAreWritten(first, 1);
  }

  @Test
  void a_file_for_which_there_is_no_thread_is_written_once_there_is_one() throws Exception {
    AtomicBoolean none = new AtomicBoolean(true);
    ExecutorService scarce =
        new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>()) {
          @Override
          public void execute(Runnable command) {
            if (none.get()) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            super.execute(command);
          }
        };
    try (FileThreads few = new FileThreads(scarce, 1)) {
      FileThreads.Share share = few.open();
      assertThatThrownBy(() -> share.execute(done::release)).isInstanceOf(OutOfMemoryError.class);
      none.set(false);
      share.execute(done::release);

      assertThat(done.tryAcquire(2, LIMIT_S, TimeUnit.SECONDS)).isTrue();
    }
  }
}
