package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.Position;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --from} and {@code --to}: a range at or below the watermark. */
final class RangeOptions {
  @Option(
      names = "--from",
      required = true,
      paramLabel = "POSITION",
      converter = PositionConverter.class,
      description = "Where the range begins, exclusive: a batch's number, for its end, or gbs:idx.")
  private Position from;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "POSITION",
      converter = PositionConverter.class,
      description = "Where it ends, inclusive; at or below the watermark.")
  private Position to;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  Position from() {
    return from;
  }

  Position to() {
    return to;
  }

  /** Refuses a range that has no extent. */
  void checkUsage() {
    if (!to.isAfter(from)) {
      throw new ParameterException(
          command.commandLine(), "--to " + to + " is not after --from " + from);
    }
  }

  /**
   * Refuses a range that the sink may not have written yet.
   *
   * @param reason why it must not be touched
   */
  void checkAtOrBelow(Position watermark, int partition, String reason) {
    if (to.isAfter(watermark)) {
      throw ToolException.error(
          "--to "
              + to
              + " is above the watermark of partition "
              + partition
              + ", "
              + watermark
              + ": "
              + reason);
    }
  }
}
