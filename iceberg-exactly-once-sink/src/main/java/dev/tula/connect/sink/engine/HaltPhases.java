package dev.tula.connect.sink.engine;

import dev.tula.connect.model.event.HaltEvent;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Records a durability halt in the watermark table and as an event (C25). Where the table can't
 * take it, the event decides.
 */
final class HaltPhases {
  private final EngineSettings settings;
  private final InstantSource clock;

  HaltPhases(EngineSettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
  }

  Phase begin(Phase from, Finding finding) {
    Optional<OwnedTable> watermark = watermark(from);
    HaltEvent event = event(finding, watermark.map(owned -> owned.state().claim()));
    if (watermark.isEmpty()) {
      return new Phase.PublishingHalt(finding, event);
    }
    return new Phase.RecordingHalt(0, finding, event, claim(from), watermark.get(), false);
  }

  private HaltEvent event(Finding finding, Optional<WriterClaim> claim) {
    return new HaltEvent(
        settings.eventIdentity(),
        settings.writerId(),
        finding.reason().word(),
        finding.message(),
        settings.writerId(),
        claim.map(WriterClaim::epoch).orElse(0L),
        claim.map(WriterClaim::number).orElse(0L),
        clock.instant());
  }

  private static Optional<OwnedTable> watermark(Phase from) {
    if (from instanceof Phase.ClaimingTables phase) {
      return Optional.of(phase.watermark());
    }
    if (from instanceof Phase.ReadingBack phase) {
      return Optional.of(phase.watermark());
    }
    return writer(from).map(Writer::watermark);
  }

  private static Optional<WriterClaim> claim(Phase from) {
    return watermark(from).map(owned -> owned.state().claim());
  }

  static Optional<Writer> writer(Phase phase) {
    if (phase instanceof Phase.Streaming streaming) {
      return Optional.of(streaming.writer());
    }
    if (phase instanceof Phase.Republishing republishing) {
      return Optional.of(republishing.writer());
    }
    if (phase instanceof Phase.Staging staging) {
      return Optional.of(staging.writer());
    }
    if (phase instanceof Phase.CommittingTables committing) {
      return Optional.of(committing.writer());
    }
    if (phase instanceof Phase.PublishingTables publishing) {
      return Optional.of(publishing.writer());
    }
    if (phase instanceof Phase.CommittingWatermark committing) {
      return Optional.of(committing.writer());
    }
    return phase instanceof Phase.PublishingCheckpoint publishing
        ? Optional.of(publishing.writer())
        : Optional.empty();
  }

  Set<Effect> effects(Phase.RecordingHalt phase) {
    if (phase.reloading()) {
      return Set.of(new Effect.LoadTable(TableNames.WATERMARK));
    }
    OwnedTable owned = phase.watermark();
    return Set.of(
        new Effect.Commit(
            new TableCommit(
                TableNames.WATERMARK,
                owned.uuid(),
                Optional.of(owned.state()),
                owned.state().after(CommitKind.HALT),
                new TableCommit.Change.NoRows(),
                Map.of(TableView.HALT_PROPERTY + phase.event().id(), phase.finding().message()))));
  }

  Phase afterReply(Phase.RecordingHalt phase, Lake.CommitReply reply) {
    if (reply instanceof Lake.CommitReply.Refused refused) {
      return afterView(phase, refused.now());
    }
    if (reply instanceof Lake.CommitReply.Landed) {
      return new Phase.PublishingHalt(phase.finding(), phase.event());
    }
    return reloading(phase, phase.attempts() + 1);
  }

  private static Phase reloading(Phase.RecordingHalt phase, int attempts) {
    return new Phase.RecordingHalt(
        attempts, phase.finding(), phase.event(), phase.claim(), phase.watermark(), true);
  }

  Phase afterView(Phase.RecordingHalt phase, Optional<TableView> now) {
    Optional<TableState> state = now.flatMap(TableView::property);
    if (state.isPresent() && phase.claim().isPresent()) {
      new TableChecks(settings).fence(TableNames.WATERMARK, now.get(), phase.claim().get());
    }
    boolean recordable =
        state.isPresent()
            && now.get().disagreement().isEmpty()
            && now.get().uuid().equals(phase.watermark().uuid())
            && !now.get().halts().containsKey(phase.event().id())
            && phase.attempts() < settings.maxAttempts();
    if (!recordable) {
      return new Phase.PublishingHalt(phase.finding(), phase.event());
    }
    return new Phase.RecordingHalt(
        phase.attempts() + 1,
        phase.finding(),
        phase.event(),
        phase.claim(),
        OwnedTable.of(now.get()),
        false);
  }

  /**
   * The topic decides what the table does not take. But first the table is looked at once more:
   * whoever was overtaken has no say there either (C15).
   */
  Phase afterFailure(Phase.RecordingHalt phase) {
    return phase.reloading()
        ? new Phase.PublishingHalt(phase.finding(), phase.event())
        : reloading(phase, settings.maxAttempts());
  }

  /** The end with a finding that something kept from being recorded. */
  static Stop withoutRecord(Finding finding, Stop failure) {
    return new Stop(
        Stop.Code.HALTED,
        finding.message()
            + ". The halt could not be recorded in full, so a restart may have to find it again: "
            + failure.message());
  }

  Phase afterPublish(Phase.PublishingHalt phase) {
    return new Phase.Stopped(new Stop(Stop.Code.HALTED, phase.finding().message()));
  }
}
