package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.sink.engine.TableState;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Cases that each have a pipeline of their own. */
abstract class PipelineCases {
  @TempDir Path folder;
  TestPipeline pipeline;

  @BeforeEach
  void set_up() {
    pipeline = TestPipeline.in(folder);
  }

  @AfterEach
  void tear_down() {
    pipeline.close();
  }

  /** Three ranges: batches 1 to 4, 5 to 7, 8 to 10. */
  TestWriter threeRanges() {
    return pipeline.open(0).start().commitTo(4).commitTo(7).commitTo(10);
  }

  /** What another engine may do to a table. */
  ForeignEngine foreign(String table) {
    return new ForeignEngine(pipeline.table(table));
  }

  TableState state(String table) {
    return pipeline.newLake(0).load(table).orElseThrow().property().orElseThrow();
  }

  void assertWhole() {
    pipeline.run("status").exits(ExitCode.OK);
    pipeline.run("reconcile").exits(ExitCode.OK);
    pipeline.run("verify").exits(ExitCode.OK);
  }
}
