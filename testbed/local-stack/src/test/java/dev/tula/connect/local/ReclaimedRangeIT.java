package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/recover.md says of 87 and of reseeding, on the plugins and the tool as they ship. */
@DisplayName(
    "I1, I5: a range that the ledger gave up is written down, and never skipped in silence")
class ReclaimedRangeIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final int FIRST_ROWS = 6_000;
  private static final int ROWS_WHILE_AWAY = 6_000;
  private static final double ROWS_PER_SECOND = 50_000;
  private static final int VERIFIER_MEMORY_MB = 512;
  private static final int SEEDED = 1 << 30;

  @TempDir Path directory;
  private LocalStack stack;
  private ConnectorConfig source;
  private ConnectorConfig sink;

  @BeforeEach
  void start() {
    stack = LocalStack.start(StackOptions.of(TestPaths.root(), directory, 11, FIRST_ROWS));
    Path examples = TestPaths.root().resolve("config-examples/local");
    source = ConnectorConfig.read(examples.resolve("source.json"));
    sink =
        ConnectorConfig.read(examples.resolve("sink.json"))
            .with(Map.of("tula.commit.interval.ms", "500"));
    source.resolved(stack.environment()).write(directory.resolve("source.json"));
    sink.resolved(stack.environment()).write(directory.resolve("sink.json"));
  }

  @AfterEach
  void stop() {
    if (stack != null) {
      stack.close();
    }
  }

  @Test
  void it_is_87_at_every_start_until_the_next_generation_begins_behind_a_recorded_gap() {
    try (Pipeline first = new Pipeline(stack, source, sink)) {
      first.start();
      first.awaitComplete(LIMIT);
      long last = first.watermark().globalBatchSeq();
      long floor = growAndReclaim();
      String missing = "(" + last + ":2147483647, " + floor + ":2147483647]";

      String failure = awaitFailure();
      assertThat(failure).contains("TULA-87", missing);
      stack.worker().rest().restart(source.name());
      assertThat(message(awaitFailure())).as("the same again").isEqualTo(message(failure));

      Path next = directory.resolve("next");
      assertThat(reseed("--execute", "--write", next.toString())).contains(missing);
      beginGeneration2(next, floor);

      assertThat(reseed("--execute"))
          .contains("the gap is final", "(" + last + ":2147483647, " + floor + ":" + (SEEDED - 1));
      assertAgrees("first", verifier -> first.verifyThrough(verifier, last));
    }
  }

  /** Lets the ledger go on without its reader, and give up what is older than half of that. */
  private long growAndReclaim() {
    ConnectRest rest = stack.worker().rest();
    rest.stop(source.name());
    Wait.until("the source to stop", LIMIT, () -> tasks(source.name()) == 0);
    long before = stack.engine().head().globalBatchSeq();
    stack.engine().startLoad(FIRST_ROWS + ROWS_WHILE_AWAY, ROWS_PER_SECOND);
    Wait.until("the ledger to grow", LIMIT, () -> !stack.engine().isLoading());
    long floor = (before + stack.engine().head().globalBatchSeq()) / 2;
    stack.engine().cluster().advanceFloor(Position.batchEnd(floor));
    rest.resume(source.name());
    return floor;
  }

  private void beginGeneration2(Path configurations, long floor) {
    ConnectorConfig nextSource = ConnectorConfig.read(configurations.resolve("source.g2.json"));
    ConnectorConfig nextSink = ConnectorConfig.read(configurations.resolve("sink.g2.json"));
    ConnectRest rest = stack.worker().rest();
    List.of(source.name(), sink.name()).forEach(rest::stop);
    try (Pipeline second = new Pipeline(stack, nextSource, nextSink)) {
      second.start();
      List.of(source.name(), sink.name()).forEach(rest::resume);
      second.awaitComplete(LIMIT);
      assertAgrees("second", verifier -> second.verifyBootstrapped(verifier, floor));
      assertThat(tulaLake("verify", configurations.resolve("sink.g2.json"))).contains("PASS");
    }
  }

  private int tasks(String connector) {
    return stack
        .worker()
        .rest()
        .status(connector)
        .map(status -> status.tasks().size())
        .orElseThrow();
  }

  private String awaitFailure() {
    return Wait.forValue(
        "the source to fail",
        LIMIT,
        () -> stack.worker().rest().status(source.name()).flatMap(ConnectorStatus::failure));
  }

  /** What the trace's first line says; the rest of it is where in the code. */
  private static String message(String trace) {
    return trace.lines().findFirst().orElseThrow();
  }

  private String reseed(String... more) {
    List<String> args = new ArrayList<>();
    args.addAll(List.of("--source-config", directory.resolve("source.json").toString()));
    args.addAll(List.of(more));
    return tulaLake("reseed", directory.resolve("sink.json"), args.toArray(String[]::new));
  }

  private String tulaLake(String command, Path config, String... more) {
    List<String> args = new ArrayList<>(List.of(command, "--config", config.toString()));
    args.addAll(List.of(more));
    StackTool.Outcome outcome =
        StackTool.tulaLake(TestPaths.root(), directory).run(command, args, LIMIT, () -> false);
    String printed = String.join("\n", outcome.lastLines());
    assertThat(outcome.exitCode()).as(printed).hasValue(0);
    return printed;
  }

  private void assertAgrees(String generation, Function<LakeVerifier, LakeVerdict> verification) {
    try (LakeVerifier verifier =
        LakeVerifier.open(directory.resolve("verify-" + generation), VERIFIER_MEMORY_MB)) {
      LakeVerdict verdict = verification.apply(verifier);
      assertThat(verdict.agrees()).as("%s", verdict).isTrue();
      assertThat(verdict.rows()).isPositive();
    }
  }
}
