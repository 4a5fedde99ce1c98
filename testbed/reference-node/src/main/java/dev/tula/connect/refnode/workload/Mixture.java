package dev.tula.connect.refnode.workload;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** What a generated workload is made of: a weight for each kind of step. Immutable. */
public final class Mixture {
  /** A kind of step. */
  public enum Step {
    /** A single-phase transfer. */
    SINGLE,
    /** A reserve. */
    RESERVE,
    /** The commit or rollback of an open reserve. */
    RESOLVE,
    /** A request made to be turned down. */
    REJECT,
    /** An earlier request once more. Leaves no record. */
    DUPLICATE,
    /** A change of an account, ledger, currency, source or cluster member. */
    METADATA
  }

  /** The mixture unless told otherwise. */
  public static final Mixture DEFAULT =
      parse("single=700,reserve=130,resolve=125,reject=25,duplicate=10,metadata=10");

  private static final int MAX_WEIGHT = 1_000_000;

  private final Map<Step, Integer> weights;
  private final int total;

  private Mixture(Map<Step, Integer> weights) {
    this.weights = weights;
    this.total = weights.values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * Reads {@code single=70,reserve=15,…}; a step left out has weight 0.
   *
   * @throws IllegalArgumentException naming the part that is wrong
   */
  public static Mixture parse(String text) {
    Map<Step, Integer> weights = new EnumMap<>(Step.class);
    for (String part : text.split(",", -1)) {
      String[] pair = part.trim().split("=", -1);
      if (pair.length != 2 || weights.put(step(pair[0], text), weight(pair[1], text)) != null) {
        throw malformed(text, "\"" + part + "\" is not one step=weight, or names a step again");
      }
    }
    if (weights.getOrDefault(Step.SINGLE, 0) == 0) {
      throw malformed(text, "single needs a weight above 0: it is what fills a batch");
    }
    return new Mixture(weights);
  }

  private static Step step(String name, String text) {
    for (Step step : Step.values()) {
      if (step.name().toLowerCase(Locale.ROOT).equals(name)) {
        return step;
      }
    }
    throw malformed(text, "\"" + name + "\" is no step");
  }

  private static int weight(String number, String text) {
    try {
      int weight = Integer.parseInt(number);
      if (weight >= 0 && weight <= MAX_WEIGHT) {
        return weight;
      }
    } catch (NumberFormatException e) {
      throw malformed(text, "\"" + number + "\" is no whole number");
    }
    throw malformed(text, "weight " + number + " is not between 0 and " + MAX_WEIGHT);
  }

  private static IllegalArgumentException malformed(String text, String what) {
    return new IllegalArgumentException(
        "mix \""
            + text
            + "\": "
            + what
            + "; write single=700,reserve=130,resolve=125,reject=25,duplicate=10,metadata=10");
  }

  Step pick(Rng rng) {
    int at = rng.below(total);
    for (Map.Entry<Step, Integer> entry : weights.entrySet()) {
      at -= entry.getValue();
      if (at < 0) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("weights do not sum to " + total);
  }

  /** The text form. */
  @Override
  public String toString() {
    StringJoiner joined = new StringJoiner(",");
    weights.forEach(
        (step, weight) -> joined.add(step.name().toLowerCase(Locale.ROOT) + "=" + weight));
    return joined.toString();
  }
}
