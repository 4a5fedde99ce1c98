package dev.tula.connect.source;

import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The checkpoints topic in memory; whoever opens it reads it from its beginning. */
final class CheckpointsDouble {
  private final List<CheckpointEvent> events = new CopyOnWriteArrayList<>();

  /** The sink published a watermark: the end of a batch. */
  void checkpoint(StreamIdentity identity, long batch) {
    events.add(PartitionAcksTest.checkpoint(EventIdentity.of(identity), 1, batch));
  }

  /** Opens it for one task. */
  CheckpointTail open() {
    return new CheckpointTail() {
      private int read;

      @Override
      public Reach poll(long waitMs, Sink sink) throws InterruptedException {
        if (read == events.size()) {
          TimeUnit.MILLISECONDS.sleep(5);
        }
        while (read < events.size()) {
          CheckpointEvent event = events.get(read++);
          sink.onCheckpoint(event.identity().partition(), event);
        }
        return Reach.THROUGH;
      }

      @Override
      public void close() {}
    };
  }
}
