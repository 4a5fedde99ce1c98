package dev.tula.connect.local;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * What becomes of a run whose connector fails: one that has an end ends with it, as that end would
 * never come; one that goes on until Ctrl-C says so once and goes on, so that the failure can be
 * looked at and cured. For one thread.
 */
final class FailureWatch {
  private final boolean ends;
  private final Consumer<String> say;
  private Optional<String> said = Optional.empty();

  /**
   * Of one run.
   *
   * @param ends whether the run ends with a failure
   * @param say where it is said otherwise
   */
  FailureWatch(boolean ends, Consumer<String> say) {
    this.ends = ends;
    this.say = say;
  }

  /**
   * Takes what failed, as of the last look; empty if nothing.
   *
   * @throws StackException with the failure, if the run ends with it
   */
  void looked(Optional<String> failure) {
    if (ends && failure.isPresent()) {
      throw new StackException(failure.get());
    }
    if (failure.equals(said)) {
      return;
    }
    said = failure;
    say.accept(
        failure
            .map(trace -> trace + "\nEverything else keeps running; Ctrl-C stops it.")
            .orElse("No connector is failed any more."));
  }
}
