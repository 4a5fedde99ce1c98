package dev.tula.connect.sink.engine;

import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.StreamIdentity;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Carries the engine's effects out, as they are meant to be, against a lake and its event topics.
 * It decides nothing and keeps nothing: what was done is told by the outcome alone, and what failed
 * may be run again. Threads, time limits and repetitions are the caller's.
 *
 * <p>Safe for any thread: each call does its work on the thread that makes it, and takes as long as
 * lake and topics do.
 */
public final class EffectRunner {
  private final PipelineIdentity identity;
  private final StreamIdentity stream;
  private final Lake lake;
  private final EventLog events;

  /**
   * A runner for one export partition.
   *
   * @param identity the pipeline that the engine runs
   * @param partition the export partition
   * @param lake that partition's tables
   * @param events that partition's event topics
   */
  public EffectRunner(PipelineIdentity identity, int partition, Lake lake, EventLog events) {
    this.identity = identity;
    this.stream = identity.stream(partition);
    this.lake = lake;
    this.events = events;
  }

  /**
   * Carries one out, and returns what it is answered by.
   *
   * @param rows by table, those of the range that is being committed: a range's digest, and its
   *     file, are made from just these (I8)
   * @throws LakeException if nothing was done, as whatever else lake or topics throw means too; a
   *     commit of which nobody knows is an outcome
   */
  public Outcome run(Effect effect, Map<String, TableRows> rows) {
    if (effect instanceof Effect.LookUpIdentity) {
      return new Outcome.IdentityLookedUp(lake.lookUpIdentity());
    }
    if (effect instanceof Effect.CreateIdentity) {
      lake.createIdentity(identity);
      return new Outcome.Done();
    }
    if (effect instanceof Effect.ReadEvents) {
      return new Outcome.EventsRead(events.read());
    }
    if (effect instanceof Effect.LoadTable load) {
      return new Outcome.TableLoaded(lake.load(load.table()));
    }
    if (effect instanceof Effect.CreateTable create) {
      lake.create(create.table());
      return new Outcome.Done();
    }
    if (effect instanceof Effect.Commit commit) {
      return new Outcome.Committed(lake.commit(commit.commit()));
    }
    if (effect instanceof Effect.Stage stage) {
      return stage(stage, rows.get(stage.table()));
    }
    events.publish(((Effect.Publish) effect).events());
    return new Outcome.Done();
  }

  /**
   * Carries commits out in one transaction of the catalog's (C22).
   *
   * @return an outcome for each commit, in their order
   * @throws LakeException if nothing was done
   */
  public List<Outcome> runTogether(List<Effect.Commit> commits) {
    return lake.commitTogether(commits.stream().map(Effect.Commit::commit).toList()).stream()
        .<Outcome>map(Outcome.Committed::new)
        .toList();
  }

  /** Whether an effect belongs into such a transaction: rows for a data table, and no other. */
  public boolean goesTogether(Effect effect) {
    return lake.commitsTogether()
        && effect instanceof Effect.Commit commit
        && commit.commit().change() instanceof TableCommit.Change.Append;
  }

  private Outcome stage(Effect.Stage stage, TableRows rows) {
    RangeDigest digest = RangeDigest.begin(stream, stage.table(), stage.range());
    rows.addTo(digest);
    Optional<StagedFile> file =
        stage.digestOnly()
            ? Optional.empty()
            : Optional.of(lake.stage(stage.table(), stage.fileName(), rows));
    return new Outcome.Staged(HexFormat.of().formatHex(digest.finish()), file);
  }
}
