package dev.tula.connect.sink.engine;

import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.LakeEvent;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One partition's writer, from opening to its end, as a pure state machine: {@link #effects} says
 * what it wants done now, {@link #complete} tells it how one of them ended. It does nothing by
 * itself, so whoever drives it decides what runs when, what crashes and what comes late. It keeps
 * I1, I2, I3, I5 and I6.
 *
 * <p>It gives up after so many refusals of a commit. It has no clock to wait by, so a commit whose
 * reply is not known it looks for and wants again at once, without end: when that runs, and when it
 * has gone on for too long, is for whoever drives it.
 *
 * <p>All of its state is its {@link Snapshot}, an immutable value. Not thread-safe.
 */
public final class CommitEngine {
  private final OpeningPhases opening;
  private final ClaimPhases claiming;
  private final RecoveryPhases recovery;
  private final CommitPhases committing;
  private final HaltPhases halting;

  private Snapshot snapshot;

  /**
   * Everything that an engine knows.
   *
   * @param phase where it stands
   * @param pendingHalt a finding of the stream's reader that waits for the commit in flight
   */
  public record Snapshot(Phase phase, Optional<Finding> pendingHalt) {}

  /** An engine that is about to open its partition. */
  public CommitEngine(EngineSettings settings, InstantSource clock) {
    this(settings, clock, new Snapshot(new Phase.LookingUpIdentity(0), Optional.empty()));
  }

  /** An engine in the state of a snapshot. */
  public CommitEngine(EngineSettings settings, InstantSource clock, Snapshot snapshot) {
    TableChecks checks = new TableChecks(settings);
    this.claiming = new ClaimPhases(settings, checks);
    this.opening = new OpeningPhases(settings, claiming);
    this.recovery = new RecoveryPhases(settings, checks, claiming, clock);
    this.committing = new CommitPhases(settings, checks, clock);
    this.halting = new HaltPhases(settings, clock);
    this.snapshot = Objects.requireNonNull(snapshot, "snapshot");
  }

  /** All state. */
  public Snapshot snapshot() {
    return snapshot;
  }

  /** Where it stands. */
  public Phase phase() {
    return snapshot.phase();
  }

  /** Why it ended, once it has. */
  public Optional<Stop> stopped() {
    return phase() instanceof Phase.Stopped stopped
        ? Optional.of(stopped.stop())
        : Optional.empty();
  }

  /** The writer, once every table is claimed and recovered, until it ends. */
  public Optional<Writer> writer() {
    return HaltPhases.writer(phase());
  }

  /** Whether it waits for the next range, or for START. */
  public boolean isIdle() {
    return phase() instanceof Phase.Streaming;
  }

  /** What is to be done now, in any order or side by side. Empty while idle and after the end. */
  public Set<Effect> effects() {
    Phase phase = phase();
    if (phase instanceof Phase.LookingUpIdentity) {
      return Set.of(new Effect.LookUpIdentity());
    }
    if (phase instanceof Phase.MissingIdentity) {
      return Set.of(new Effect.ReadEvents());
    }
    if (phase instanceof Phase.CreatingIdentity) {
      return Set.of(new Effect.CreateIdentity());
    }
    if (phase instanceof Phase.Surveying surveying) {
      return opening.effects(surveying);
    }
    if (phase instanceof Phase.SurveyingWatermark) {
      return Set.of(new Effect.LoadTable(TableNames.WATERMARK));
    }
    if (phase instanceof Phase.CreatingTables creating) {
      return opening.effects(creating);
    }
    if (phase instanceof Phase.ClaimingWatermark claimingWatermark) {
      return claiming.effects(claimingWatermark);
    }
    if (phase instanceof Phase.ClaimingTables claimingTables) {
      return claiming.effects(claimingTables);
    }
    if (phase instanceof Phase.ReadingBack readingBack) {
      return recovery.effects(readingBack);
    }
    return effectsOfWriting(phase);
  }

  private Set<Effect> effectsOfWriting(Phase phase) {
    if (phase instanceof Phase.Republishing republishing) {
      return publish(republishing.checkpoint());
    }
    if (phase instanceof Phase.Staging staging) {
      return committing.effects(staging);
    }
    if (phase instanceof Phase.CommittingTables tables) {
      return committing.effects(tables);
    }
    if (phase instanceof Phase.PublishingTables publishing) {
      return Set.of(new Effect.Publish(publishing.events()));
    }
    if (phase instanceof Phase.CommittingWatermark watermark) {
      return committing.effects(watermark);
    }
    if (phase instanceof Phase.PublishingCheckpoint publishing) {
      return publish(publishing.checkpoint());
    }
    if (phase instanceof Phase.RecordingHalt recording) {
      return halting.effects(recording);
    }
    return phase instanceof Phase.PublishingHalt publishing
        ? publish(publishing.event())
        : Set.of();
  }

  private static Set<Effect> publish(LakeEvent event) {
    return Set.of(new Effect.Publish(List.of(event)));
  }

  /**
   * Takes the outcome of one of {@link #effects}. An effect that is no longer wanted is a caller's
   * mistake.
   *
   * @throws IllegalStateException if it is none of them, or the outcome is not of its kind
   */
  public void complete(Effect effect, Outcome outcome) {
    if (!effects().contains(effect)) {
      throw new IllegalStateException(
          phase().getClass().getSimpleName() + " did not ask for " + effect);
    }
    if (!answers(outcome, effect)) {
      throw new IllegalStateException(outcome + " does not answer " + effect);
    }
    move(() -> next(phase(), effect, outcome));
  }

  private static boolean answers(Outcome outcome, Effect effect) {
    if (effect instanceof Effect.LookUpIdentity) {
      return outcome instanceof Outcome.IdentityLookedUp;
    }
    if (effect instanceof Effect.ReadEvents) {
      return outcome instanceof Outcome.EventsRead;
    }
    if (effect instanceof Effect.LoadTable) {
      return outcome instanceof Outcome.TableLoaded;
    }
    if (effect instanceof Effect.Commit) {
      return outcome instanceof Outcome.Committed;
    }
    return effect instanceof Effect.Stage
        ? outcome instanceof Outcome.Staged
        : outcome instanceof Outcome.Done;
  }

  /** Begins to commit a range. Only while {@link #isIdle idle}. */
  public void commit(SealedRange range) {
    move(() -> committing.begin(idleWriter(), range));
  }

  /** Begins the stream at START. Only while {@link #isIdle idle} and without a watermark. */
  public void start(StreamItem.Start start, KafkaPosition next) {
    if (idleWriter().position().isPresent()) {
      throw new IllegalStateException("START with a watermark");
    }
    move(() -> committing.begin(idleWriter(), start, next));
  }

  private Writer idleWriter() {
    if (phase() instanceof Phase.Streaming streaming) {
      return streaming.writer();
    }
    throw new IllegalStateException("not idle but " + phase().getClass().getSimpleName());
  }

  /**
   * The reader of the stream found a disagreement. It is recorded once the commit in flight, if
   * any, has ended.
   */
  public void halt(Finding finding) {
    if (stopped().isPresent()
        || phase() instanceof Phase.RecordingHalt
        || phase() instanceof Phase.PublishingHalt) {
      return;
    }
    snapshot = new Snapshot(phase(), Optional.of(finding));
    haltIfPending();
  }

  /** The finding that waits to be recorded, or is being recorded. */
  public Optional<Finding> finding() {
    if (phase() instanceof Phase.RecordingHalt recording) {
      return Optional.of(recording.finding());
    }
    return phase() instanceof Phase.PublishingHalt publishing
        ? Optional.of(publishing.finding())
        : snapshot.pendingHalt();
  }

  /**
   * One of {@link #effects} failed for good, which ends the writer. But a halt that the table can't
   * take is made in the topic (C25).
   */
  public void fail(Stop stop) {
    if (phase() instanceof Phase.RecordingHalt recording) {
      snapshot = new Snapshot(halting.afterFailure(recording), Optional.empty());
    } else {
      stop(stop);
    }
  }

  /** Ends the writer for a reason from outside that is no halt. */
  public void stop(Stop stop) {
    if (stopped().isEmpty()) {
      snapshot = ended(stop);
    }
  }

  /** A failure does not take the place of a finding that is not recorded yet (C25). */
  private Snapshot ended(Stop stop) {
    Optional<Finding> unrecorded = stop.code() == Stop.Code.FAILED ? finding() : Optional.empty();
    Stop end = unrecorded.map(finding -> HaltPhases.withoutRecord(finding, stop)).orElse(stop);
    return new Snapshot(new Phase.Stopped(end), Optional.empty());
  }

  private void move(Supplier<Phase> step) {
    try {
      snapshot = new Snapshot(step.get(), snapshot.pendingHalt());
    } catch (Ending ending) {
      end(ending);
    }
    haltIfPending();
  }

  private void end(Ending ending) {
    snapshot =
        ending.stop().isPresent()
            ? ended(ending.stop().get())
            : new Snapshot(
                halting.begin(phase(), ending.finding().orElseThrow()), Optional.empty());
  }

  private void haltIfPending() {
    if (isIdle() && snapshot.pendingHalt().isPresent()) {
      snapshot =
          new Snapshot(halting.begin(phase(), snapshot.pendingHalt().get()), Optional.empty());
    }
  }

  private Phase next(Phase phase, Effect effect, Outcome outcome) {
    if (outcome instanceof Outcome.IdentityLookedUp lookedUp) {
      return opening.afterLookUp((Phase.LookingUpIdentity) phase, lookedUp.lookup());
    }
    if (outcome instanceof Outcome.EventsRead read) {
      return afterEvents(phase, read.events());
    }
    if (outcome instanceof Outcome.TableLoaded loaded && effect instanceof Effect.LoadTable load) {
      return afterLoad(phase, load.table(), loaded.view());
    }
    if (outcome instanceof Outcome.Committed committed && effect instanceof Effect.Commit commit) {
      return afterCommit(phase, commit.commit(), committed.reply());
    }
    if (outcome instanceof Outcome.Staged staged && effect instanceof Effect.Stage stage) {
      return committing.afterStage((Phase.Staging) phase, stage.table(), staged);
    }
    return afterDone(phase, effect);
  }

  private Phase afterEvents(Phase phase, EventsView events) {
    if (phase instanceof Phase.MissingIdentity missing) {
      return opening.afterEvents(missing, events);
    }
    return phase instanceof Phase.Surveying surveying
        ? opening.afterEvents(surveying, events)
        : recovery.afterEvents((Phase.ReadingBack) phase, events);
  }

  private Phase afterLoad(Phase phase, String table, Optional<TableView> view) {
    if (phase instanceof Phase.Surveying surveying) {
      return opening.afterTable(surveying, table, view);
    }
    if (phase instanceof Phase.SurveyingWatermark surveying) {
      return opening.afterWatermark(surveying, view);
    }
    if (phase instanceof Phase.ClaimingWatermark claimingWatermark) {
      return claiming.afterWatermarkView(claimingWatermark, view);
    }
    if (phase instanceof Phase.ClaimingTables claimingTables) {
      return claiming.afterTableView(claimingTables, table, view);
    }
    if (phase instanceof Phase.ReadingBack readingBack) {
      return recovery.afterTable(readingBack, table, view);
    }
    if (phase instanceof Phase.CommittingTables tables) {
      return committing.afterView(tables, table, view);
    }
    return phase instanceof Phase.CommittingWatermark watermark
        ? committing.afterView(watermark, view)
        : halting.afterView((Phase.RecordingHalt) phase, view);
  }

  private Phase afterCommit(Phase phase, TableCommit commit, Lake.CommitReply reply) {
    if (phase instanceof Phase.ClaimingWatermark claimingWatermark) {
      return claiming.afterWatermarkReply(claimingWatermark, commit.next(), reply);
    }
    if (phase instanceof Phase.ClaimingTables claimingTables) {
      return claiming.afterTableReply(claimingTables, commit.table(), reply);
    }
    if (phase instanceof Phase.CommittingTables tables) {
      return committing.afterReply(tables, commit.table(), reply);
    }
    return phase instanceof Phase.CommittingWatermark watermark
        ? committing.afterReply(watermark, reply)
        : halting.afterReply((Phase.RecordingHalt) phase, reply);
  }

  private Phase afterDone(Phase phase, Effect effect) {
    if (phase instanceof Phase.CreatingIdentity creating) {
      return opening.afterCreateIdentity(creating);
    }
    if (phase instanceof Phase.CreatingTables creating
        && effect instanceof Effect.CreateTable create) {
      return opening.afterCreateTable(creating, create.table());
    }
    if (phase instanceof Phase.Republishing republishing) {
      return new Phase.Streaming(republishing.writer());
    }
    if (phase instanceof Phase.PublishingTables publishing) {
      return committing.afterPublish(publishing);
    }
    return phase instanceof Phase.PublishingCheckpoint publishing
        ? new Phase.Streaming(publishing.writer())
        : halting.afterPublish((Phase.PublishingHalt) phase);
  }
}
