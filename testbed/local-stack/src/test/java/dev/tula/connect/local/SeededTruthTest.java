package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.cluster.Cluster;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeededTruthTest {
  @Test
  void it_agrees_with_the_engine_s_own_answer_byte_by_byte() {
    try (ReferenceCluster engine = ReferenceCluster.builder().seed(9).rows(4_000).start()) {
      for (long batch = 1; batch <= engine.head().globalBatchSeq(); batch += 7) {
        assertThat(seeded(engine, batch)).isEqualTo(answered(engine, batch)).isNotEmpty();
      }
    }
  }

  @Test
  void a_batch_without_records_can_t_be_told_the_time_of() {
    assertThatThrownBy(() -> new SeededTruth(3).rows()).hasMessageContaining("has no record");
  }

  private static List<ByteBuffer> seeded(ReferenceCluster engine, long batch) {
    SeededTruth seeded = new SeededTruth(batch);
    try (TruthReader truth = engine.truth(new RecordForm(true, false))) {
      boolean taken = true;
      while (taken && truth.next()) {
        taken = seeded.take(bytes(truth.row()));
      }
    }
    return seeded.rows();
  }

  private static List<ByteBuffer> answered(ReferenceCluster engine, long batch) {
    Cluster.ReadContext context = engine.cluster().readContext("c", 1 << 20);
    List<ByteBuffer> rows = new ArrayList<>();
    for (Message.StateKind kind : Message.StateKind.values()) {
      String cursor = "";
      do {
        Message.StatePage page =
            engine
                .cluster()
                .state(0, context, new Message.State(kind, Position.batchEnd(batch), cursor, 100));
        page.records().forEach(row -> rows.add(bytes(row)));
        cursor = page.nextCursor();
      } while (!cursor.isEmpty());
    }
    return rows;
  }

  private static ByteBuffer bytes(CanonicalRow row) {
    return ByteBuffer.wrap(row.array(), row.offset(), row.length());
  }
}
