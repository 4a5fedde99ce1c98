package dev.tula.connect.lake;

import dev.tula.connect.lake.clear.Clearing;
import dev.tula.connect.lake.clear.HaltClearing;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.sink.engine.HaltReason;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lifts durability halts. */
@Command(
    name = "clear-durability-halt",
    mixinStandardHelpOptions = true,
    description = {
      "Lifts the durability halts that are in force, once their cause is cured. Changes no row.",
      "Without --confirm it only shows them and what would be done. Safe beside a running sink."
    },
    footer = {"", "Without --confirm it exits with 0 if no halt is in force, else with 2."})
final class ClearDurabilityHaltCommand extends LakeCommand {
  @Option(names = "--confirm", description = "Do it.")
  private boolean confirm;

  @Option(
      names = "--accept-rewind",
      description =
          "Accept that the lake was set back to its present watermark (halt lake_set_back); the sink reads on from there.")
  private boolean acceptRewind;

  /** One partition's part of the work. */
  private record Work(HaltClearing clearing, List<Clearing> plan) {}

  @Override
  int run(LakeSession session, List<Integer> partitions) {
    session.checkIdentity().ifPresent(fault -> say("note: " + fault));
    String user = System.getProperty("user.name", "unknown");
    List<Work> works = new ArrayList<>();
    for (int partition : partitions) {
      HaltClearing clearing =
          new HaltClearing(session, session.read(partition), user, InstantSource.system());
      works.add(new Work(clearing, clearing.plan(acceptRewind)));
    }
    List<Clearing> plan = works.stream().flatMap(work -> work.plan().stream()).toList();
    refuseIdleAccept(plan);
    List<Clearing> shown = confirm ? apply(works) : plan;
    print(new ClearReport(confirm, shown));
    boolean left = !confirm && plan.stream().anyMatch(clearing -> clearing.halt().inForce());
    return left ? ExitCode.FAIL : ExitCode.OK;
  }

  private void refuseIdleAccept(List<Clearing> plan) {
    boolean any =
        plan.stream()
            .anyMatch(
                clearing -> clearing.halt().reason().equals(Optional.of(HaltReason.LAKE_SET_BACK)));
    if (acceptRewind && !any) {
      throw ToolException.error(
          "--accept-rewind is for halts of the kind "
              + HaltReason.LAKE_SET_BACK.word()
              + ", and none is in force here. Nothing was changed");
    }
  }

  private static List<Clearing> apply(List<Work> works) {
    List<Clearing> done = new ArrayList<>();
    for (Work work : works) {
      if (!work.plan().isEmpty()) {
        done.addAll(work.clearing().apply(work.plan()));
      }
    }
    return done;
  }
}
