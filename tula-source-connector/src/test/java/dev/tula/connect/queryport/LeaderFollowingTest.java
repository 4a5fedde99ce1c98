package dev.tula.connect.queryport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client over TCP, and three nodes of a real ledger that fail in every way that they can. */
@Timeout(300)
class LeaderFollowingTest {
  private static final int REQUEST_TIMEOUT_MS = 30_000;
  private static final int SHORT_REQUEST_TIMEOUT_MS = 2_000;

  private final ReferenceCluster ledger =
      ReferenceCluster.builder().nodes(3).seed(21).rows(600).maxBatchRecords(20).start();
  private final ManualClock clock = new ManualClock();
  private final List<NodeAddress> connected = new ArrayList<>();
  private final List<Exception> retried = new ArrayList<>();
  private final List<ClientObserver.ProbeOutcome> probes = new ArrayList<>();
  private Runnable onceRetrying = () -> {};
  private int requestTimeoutMs = REQUEST_TIMEOUT_MS;
  private LeaderClient client;

  @AfterEach
  void stop() {
    if (client != null) {
      client.close();
    }
    ledger.close();
  }

  @Test
  void a_not_leader_answer_with_a_hint_leads_straight_to_the_leader() throws Exception {
    ledger.faults().changeLeader(2);
    client = client(node(0), node(1), node(2));
    assertThat(readAll()).isEqualTo(truth());
    assertThat(connected).containsExactly(node(2));
    assertThat(retried).hasSize(1);
    assertThat(clock.sleeps()).isEmpty();
  }

  @Test
  void a_not_leader_answer_without_a_hint_leads_round_the_list() throws Exception {
    ledger.faults().changeLeader(2);
    ledger.faults().switches().leaderHint("");
    client = client(node(0), node(1), node(2));
    assertThat(readAll()).isEqualTo(truth());
    assertThat(connected).containsExactly(node(2));
    assertThat(retried).hasSize(2);
  }

  @Test
  void a_hint_that_is_no_address_or_outside_the_list_is_not_followed_without_tls()
      throws Exception {
    ledger.faults().changeLeader(2);
    for (String hint : List.of("not an address", "203.0.113.7:7800", "[::")) {
      ledger.faults().switches().leaderHint(hint);
      client = client(node(0), node(1), node(2));
      assertThat(page(Position.ORIGIN).records()).isNotEmpty();
      client.close();
    }
    assertThat(connected).containsOnly(node(2)).hasSize(3);
  }

  @Test
  void a_leader_that_dies_in_the_middle_of_a_page_costs_no_row_and_doubles_none() throws Exception {
    client = client(node(0), node(1), node(2));
    List<CanonicalRow> rows = new ArrayList<>(page(Position.ORIGIN).records());
    ledger.faults().switches().tearFrames(1);
    onceRetrying = () -> ledger.faults().stopNode(0);
    rows.addAll(readAfter(rows.get(rows.size() - 1).position()));
    assertThat(rows).isEqualTo(truth());
    assertThat(retried.get(0)).hasMessageContaining("in the middle of an answer");
    assertThat(client.leadership().orElseThrow().node()).isEqualTo(node(1));
    assertThat(client.leadership().orElseThrow().term()).isEqualTo(ledger.cluster().term());
  }

  @Test
  void an_old_leader_that_is_cut_off_and_answers_on_is_found_out_and_left() throws Exception {
    client = client(node(0), node(1), node(2));
    List<CanonicalRow> rows = new ArrayList<>(readAll());
    Position end = ledger.head();
    ledger.faults().cutOffLeader();
    ledger.advance(50);
    assertThat(page(end).term()).as("it answers on, in its own term").isEqualTo(1);
    assertThat(page(end).records()).isEmpty();
    clock.advance(LeaderClient.IDLE_PROBE_MS);
    assertThat(page(end).records()).as("the last thing that it says").isEmpty();
    rows.addAll(readAfter(end));
    assertThat(rows).isEqualTo(truth());
    assertThat(client.leadership().orElseThrow().node()).isEqualTo(node(1));
    assertThat(probes).containsExactly(ClientObserver.ProbeOutcome.NEWER_TERM);
  }

  @Test
  void a_leader_with_nothing_new_is_asked_about_only_now_and_then_and_what_came_of_it_is_told()
      throws Exception {
    client = client(node(0), node(1), node(2));
    Position end = ledger.head();
    page(end);
    assertThat(probes).isEmpty();
    clock.advance(LeaderClient.IDLE_PROBE_MS);
    page(end);
    page(end);
    assertThat(probes).containsExactly(ClientObserver.ProbeOutcome.CONFIRMED);
    ledger.faults().stopNode(1);
    ledger.faults().stopNode(2);
    clock.advance(LeaderClient.IDLE_PROBE_MS);
    page(end);
    assertThat(probes)
        .containsExactly(ClientObserver.ProbeOutcome.CONFIRMED, ClientObserver.ProbeOutcome.FAILED);
    assertThat(client.leadership().orElseThrow().node()).isEqualTo(node(0));
  }

  @Test
  void an_old_leader_s_lower_term_is_not_believed_once_a_newer_one_was_seen() throws Exception {
    client = client(node(0), node(2), node(1));
    page(Position.ORIGIN);
    ledger.faults().cutOffLeader();
    ledger.faults().switches().tearFrames(1);
    assertThat(readAll()).isEqualTo(truth());
    assertThat(client.leadership().orElseThrow().term()).isEqualTo(2);
    ledger.faults().stopNode(1);
    ledger.faults().startNode(1);
    ledger.faults().switches().leaderHint(node(0).toString());
    assertThat(readAll()).isEqualTo(truth());
    assertThat(client.leadership().orElseThrow().node())
        .as("node 0 says that it leads, in term 1")
        .isEqualTo(node(2));
    assertThat(retried).anyMatch(error -> error.getMessage().contains("in term 1 after term"));
  }

