package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.reseed.Reseed;
import dev.tula.connect.lake.state.LakeSession;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ends a generation that can't go on, and prepares the next. */
@Command(
    name = "reseed",
    mixinStandardHelpOptions = true,
    description = {
      "For a pipeline that ended with 87: the ledger has reclaimed what comes after the watermark.",
      "Says exactly which range is lost for ever, and how to configure the next generation, which"
          + " begins where the ledger's history does, in new tables beside the old ones.",
      "Refuses while nothing is lost. Without --execute it changes nothing; with it, the gap is"
          + " recorded in the lake. It never touches a row, a connector or a topic."
    },
    footer = {
      "",
      "Exits with 2 if the sink has yet to write what the data topic holds: only then is the gap"
          + " known."
    })
final class ReseedCommand extends LakeCommand {
  @Mixin private SourceOptions source;

  @Option(
      names = "--write",
      paramLabel = "DIR",
      description =
          "With --execute, also write both connectors' configurations for the next generation there.")
  private Path directory;

  @Option(
      names = "--drained",
      description =
          "The records that the data topic still holds beyond the watermark are known to bring"
              + " nothing.")
  private boolean drained;

  @Option(names = "--execute", description = "Record the gap in the lake.")
  private boolean execute;

  @Override
  void checkUsage() {
    if (choosesPartitions()) {
      throw usage("a generation ends in all partitions: leave --partition out");
    }
    if (directory != null && !execute) {
      throw usage("--write needs --execute");
    }
  }

  @Override
  int run(LakeSession session, List<Integer> partitions) {
    session.checkIdentity().ifPresent(Refusal::whole);
    Reseed reseed =
        new Reseed(
            session, source.read(session, "the configurations of the generation that ended"));
    Reseed.Plan plan = reseed.plan(partitions);
    boolean waiting = !drained && !plan.unwritten().isEmpty();
    boolean recorded = execute && !waiting;
    List<Path> files = List.of();
    if (recorded) {
      if (directory != null) {
        files = Reseed.write(plan, directory, source.asPut(), sinkAsPut());
      }
      reseed.record(plan, System.getProperty("user.name", "unknown"), Instant.now());
    }
    print(new ReseedReport(session.identity(), plan, waiting, recorded, files));
    return waiting ? ExitCode.FAIL : ExitCode.OK;
  }
}
