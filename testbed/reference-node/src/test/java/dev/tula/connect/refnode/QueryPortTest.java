package dev.tula.connect.refnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryPortTest {
  @Test
  void pages_over_a_socket_concatenate_to_the_truth() {
    try (ReferenceCluster cluster = ReferenceCluster.builder().seed(7).rows(20_000).start();
        TestClient client = TestClient.connect(cluster.addresses().get(0), "reader")) {
      List<CanonicalRow> read = new ArrayList<>();
      Position at = Position.ORIGIN;
      while (cluster.head().isAfter(at)) {
        Page page = client.ask(TestClient.fetch(at, TestClient.FULL), Page.class);
        assertThat(page.coveredFrom()).isEqualTo(at);
        read.addAll(page.records());
        at = page.coveredTo();
      }
      assertThat(read).isEqualTo(truth(cluster, RecordForm.FULL)).hasSize(20_000);
    }
  }

  private static List<CanonicalRow> truth(ReferenceCluster cluster, RecordForm form) {
    List<CanonicalRow> rows = new ArrayList<>();
    try (TruthReader truth = cluster.truth(form)) {
      while (truth.next()) {
        rows.add(truth.row());
      }
    }
    return rows;
  }
}
