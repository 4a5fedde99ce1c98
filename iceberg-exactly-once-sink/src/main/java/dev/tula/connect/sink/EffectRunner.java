package dev.tula.connect.sink;

import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableRows;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Carries the engine's effects out on a partition's ports, each on whatever thread it is called.
 */
final class EffectRunner {
  private final PipelineIdentity identity;
  private final StreamIdentity stream;
  private final PartitionPorts ports;

  EffectRunner(PipelineIdentity identity, int partition, PartitionPorts ports) {
    this.identity = identity;
    this.stream = identity.stream(partition);
    this.ports = ports;
  }

  /**
   * Carries one out.
   *
   * @param rows the rows of the range that is being committed
   * @throws dev.tula.connect.sink.engine.LakeException if nothing was done
   */
  Outcome run(Effect effect, Map<String, TableRows> rows) {
    if (effect instanceof Effect.LookUpIdentity) {
      return new Outcome.IdentityLookedUp(ports.lake().lookUpIdentity());
    }
    if (effect instanceof Effect.CreateIdentity) {
      ports.lake().createIdentity(identity);
      return new Outcome.Done();
    }
    if (effect instanceof Effect.ReadEvents) {
      return new Outcome.EventsRead(ports.events().read());
    }
    if (effect instanceof Effect.LoadTable load) {
      return new Outcome.TableLoaded(ports.lake().load(load.table()));
    }
    if (effect instanceof Effect.CreateTable create) {
      ports.lake().create(create.table());
      return new Outcome.Done();
    }
    if (effect instanceof Effect.Commit commit) {
      return new Outcome.Committed(ports.lake().commit(commit.commit()));
    }
    if (effect instanceof Effect.Stage stage) {
      return stage(stage, rows.get(stage.table()));
    }
    ports.events().publish(((Effect.Publish) effect).events());
    return new Outcome.Done();
  }

  /** Carries commits out in one transaction of the catalog's (C22), each answered in its turn. */
  List<Outcome> runTogether(List<Effect.Commit> commits) {
    return ports
        .lake()
        .commitTogether(commits.stream().map(Effect.Commit::commit).toList())
        .stream()
        .<Outcome>map(Outcome.Committed::new)
        .toList();
  }

  /** Whether a commit belongs into such a transaction: rows for a data table, and no other. */
  boolean goesTogether(Effect effect) {
    return ports.lake().commitsTogether()
        && effect instanceof Effect.Commit commit
        && commit.commit().change() instanceof TableCommit.Change.Append;
  }

  private Outcome stage(Effect.Stage stage, TableRows rows) {
    RangeDigest digest = RangeDigest.begin(stream, stage.table(), stage.range());
    rows.addTo(digest);
    Optional<StagedFile> file =
        stage.digestOnly()
            ? Optional.empty()
            : Optional.of(ports.lake().stage(stage.table(), stage.fileName(), rows));
    return new Outcome.Staged(HexFormat.of().formatHex(digest.finish()), file);
  }
}
