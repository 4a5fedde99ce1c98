package dev.tula.connect.sink.engine;

import java.util.Optional;

/**
 * Leaves a phase for good; caught by {@link CommitEngine} alone, which turns it into the phase that
 * ends the writer.
 */
final class Ending extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Optional<Finding> finding;
  private final transient Optional<Stop> stop;

  private Ending(Optional<Finding> finding, Optional<Stop> stop) {
    super(
        finding.map(Finding::message).orElseGet(() -> stop.orElseThrow().message()),
        null,
        false,
        false);
    this.finding = finding;
    this.stop = stop;
  }

  /** Lake and stream disagree: to be recorded, then 86. */
  static Ending halted(HaltReason reason, String what) {
    return new Ending(Optional.of(new Finding(reason, what)), Optional.empty());
  }

  /** A newer claim is there (C15): nothing is recorded. */
  static Ending fenced(String table, WriterClaim newer, WriterClaim ours) {
    return stopped(
        Stop.Code.FENCED,
        "a newer writer (claim "
            + newer
            + ") has taken over table "
            + table
            + "; this writer (claim "
            + ours
            + ") wrote nothing after that and ends. If the task did not move to another worker, a second connector runs on"
            + " this lake");
  }

  /** The configuration is not the recorded one: 88. */
  static Ending identity(String message) {
    return stopped(Stop.Code.IDENTITY, message);
  }

  /** Trying again does not help, and it is no disagreement either. */
  static Ending failed(String message) {
    return stopped(Stop.Code.FAILED, message);
  }

  static Ending stopped(Stop.Code code, String message) {
    return new Ending(Optional.empty(), Optional.of(new Stop(code, message)));
  }

  Optional<Finding> finding() {
    return finding;
  }

  Optional<Stop> stop() {
    return stop;
  }
}
