package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Range;
import dev.tula.connect.model.event.LakeEvent;
import java.util.List;

/**
 * Something that the engine wants done outside. All effects that it names at one time may run side
 * by side; each is answered with its {@link Outcome}. An effect that failed before it did anything
 * may simply be run again.
 */
public sealed interface Effect {
  /** Answered by {@link Outcome.IdentityLookedUp}. */
  record LookUpIdentity() implements Effect {}

  /** Answered by {@link Outcome.Done}, whether it was created or was there already. */
  record CreateIdentity() implements Effect {}

  /** Answered by {@link Outcome.EventsRead}. */
  record ReadEvents() implements Effect {}

  /**
   * Answered by {@link Outcome.TableLoaded}.
   *
   * @param table the logical name
   */
  record LoadTable(String table) implements Effect {}

  /**
   * Answered by {@link Outcome.Done}.
   *
   * @param table the logical name
   */
  record CreateTable(String table) implements Effect {}

  /**
   * Answered by {@link Outcome.Committed}.
   *
   * @param commit what to commit
   */
  record Commit(TableCommit commit) implements Effect {}

  /**
   * Makes the range digest of a table's rows, and writes them to a file unless they are in the
   * table already. Answered by {@link Outcome.Staged}.
   *
   * @param table the logical name
   * @param range the table's own range
   * @param fileName the file's name
   * @param digestOnly the table has the range, and only its digest is compared (C9)
   */
  record Stage(String table, Range range, String fileName, boolean digestOnly) implements Effect {}

  /**
   * Answered by {@link Outcome.Done} once all are durable.
   *
   * @param events what to publish
   */
  record Publish(List<LakeEvent> events) implements Effect {
    /** Copies the list. */
    public Publish {
      events = List.copyOf(events);
    }
  }
}
