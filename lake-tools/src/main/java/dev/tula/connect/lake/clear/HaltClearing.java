package dev.tula.connect.lake.clear;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Halt;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Lifts the halts of one partition. The event goes first, as it alone carries an accepted rewind;
 * either place is enough to lift a halt, and a run that ends between the two is completed by the
 * next. The commit to the watermark table is a compare-and-set of its whole state under the claim
 * that is there (C14), so a live writer is neither fenced nor overwritten.
 *
 * <p>For one thread.
 */
public final class HaltClearing {
  private static final int MAX_ATTEMPTS = 10;

  private final LakeSession session;
  private final PartitionReading reading;
  private final String by;
  private final InstantSource clock;

  /**
   * @param session connected
   * @param reading the partition
   * @param by who clears
   * @param clock tells when
   */
  public HaltClearing(
      LakeSession session, PartitionReading reading, String by, InstantSource clock) {
    this.session = session;
    this.reading = reading;
    this.by = by;
    this.clock = clock;
  }

  /**
   * What is to be done: about the halts in force, and about those that a run before left cleared in
   * one place only.
   *
   * @param acceptRewind whether a person accepts that the lake was set back
   */
  public List<Clearing> plan(boolean acceptRewind) {
    List<Clearing> plan = new ArrayList<>();
    for (Halt halt : reading.halts().values()) {
      if (halt.inForce()) {
        plan.add(inForce(halt, acceptRewind));
      } else if (halt.isHalfCleared()) {
        plan.add(
            new Clearing(
                reading.partition(),
                halt,
                halt.inTopic() == Halt.Standing.RECORDED,
                halt.inTable() == Halt.Standing.RECORDED,
                Optional.empty(),
                Optional.empty()));
      }
    }
    return plan;
  }

  private Clearing inForce(Halt halt, boolean acceptRewind) {
    boolean setBack = halt.reason().equals(Optional.of(HaltReason.LAKE_SET_BACK));
    Clearing clearing =
        new Clearing(
            reading.partition(),
            halt,
            true,
            reading.state().isPresent(),
            setBack && acceptRewind
                ? Optional.of(reading.position().orElse(Position.ORIGIN))
                : Optional.empty(),
            Optional.empty());
    return setBack && !acceptRewind ? warnedIfStillSetBack(clearing) : clearing;
  }

  private Clearing warnedIfStillSetBack(Clearing clearing) {
    Optional<CheckpointEvent> newest = reading.events().view().newestCheckpoint();
    Optional<Position> held = reading.position();
    boolean still = newest.isPresent() && (held.isEmpty() || newest.get().to().isAfter(held.get()));
    return still
        ? clearing.warning(
            "the newest checkpoint, "
                + newest.get().to()
                + ", is still above the watermark, "
                + held.map(Position::toString).orElse("not set")
                + ", so the next writer halts again: undo the restore, or accept the rewind with --accept-rewind")
        : clearing;
  }

  /**
   * Does it. What could be told to one place only is a warning in the answer: either is enough to
   * lift a halt.
   *
   * @throws ToolException if neither place could be told
   */
  public List<Clearing> apply(List<Clearing> plan) {
    Instant now = clock.instant();
    Optional<String> unpublished = publish(plan, now);
    Optional<String> unrecorded = record(plan, now);
    List<Clearing> done = new ArrayList<>();
    for (Clearing clearing : plan) {
      Optional<String> notInTopic = clearing.publish() ? unpublished : Optional.empty();
      Optional<String> notInTable = clearing.record() ? unrecorded : Optional.empty();
      if (notInTopic.isPresent() && (notInTable.isPresent() || !clearing.record())) {
        throw ToolException.error(
            "halt "
                + clearing.halt().id()
                + " of partition "
                + reading.partition()
                + " was not cleared: "
                + notInTopic.get()
                + ", and "
                + notInTable.orElseGet(this::noTable));
      }
      done.add(notInTopic.or(() -> notInTable).map(clearing::warning).orElse(clearing));
    }
    return done;
  }

  /** Why the topic does not have it; absent if it does, or was not to have it. */
  private Optional<String> publish(List<Clearing> plan, Instant now) {
    if (!session.checkpoints().has(reading.partition())) {
      return Optional.of("there is no topic " + session.checkpoints().name());
    }
    EventIdentity identity = EventIdentity.of(session.identity().stream(reading.partition()));
    List<LakeEvent> events = new ArrayList<>();
    for (Clearing clearing : plan) {
      if (clearing.publish()) {
        events.add(
            new ClearEvent(identity, clearing.halt().id(), clearing.acceptedRewind(), by, now));
      }
    }
    if (!events.isEmpty()) {
      EventLog log = session.publisher(reading.partition());
      Retries.call(
          () -> {
            log.publish(events);
            return true;
          });
    }
    return Optional.empty();
  }

  /** Why the table does not have it; absent if it does, or was not to have it. */
  private Optional<String> record(List<Clearing> plan, Instant now) {
    Map<String, String> properties = new TreeMap<>();
    for (Clearing clearing : plan) {
      if (clearing.record()) {
        properties.put(TableView.CLEAR_PROPERTY + clearing.halt().id(), "by " + by + " at " + now);
      }
    }
    if (properties.isEmpty()) {
      return Optional.empty();
    }
    try (IcebergLake lake = session.newLake(reading.partition())) {
      return commit(lake, properties);
    }
  }

  private Optional<String> commit(IcebergLake lake, Map<String, String> properties) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      Optional<TableView> view = Retries.call(() -> lake.load(TableNames.WATERMARK));
      if (view.isEmpty() || view.get().property().isEmpty()) {
        return Optional.of(noTable());
      }
      if (isRecorded(view.get(), properties)) {
        return Optional.empty();
      }
      if (view.get().disagreement().isPresent()) {
        return Optional.of(
            "table "
                + reading.watermarkName()
                + " can't take it: "
                + view.get().disagreement().get());
      }
      TableState state = view.get().property().get();
      TableCommit commit =
          new TableCommit(
              TableNames.WATERMARK,
              view.get().uuid(),
              Optional.of(state),
              state.after(CommitKind.CLEAR),
              new TableCommit.Change.NoRows(),
              properties);
      if (Retries.call(() -> lake.commit(commit)) instanceof Lake.CommitReply.Landed) {
        return Optional.empty();
      }
    }
    return Optional.of(
        "table "
            + reading.watermarkName()
            + " changed under each of "
            + MAX_ATTEMPTS
            + " attempts to commit");
  }

  private String noTable() {
    return "table " + reading.watermarkName() + " is missing or has no state";
  }

  private static boolean isRecorded(TableView view, Map<String, String> properties) {
    return properties.keySet().stream()
        .map(key -> key.substring(TableView.CLEAR_PROPERTY.length()))
        .allMatch(view.clearedHalts()::contains);
  }
}
