package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.model.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Generations that ended because the ledger no longer has what comes next. */
class ReseedIT extends PipelineCases {
  private static final ObjectMapper JSON = new ObjectMapper();

  @BeforeEach
  void commit_two_ranges() {
    TestEngine.reset();
    pipeline.open(0).start().commitTo(4).commitTo(10);
  }

  private static CliRun reseed(TestPipeline of, String... more) {
    List<String> all = new ArrayList<>(List.of("--source-config", of.sourceFile(Map.of())));
    all.addAll(Arrays.asList(more));
    return of.run("reseed", all.toArray(String[]::new));
  }

  private CliRun reseed(String... more) {
    return reseed(pipeline, more);
  }

  private String recorded() {
    return pipeline.table("tula_pipeline").properties().get("tula.reseed");
  }

  @Test
  void while_nothing_is_lost_it_refuses() {
    TestEngine.withFloor(Position.batchEnd(10));

    assertThat(reseed("--execute").exits(ExitCode.ERROR).err()).contains("nothing is lost");
    assertThat(recorded()).isNull();
  }

  @Test
  void a_plan_says_what_is_lost_and_what_follows_and_changes_nothing() {
    TestEngine.withFloor(Position.batchEnd(25));

    assertThat(reseed().exits(ExitCode.OK).out())
        .contains(
            "(10:2147483647, 25:2147483647]",
            "tula.generation=2",
            "tula.start.position=floor",
            "tula.bootstrap=initial",
            "topics=" + pipeline.name + ".data.g2",
            "Nothing was changed");
    JsonNode json = reseed("--output", "json").exits(ExitCode.OK).json();
    JsonNode gap = json.path("partitions").get(0);
    assertThat(gap.path("missing_from").asText()).isEqualTo("10:2147483647");
    assertThat(gap.path("missing_to").asText()).isEqualTo("25:2147483647");
    assertThat(gap.path("missing_batches").asInt()).isEqualTo(15);
    assertThat(json.path("recorded").asBoolean()).isFalse();
    assertThat(reseed("--output", "csv").exits(ExitCode.OK).out())
        .contains("0,10:2147483647,10:2147483647,25:2147483647,15,,0,false");
    assertThat(recorded()).isNull();
  }

  @Test
  void the_gap_is_recorded_and_both_configurations_written() throws IOException {
    TestEngine.withFloor(Position.batchEnd(25));
    Path written = folder.resolve("next");

    reseed("--execute", "--write", written.toString()).exits(ExitCode.OK);

    JsonNode record = JSON.readTree(recorded());
    assertThat(record.path("generation").asText()).isEqualTo("2");
    assertThat(record.path("missing").path("0").path("from").asText()).isEqualTo("10:2147483647");
    assertThat(record.path("missing").path("0").path("to").asText()).isEqualTo("25:2147483647");
    JsonNode source = JSON.readTree(Files.readAllBytes(written.resolve("source.g2.json")));
    assertThat(source.path("tula.generation").asText()).isEqualTo("2");
    assertThat(source.path("tula.bootstrap").asText()).isEqualTo("initial");
    assertThat(source.path("tula.hosts").asText()).isEqualTo("localhost:7800");
    JsonNode sink = JSON.readTree(Files.readAllBytes(written.resolve("sink.g2.json")));
    assertThat(sink.path("topics").asText()).isEqualTo(pipeline.name + ".data.g2");
    assertThat(Files.getPosixFilePermissions(written.resolve("sink.g2.json"))).hasSize(2);
    assertThat(pipeline.run("status").exits(ExitCode.OK).out())
        .contains(
            "RESEED   generation 2 follows",
            "partition 0 lost (10:2147483647, 25:2147483647], 15 batches; the next one has not");
    assertThat(pipeline.run("status", "--output", "json").json().path("reseed")).isEqualTo(record);
    assertThat(pipeline.run("status", "--output", "csv").out())
        .contains(",10:2147483647,25:2147483647");
    assertThat(pipeline.open(0).commitTo(11).watermark()).isEqualTo(Position.batchEnd(11));
    assertThat(reseed("--execute", "--write", written.toString()).exits(ExitCode.ERROR).err())
        .contains("is there already");
  }

  @Test
  void once_the_next_generation_has_begun_the_gap_ends_where_that_did() throws IOException {
    TestEngine.withFloor(Position.batchEnd(25));
    reseed("--execute").exits(ExitCode.OK);
    TestEngine.withFloor(Position.batchEnd(40));
    Map<String, String> changes =
        Map.of(
            "tula.generation",
            "2",
            "tula.pipeline",
            pipeline.name,
            "topics",
            pipeline.name + ".data.g2");
    try (TestPipeline next = TestPipeline.in(folder, 1, changes)) {
      next.open(0).bootstrap(30).commitTo(33);
      next.run("verify").exits(ExitCode.OK);
      next.run("reconcile").exits(ExitCode.OK);
    }

    CliRun run = reseed("--execute").exits(ExitCode.OK);

    assertThat(run.out())
        .contains("Generation 2 has begun; the gap is final", "(10:2147483647, 30:1073741823]");
    assertThat(JSON.readTree(recorded()).path("missing").path("0").path("to").asText())
        .isEqualTo("30:1073741823");
  }

  @Test
  void what_the_sink_has_yet_to_write_is_not_lost() {
    TestEngine.withFloor(Position.batchEnd(25));
    TestBroker.createData(pipeline.name + ".data", 13);

    CliRun run = reseed("--execute").exits(ExitCode.FAIL);

    assertThat(run.out()).contains("holds 3 records beyond the watermark");
    assertThat(recorded()).isNull();
    reseed("--execute", "--drained").exits(ExitCode.OK);
    assertThat(recorded()).isNotNull();
  }

  @Test
  void each_partition_has_its_own_gap() {
    try (TestPipeline two = TestPipeline.in(folder.resolve("two"), 2, Map.of())) {
      two.open(0).start().commitTo(4);
      two.open(1).start().commitTo(9);
      TestEngine.withFloor(Position.batchEnd(7));

      JsonNode gaps = reseed(two, "--output", "json").exits(ExitCode.OK).json().path("partitions");

      assertThat(gaps.get(0).path("missing_batches").asInt()).as("batch 6").isEqualTo(1);
      assertThat(gaps.get(1).path("missing_batches").asInt()).isZero();
      reseed(two, "--partition", "0").exits(ExitCode.USAGE);
    }
  }

  @Test
  void another_stream_and_wrong_usage_are_refused() {
    TestEngine.withFloor(Position.batchEnd(25));
    assertThat(
            pipeline
                .run(
                    "reseed",
                    "--source-config",
                    pipeline.sourceFile(Map.of("tula.generation", "2")))
                .exits(ExitCode.IDENTITY)
                .err())
        .contains("Name the configurations of the generation that ended");
    reseed("--write", folder.toString()).exits(ExitCode.USAGE);
    pipeline.run("reseed").exits(ExitCode.USAGE);
  }
}
