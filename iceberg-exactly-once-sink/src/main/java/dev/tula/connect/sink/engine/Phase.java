package dev.tula.connect.sink.engine;

import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where a writer stands. Every phase is an immutable value: two engines in equal phases behave
 * alike, which is what lets an explorer visit each state once.
 */
public sealed interface Phase {
  /** Looks for the recorded identity (C2). */
  record LookingUpIdentity(int attempts) implements Phase {}

  /**
   * Found tables of the generation and no identity: reads the topics, to see whether that is a halt
   * of old before it becomes a new one (C26).
   */
  record MissingIdentity(String watermarkTable) implements Phase {}

  /** Records the identity of a new generation. */
  record CreatingIdentity(int attempts) implements Phase {}

  /**
   * Loads every data table and reads the topics, to see whether this is a fresh generation (C3) and
   * what epoch to take (C4). Nothing that is seen here decides more than that.
   */
  record Surveying(
      int attempts, Map<String, Optional<TableView>> tables, Optional<EventsView> events)
      implements Phase {
    /** Sorts and copies the map. */
    public Surveying {
      tables = sorted(tables);
    }
  }

  /**
   * Loads the watermark table after all others: its claims come first, so what is in them is in it.
   */
  record SurveyingWatermark(
      int attempts, Map<String, Optional<TableView>> tables, EventsView events) implements Phase {
    /** Sorts and copies the map. */
    public SurveyingWatermark {
      tables = sorted(tables);
    }
  }

  /** Creates what is missing of a fresh generation, the watermark table last (C3). */
  record CreatingTables(int attempts, Set<String> left) implements Phase {
    /** Sorts and copies the set. */
    public CreatingTables {
      left = Collections.unmodifiableSet(new TreeSet<>(left));
    }
  }

  /**
   * Claims the watermark table, which allots the claim number (C4). With no view, it is loaded
   * first.
   */
  record ClaimingWatermark(
      int attempts,
      long highestEpoch,
      Map<String, Optional<TableView>> tables,
      Optional<TableView> view)
      implements Phase {
    /** Sorts and copies the map. */
    public ClaimingWatermark {
      tables = sorted(tables);
    }
  }

  /** Claims the other tables side by side (C4). A table without a view is loaded first. */
  record ClaimingTables(
      int attempts, WriterClaim claim, OwnedTable watermark, Map<String, Optional<TableView>> left)
      implements Phase {
    /** Sorts and copies the map. */
    public ClaimingTables {
      left = sorted(left);
    }
  }

  /** Reads everything again: only what is read after all claims counts (C5). */
  record ReadingBack(
      WriterClaim claim,
      OwnedTable watermark,
      Map<String, TableView> seen,
      Optional<EventsView> events)
      implements Phase {
    /** Sorts and copies the map. */
    public ReadingBack {
      seen = sorted(seen);
    }
  }

  /** Publishes the checkpoint of W again (C11). */
  record Republishing(Writer writer, CheckpointEvent checkpoint) implements Phase {}

  /** Waits for the next range, or for START. */
  record Streaming(Writer writer) implements Phase {}

  /** Makes digests and files of a range. */
  record Staging(Writer writer, SealedRange range, Map<String, Outcome.Staged> staged)
      implements Phase {
    /** Sorts and copies the map. */
    public Staging {
      staged = sorted(staged);
    }
  }

  /**
   * Commits a range to its tables side by side. A table in {@code reloading} had a commit whose
   * reply is not known, and is loaded to find out.
   */
  record CommittingTables(
      int attempts,
      Writer writer,
      SealedRange range,
      Map<String, Outcome.Staged> left,
      Set<String> reloading)
      implements Phase {
    /** Sorts and copies the collections. */
    public CommittingTables {
      left = sorted(left);
      reloading = Collections.unmodifiableSet(new TreeSet<>(reloading));
    }
  }

  /** Makes the table events durable (C19). */
  record PublishingTables(Writer writer, SealedRange range, List<LakeEvent> events)
      implements Phase {
    /** Copies the list. */
    public PublishingTables {
      events = List.copyOf(events);
    }
  }

  /** Commits W. */
  record CommittingWatermark(int attempts, Writer writer, WatermarkMove move, boolean reloading)
      implements Phase {}

  /** Makes the checkpoint event durable; only then may the offset and the ack move (C19). */
  record PublishingCheckpoint(Writer writer, CheckpointEvent checkpoint) implements Phase {}

  /** Records a halt in the watermark table (C25). */
  record RecordingHalt(
      int attempts,
      Finding finding,
      HaltEvent event,
      Optional<WriterClaim> claim,
      OwnedTable watermark,
      boolean reloading)
      implements Phase {}

  /** Makes the halt event durable (C25). */
  record PublishingHalt(Finding finding, HaltEvent event) implements Phase {}

  /** Has ended. */
  record Stopped(Stop stop) implements Phase {}

  private static <T> Map<String, T> sorted(Map<String, T> map) {
    return Collections.unmodifiableMap(new TreeMap<>(map));
  }
}
