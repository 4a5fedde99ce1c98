package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.TableRows;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A request of a writer that is under way: sent, perhaps carried out, not answered yet. */
final class Op {
  private final SimWriter owner;
  private final Effect effect;
  private final Map<String, TableRows> rows;
  private Optional<Outcome> outcome = Optional.empty();
  private OptionalLong falselyRefused = OptionalLong.empty();

  Op(SimWriter owner, Effect effect, Map<String, TableRows> rows) {
    this.owner = owner;
    this.effect = effect;
    this.rows = rows;
  }

  SimWriter owner() {
    return owner;
  }

  Effect effect() {
    return effect;
  }

  /** The rows of the range that was being committed when it was sent. */
  Map<String, TableRows> rows() {
    return rows;
  }

  boolean isCommit() {
    return effect instanceof Effect.Commit;
  }

  /** Whether it changes anything outside. */
  boolean isWrite() {
    return !(effect instanceof Effect.LookUpIdentity
        || effect instanceof Effect.ReadEvents
        || effect instanceof Effect.LoadTable);
  }

  /** What carrying it out gave. */
  Optional<Outcome> outcome() {
    return outcome;
  }

  void carriedOut(Outcome result) {
    outcome = Optional.of(result);
  }

  /**
   * The snapshot of a commit that landed, and that the catalog called a conflict: the table has yet
   * to be read again (C17).
   */
  OptionalLong falselyRefused() {
    return falselyRefused;
  }

  void refusedFalsely(long snapshotId) {
    falselyRefused = OptionalLong.of(snapshotId);
  }

  @Override
  public String toString() {
    return owner.name() + " " + Texts.of(effect);
  }
}
