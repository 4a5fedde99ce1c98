package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Halt;
import dev.tula.connect.lake.state.PartitionChecks;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Why a partition is left as it is: whoever changes a lake that is not as it should be may take
 * away what its cure needs.
 *
 * @param partition the export partition
 * @param exitCode what to exit with
 * @param why each reason
 */
record Refusal(int partition, int exitCode, List<String> why) {
  /** Copies the list. */
  Refusal {
    why = List.copyOf(why);
  }

  static Optional<Refusal> of(PipelineIdentity identity, PartitionReading reading) {
    List<String> halts =
        reading.haltsInForce().stream().map(halt -> words(reading.partition(), halt)).toList();
    if (!halts.isEmpty()) {
      return Optional.of(new Refusal(reading.partition(), ExitCode.HALTED, halts));
    }
    List<String> obstacles =
        PartitionChecks.obstacles(identity, reading).stream()
            .map(what -> "partition " + reading.partition() + " is left alone: " + what)
            .toList();
    return obstacles.isEmpty()
        ? Optional.empty()
        : Optional.of(new Refusal(reading.partition(), ExitCode.FAIL, obstacles));
  }

  /** Leaves all of a pipeline alone. */
  static void whole(String fault) {
    throw ToolException.error(fault + ". Nothing was changed; see tula-lake status");
  }

  private static String words(int partition, Halt halt) {
    return "partition "
        + partition
        + " is left alone: durability halt "
        + halt.id()
        + " is in force: "
        + halt.finding();
  }

  /** Adds all of them to a report. */
  static void addJson(List<Refusal> refusals, ObjectNode node) {
    ArrayNode left = node.putArray("left_alone");
    refusals.forEach(refusal -> refusal.why.forEach(left::add));
  }

  /** The partition in the first column, the reasons in the last. */
  List<String> csvRow(int columns) {
    List<String> row = new ArrayList<>(Collections.nCopies(columns, ""));
    row.set(0, Integer.toString(partition));
    row.set(columns - 1, String.join("; ", why));
    return row;
  }

  /** The code of the gravest. */
  static int exitCode(List<Refusal> refusals) {
    return refusals.stream().mapToInt(Refusal::exitCode).max().orElse(ExitCode.OK);
  }
}
