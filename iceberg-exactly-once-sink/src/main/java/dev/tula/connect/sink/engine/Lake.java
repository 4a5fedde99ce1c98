package dev.tula.connect.sink.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * One export partition's tables, as far as the commit engine needs them. Tables go by their logical
 * names.
 *
 * <p>Every call has a time limit of its own. Implementations are safe for several threads, since a
 * range's tables are staged and committed side by side.
 *
 * <p>What may pass with time is a {@link LakeException} that {@link LakeException#isRetriable()
 * says so}; what will not is one that does not. Neither leaves anything behind but staged files.
 */
public interface Lake {
  /**
   * What is recorded of the generation.
   *
   * @param properties the identity table's properties; absent where there is no such table
   * @param watermarkTable a watermark table of the generation, of any partition, that exists;
   *     looked for only where there is no identity table
   */
  record IdentityLookup(
      Optional<Map<String, String>> properties, Optional<String> watermarkTable) {}

  /**
   * A commit's reply. A reply is never an opinion: nothing but {@code Landed} says that the commit
   * is in the table.
   */
  sealed interface CommitReply {
    /**
     * The commit is in the table, however its request was answered (C16).
     *
     * @param snapshotId the snapshot that it made
     */
    record Landed(long snapshotId) implements CommitReply {}

    /**
     * The table was not as expected, and the commit is not in it and never will be.
     *
     * @param now the table as it is; absent where there is none
     */
    record Refused(Optional<TableView> now) implements CommitReply {}

    /**
     * Nobody knows. It may land later yet.
     *
     * @param cause what happened
     */
    record Unknown(String cause) implements CommitReply {}
  }

  /** Looks for the generation's identity. */
  IdentityLookup lookUpIdentity();

  /**
   * Creates the identity table with these properties, atomically. Returns false if it is there
   * already, whatever it says.
   */
  boolean createIdentity(PipelineIdentity identity);

  /** The table as it is now, past every cache; absent where there is none. */
  Optional<TableView> load(String table);

  /** Creates a table if it is not there. */
  void create(String table);

  /** Commits, or finds that it can't. */
  CommitReply commit(TableCommit commit);

  /**
   * Whether {@link #commitTogether} makes one transaction of a range's tables (C22). If it does
   * not, they are committed side by side.
   */
  default boolean commitsTogether() {
    return false;
  }

  /**
   * Commits to several data tables in one transaction, each as {@link #commit} would. It is all or
   * none as far as the catalog keeps its word; the replies say what each table showed afterwards.
   *
   * @return a reply for each commit, in their order
   */
  default List<CommitReply> commitTogether(List<TableCommit> commits) {
    return commits.stream().map(this::commit).toList();
  }

  /** How many commits of this object's landed and were reported as failed (C17). */
  default long falseFailures() {
    return 0;
  }

  /** How many files were not deleted after commits that were taken for failed (C17). */
  default long withheldDeletes() {
    return 0;
  }

  /**
   * Writes rows to a new file of a table that no snapshot knows yet. A file written before is left
   * alone, as a commit that nobody saw land may list it.
   *
   * @param fileName without folder; a number is added where it was taken before
   */
  StagedFile stage(String table, String fileName, TableRows rows);

  /**
   * The rows that the table's current snapshot holds in a range, in position order, encoded anew
   * from what was read.
   *
   * @param maxRows more than that is an error, as the caller would have to hold them
   */
  List<CanonicalRow> read(String table, Range range, int maxRows);

  /**
   * The rows that the table's current snapshot holds at some positions, in position order, encoded
   * anew from what was read. Rows between them are passed over, and take no memory.
   *
   * @param positions where, at least one
   * @param maxRows how many rows may be read, from the first position to the last
   * @throws TooManyRowsException if there are more
   */
  List<CanonicalRow> readAt(String table, NavigableSet<Position> positions, int maxRows);
}