  @Test
  void a_fresh_client_whose_position_an_old_leader_lacks_asks_for_the_newer_term_before_it_halts()
      throws Exception {
    ledger.faults().cutOffLeader();
    ledger.advance(50);
    Position end = ledger.head();
    client = client(node(0), node(1), node(2));
    assertThat(page(end).coveredTo()).isEqualTo(end);
    assertThat(client.leadership().orElseThrow().node()).isEqualTo(node(1));

    client.close();
    client = client(node(0), node(1), node(2));
    Position beyond = Position.batchEnd(end.globalBatchSeq() + 1);
    assertThatExceptionOfType(ExportFailure.class)
        .as("the newest leader lacks it too")
        .isThrownBy(() -> page(beyond))
        .withMessageStartingWith("TULA-86 ");
  }

  @Test
  void a_half_open_connection_is_found_by_the_deadline_of_a_read() throws Exception {
    requestTimeoutMs = SHORT_REQUEST_TIMEOUT_MS;
    try (FreezableProxy network = new FreezableProxy(node(0))) {
      client = client(network.address(), node(1), node(2));
      List<CanonicalRow> rows = new ArrayList<>(page(Position.ORIGIN).records());
      network.freeze();
      ledger.faults().changeLeader(1);
      rows.addAll(readAfter(rows.get(rows.size() - 1).position()));
      assertThat(rows).isEqualTo(truth());
      assertThat(retried.get(0)).hasRootCauseInstanceOf(SocketTimeoutException.class);
      assertThat(connected).containsExactly(network.address(), node(1));
    }
  }

  @Test
  void with_all_hosts_down_it_waits_longer_each_time_within_the_cap_and_goes_on_when_one_is_back()
      throws Exception {
    client = client(node(0), node(1), node(2));
    List<CanonicalRow> rows = new ArrayList<>(page(Position.ORIGIN).records());
    for (int node = 0; node < 3; node++) {
      ledger.faults().stopNode(node);
    }
    int waits = 12;
    clock.afterSleeps(waits, () -> ledger.faults().startNode(ledger.cluster().leader()));
    rows.addAll(readAfter(rows.get(rows.size() - 1).position()));
    assertThat(rows).isEqualTo(truth());
    List<Long> sleeps = clock.sleeps();
    assertThat(sleeps).hasSizeBetween(waits, waits + 3);
    for (int i = 0; i < waits; i++) {
      long cap = Math.min(10_000, 100L << i);
      assertThat(sleeps.get(i)).as("wait %s, jittered", i).isBetween(cap / 2, cap);
    }
  }

  @Test
  void with_all_hosts_down_for_too_long_it_fails_and_says_what_it_tried() {
    client = client(node(0), node(1), node(2));
    for (int node = 0; node < 3; node++) {
      ledger.faults().stopNode(node);
    }
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(this::readAll)
        .withMessageContaining("no node of")
        .withMessageContaining("can't connect to")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE));
    assertThat(clock.sleeps().stream().mapToLong(Long::longValue).sum())
        .isBetween(60_000L, 70_000L);
  }

  private NodeAddress node(int number) {
    return NodeAddress.parse(ledger.addresses().get(number));
  }

  private LeaderClient client(NodeAddress... hosts) {
    String list = String.join(",", List.of(hosts).stream().map(NodeAddress::toString).toList());
    QueryPortConfig config =
        new QueryPortConfig(
            Map.of(
                QueryPortConfig.HOSTS,
                list,
                QueryPortConfig.CLUSTER_ID,
                ledger.clusterId(),
                QueryPortConfig.REQUEST_TIMEOUT_MS,
                requestTimeoutMs,
                QueryPortConfig.RETRY_TIMEOUT_MS,
                60_000L));
    return LeaderClient.builder(config, "me")
        .clock(clock)
        .random(new Random(3))
        .observer(
            new ClientObserver() {
              @Override
              public void onRetry(Exception error) {
                retried.add(error);
                Runnable once = onceRetrying;
                onceRetrying = () -> {};
                once.run();
              }

              @Override
              public void onProbe(ProbeOutcome outcome) {
                probes.add(outcome);
              }

              @Override
              public void onConnected(NodeAddress node) {
                connected.add(node);
              }
            })
        .build();
  }

  private Message.Page page(Position after) throws InterruptedException {
    return client.fetch(
        new Message.Fetch(
            "p",
            1,
            0,
            1,
            after,
            Optional.empty(),
            100,
            1 << 20,
            0,
            new Message.FetchOptions(false, false, true, false, false)));
  }

  private List<CanonicalRow> readAll() throws InterruptedException {
    return readAfter(Position.ORIGIN);
  }

  private List<CanonicalRow> readAfter(Position after) throws InterruptedException {
    List<CanonicalRow> rows = new ArrayList<>();
    Position at = after;
    while (ledger.head().isAfter(at)) {
      Message.Page page = page(at);
      rows.addAll(page.records());
      at = page.coveredTo();
    }
    return rows;
  }

  private List<CanonicalRow> truth() {
    try (TruthReader reader = ledger.truth(RecordForm.NARROW)) {
      return reader.remaining();
    }
  }
}
