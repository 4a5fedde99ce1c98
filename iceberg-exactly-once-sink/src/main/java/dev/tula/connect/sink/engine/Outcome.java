package dev.tula.connect.sink.engine;

import java.util.Optional;

/** How an {@link Effect} ended. */
public sealed interface Outcome {
  /** It was done. */
  record Done() implements Outcome {}

  /**
   * The identity was looked up.
   *
   * @param lookup what was found
   */
  record IdentityLookedUp(Lake.IdentityLookup lookup) implements Outcome {}

  /**
   * The topics were read.
   *
   * @param events what they say
   */
  record EventsRead(EventsView events) implements Outcome {}

  /**
   * A table was loaded.
   *
   * @param view the table; absent where there is none
   */
  record TableLoaded(Optional<TableView> view) implements Outcome {}

  /**
   * A commit was answered.
   *
   * @param reply how
   */
  record Committed(Lake.CommitReply reply) implements Outcome {}

  /**
   * Rows were staged.
   *
   * @param digest the range digest, hex
   * @param file the file; absent where only the digest was wanted
   */
  record Staged(String digest, Optional<StagedFile> file) implements Outcome {}
}
