package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.sink.engine.Stop;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a run found to be broken. The message of each check begins with the names of what it holds,
 * such as {@code I1, I2:}, {@code C19:}, {@code stuck:} or {@code 86 for nothing:}. An exception is
 * no check's: it says only that something went wrong, and goes by its class.
 *
 * @param kinds the names; none for a failure that does not say what it is of
 * @param text what was found, for people
 */
public record Found(Set<String> kinds, String text) {
  private static final Pattern NAMES = Pattern.compile("\\[?([A-Za-z0-9]+(?:,? [A-Za-z0-9]+)*):");

  /** What a failed check or an exception says. */
  static Found of(Throwable failure) {
    String text = String.valueOf(failure.getMessage()).strip();
    if (!(failure instanceof AssertionError)) {
      return new Found(Set.of(failure.getClass().getSimpleName()), failure.toString());
    }
    Matcher names = NAMES.matcher(text);
    return new Found(names.lookingAt() ? Set.of(names.group(1).split(", ")) : Set.of(), text);
  }

  /** The name of the finding that a writer stopped where nothing was wrong. */
  static String forNothing(Stop.Code code) {
    return switch (code) {
      case HALTED, HALTED_BEFORE -> "86 for nothing";
      case IDENTITY -> "88 for nothing";
      case FENCED -> "fenced for nothing";
      case FAILED -> "failed for nothing";
    };
  }

  @Override
  public String toString() {
    return text;
  }
}
