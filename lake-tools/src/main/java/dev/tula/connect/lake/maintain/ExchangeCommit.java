package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.sink.engine.FileExchange;
import dev.tula.connect.sink.engine.FileExchange.Step;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.HashSet;
import java.util.function.Supplier;

/**
 * Commits an exchange of files, looking at the table anew before each attempt: it may have landed
 * already, or may not be committed any more. For one thread.
 */
public final class ExchangeCommit {
  private static final int MAX_ATTEMPTS = 10;

  private final IcebergLake lake;
  private final String name;
  private final FileExchange exchange;
  private final Kind kind;

  /** What exchanges files. */
  public enum Kind {
    /** Other files, the same rows. */
    COMPACTION("compacted", "The rest was left as it is") {
      @Override
      TableCommit commit(FileExchange exchange, TableView view, long mainSnapshot) {
        return exchange.rewrite(view, mainSnapshot);
      }
    },
    /** Rows put right. */
    REPAIR("repaired", "Nothing of it was changed") {
      @Override
      TableCommit commit(FileExchange exchange, TableView view, long mainSnapshot) {
        return exchange.repair(view, mainSnapshot);
      }
    };

    private final String done;
    private final String left;

    Kind(String done, String left) {
      this.done = done;
      this.left = left;
    }

    abstract TableCommit commit(FileExchange exchange, TableView view, long mainSnapshot);
  }

  /**
   * @param lake the partition's
   * @param name the table's name in the catalog
   * @param exchange what to commit
   * @param kind what it does
   */
  public ExchangeCommit(IcebergLake lake, String name, FileExchange exchange, Kind kind) {
    this.lake = lake;
    this.name = name;
    this.exchange = exchange;
    this.kind = kind;
  }

  /**
   * Commits it.
   *
   * @param load the table as it is now, which has a state
   * @return a snapshot that has it
   * @throws ToolException if it may not be committed any more, saying why
   */
  public long run(Supplier<IcebergLake.Contents> load) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      IcebergLake.Contents contents = load.get();
      long main = contents.table().currentSnapshot().snapshotId();
      if (isThere(contents)) {
        return main;
      }
      // The commit lands on this snapshot alone, so on none that has them.
      DeleteFiles.refuse(contents.table(), name, kind.left);
      TableCommit commit = kind.commit(exchange, contents.view(), main);
      if (Retries.call(() -> lake.commit(commit)) instanceof CommitReply.Landed landed) {
        return landed.snapshotId();
      }
    }
    throw ToolException.error(
        "table "
            + name
            + " changed under each of "
            + MAX_ATTEMPTS
            + " attempts to commit. What is in it is as before; run the command again");
  }

  private boolean isThere(IcebergLake.Contents contents) {
    Step step =
        exchange.next(contents.view(), new HashSet<>(ListedFile.locations(contents.table(), name)));
    if (step instanceof Step.Overtaken overtaken) {
      throw givenUp(
          "a writer claimed table "
              + name
              + " while it was "
              + kind.done
              + ", as "
              + overtaken.now(),
          "Run the command again");
    }
    if (step instanceof Step.Rewritten rewritten) {
      throw givenUp(
          "somebody else rewrote " + rewritten.location() + " of table " + name + " meanwhile",
          "Stop the other job, or run the command again");
    }
    if (step instanceof Step.OtherRows rows) {
      throw givenUp(
          "table "
              + name
              + " would have "
              + rows.after()
              + " rows once "
              + kind.done
              + ", and its state says "
              + rows.stated()
              + ": somebody changed its rows meanwhile",
          "See what is wrong with tula-lake verify");
    }
    return step instanceof Step.Landed;
  }

  private ToolException givenUp(String why, String what) {
    return ToolException.error(why + ". " + kind.left + ". " + what);
  }
}
