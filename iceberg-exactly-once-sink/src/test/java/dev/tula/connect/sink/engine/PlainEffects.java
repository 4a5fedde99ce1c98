package dev.tula.connect.sink.engine;

import dev.tula.connect.model.RangeDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Carries the engine's effects out at once, and as they are meant to be.
 *
 * @param partition the export partition of the lake and the log
 */
public record PlainEffects(PipelineIdentity identity, int partition, Lake lake, EventLog log) {
  /**
   * Carries one out.
   *
   * @param rows by table, those of the range that is being committed
   */
  public Outcome carryOut(Effect effect, Map<String, TableRows> rows) {
    if (effect instanceof Effect.LookUpIdentity) {
      return new Outcome.IdentityLookedUp(lake.lookUpIdentity());
    }
    if (effect instanceof Effect.CreateIdentity) {
      lake.createIdentity(identity);
      return new Outcome.Done();
    }
    if (effect instanceof Effect.ReadEvents) {
      return new Outcome.EventsRead(log.read());
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
    log.publish(((Effect.Publish) effect).events());
    return new Outcome.Done();
  }

  private Outcome stage(Effect.Stage stage, TableRows rows) {
    RangeDigest digest =
        RangeDigest.begin(identity.stream(partition), stage.table(), stage.range());
    rows.addTo(digest);
    return new Outcome.Staged(
        HexFormat.of().formatHex(digest.finish()),
        stage.digestOnly()
            ? Optional.empty()
            : Optional.of(lake.stage(stage.table(), stage.fileName(), rows)));
  }
}
