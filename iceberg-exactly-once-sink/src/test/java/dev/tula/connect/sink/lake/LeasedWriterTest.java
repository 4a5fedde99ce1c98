package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.fencing.LeaseHeldException;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import dev.tula.connect.sink.fencing.LeaseLostException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers that must hold a lease, one of them in a process that is stopped and woken up. The leases
 * are in a folder here, and in databases where this is extended.
 */
class LeasedWriterTest {
  private static final long LEASE_MS = 5_000;
  private static final long LONG_LEASE_MS = 3_600_000;
  private static final long A_WHILE_MS = 100;

  @TempDir Path folder;
  private LakeFixture fixture;
  private Optional<Process> writer = Optional.empty();

  /** Where leases are kept. */
  String leases() {
    return folder.resolve("leases").toUri().toString();
  }

  @BeforeEach
  void open() {
    fixture = LakeFixture.in(folder);
  }

  @AfterEach
  void close() throws Exception {
    if (writer.isPresent()) {
      writer.get().destroyForcibly().waitFor();
    }
    fixture.close();
  }

  @Test
  void nothing_is_sent_without_the_lease() {
    fixture.opened();
    TableCommit commit = fixture.rangeCommit(LakeFixture.range(0, 5));
    LeaseKeeper lease = LeasedWriterProcess.keeper(leases(), "here", LONG_LEASE_MS);
    try (LakeFixture leased = LakeFixture.permitted(fixture.catalog, lease::check)) {
      assertThatThrownBy(() -> leased.lake.commit(commit)).isInstanceOf(LeaseLostException.class);
      assertThat(fixture.view().totalRecords()).isZero();
      lease.take();
      assertThat(leased.lake.commit(commit)).isInstanceOf(Landed.class);
      lease.close();
      TableCommit late = fixture.rangeCommit(LakeFixture.range(5, 6));
      assertThatThrownBy(() -> leased.lake.commit(late)).isInstanceOf(LeaseLostException.class);
      assertThat(fixture.view().totalRecords()).isEqualTo(5);
    }
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void a_process_that_was_stopped_past_its_lease_writes_nothing_more_when_it_goes_on()
      throws Exception {
    Process process = start();
    BufferedReader output = process.inputReader();
    for (int landed = 0; landed < LeasedWriterProcess.FIRST_RANGES; ) {
      landed += output.readLine().startsWith("Landed") ? 1 : 0;
    }
    signal(process, "STOP");
    LeaseKeeper next = LeasedWriterProcess.keeper(leases(), "next", LEASE_MS);
    awaitLease(next, process);
    long records = fixture.view().totalRecords();
    process.outputWriter().append('\n').flush();
    signal(process, "CONT");
    assertThat(process.waitFor()).isEqualTo(LeasedWriterProcess.LOST);
    assertThat(output.lines()).last().asString().contains("of process was lost");
    assertThat(fixture.view().totalRecords())
        .isEqualTo(records)
        .isEqualTo(LeasedWriterProcess.FIRST_RANGES);
    next.check();
    next.close();
  }

  private static void awaitLease(LeaseKeeper lease, Process stopped) throws Exception {
    while (!lease.isHeld()) {
      try {
        lease.take();
      } catch (LeaseHeldException e) {
        assertThat(e).hasMessageContaining("held by process");
        Thread.sleep(A_WHILE_MS);
      } catch (LakeException e) {
        // It was stopped in the middle of a renewal, and keeps the lock of the leases' store.
        signal(stopped, "CONT");
        Thread.sleep(A_WHILE_MS);
        signal(stopped, "STOP");
      }
    }
  }

  private Process start() throws IOException {
    String classPath = System.getProperty("java.class.path");
    String surefire = System.getProperty("surefire.test.class.path", classPath);
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            surefire,
            LeasedWriterProcess.class.getName(),
            folder.toString(),
            leases(),
            Long.toString(LEASE_MS));
    builder.redirectError(new File("/dev/null"));
    Process process = builder.start();
    writer = Optional.of(process);
    return process;
  }

  private static void signal(Process process, String name) throws Exception {
    int exit =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    assertThat(exit).isZero();
    assertThat(Stream.of(process).allMatch(Process::isAlive)).isTrue();
  }
}
