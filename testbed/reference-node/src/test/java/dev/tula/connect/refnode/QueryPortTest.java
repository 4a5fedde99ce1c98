package dev.tula.connect.refnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Frame;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.Acked;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.model.wire.Message.Hello;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.model.wire.Message.Role;
import dev.tula.connect.model.wire.Message.Status;
import dev.tula.connect.model.wire.Message.StatusOk;
import dev.tula.connect.model.wire.Message.Welcome;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.server.PortSecurity;
import dev.tula.connect.refnode.server.ServerLimits;
import dev.tula.connect.refnode.truth.TruthReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import javax.net.ServerSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The protocol over real sockets. */
@Timeout(300)
class QueryPortTest {
  private ReferenceCluster cluster;

  @BeforeEach
  void start() {
    cluster = ReferenceCluster.builder().seed(7).nodes(3).maxBatchRecords(100).rows(2000).start();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private TestClient connect(int node) {
    return TestClient.connect(cluster.addresses().get(node), "reader");
  }

  private static ErrorReply error(Message answer) {
    assertThat(answer).isInstanceOf(ErrorReply.class);
    return (ErrorReply) answer;
  }

  private static Fetch waiting(Position after, FetchOptions options, int waitMs) {
    return new Fetch("p", 1, 0, 1, after, Optional.empty(), 1000, 1 << 20, waitMs, options);
  }

  @Test
  void pages_over_a_socket_concatenate_to_the_truth() {
    try (TestClient client = connect(0)) {
      List<CanonicalRow> read = new ArrayList<>();
      Position at = Position.ORIGIN;
      while (cluster.head().isAfter(at)) {
        Page page = client.ask(TestClient.fetch(at, TestClient.FULL), Page.class);
        assertThat(page.coveredFrom()).isEqualTo(at);
        read.addAll(page.records());
        at = page.coveredTo();
      }
      assertThat(read).isEqualTo(truth(RecordForm.FULL)).hasSize(2000);
    }
  }

  private List<CanonicalRow> truth(RecordForm form) {
    try (TruthReader truth = cluster.truth(form)) {
      return truth.remaining();
    }
  }

  @Test
  void welcome_says_who_answers_and_who_leads() {
    try (TestClient client = TestClient.raw(cluster.addresses().get(1))) {
      Welcome welcome = client.ask(TestClient.hello("reader", 1 << 17), Welcome.class);
      assertThat(welcome.clusterId()).isEqualTo(ReferenceCluster.DEFAULT_CLUSTER_ID);
      assertThat(welcome.nodeId()).isEqualTo("node-2");
      assertThat(welcome.role()).isEqualTo(Role.FOLLOWER);
      assertThat(welcome.term()).isEqualTo(1);
      assertThat(welcome.leaderAddress()).isEqualTo(cluster.addresses().get(0));
      assertThat(welcome.head()).isEqualTo(cluster.head());
      assertThat(welcome.maxFrameBytes()).isEqualTo(1 << 17);
      assertThat(welcome.maxBatchRecords()).isEqualTo(8190);
    }
  }

  @Test
  void a_hello_that_does_not_fit_is_refused() {
    assertThat(refusal(new Hello(2, 3, "r", Optional.empty(), 1 << 20)))
        .isEqualTo(ErrorCode.ERR_VERSION);
    assertThat(refusal(new Hello(1, 1, "r", Optional.of("other"), 1 << 20)))
        .isEqualTo(ErrorCode.ERR_CLUSTER_MISMATCH);
    assertThat(refusal(new Hello(1, 1, "r", Optional.empty(), 100)))
        .isEqualTo(ErrorCode.ERR_BAD_REQUEST);
    assertThat(refusal(new Hello(1, 1, "", Optional.empty(), 1 << 20)))
        .isEqualTo(ErrorCode.ERR_BAD_REQUEST);
    assertThat(refusal(new Status())).as("before HELLO").isEqualTo(ErrorCode.ERR_PROTOCOL);
  }

  private ErrorCode refusal(Message first) {
    try (TestClient client = TestClient.raw(cluster.addresses().get(0))) {
      client.send(first);
      ErrorCode code = error(client.receive().message()).code();
      assertThat(client.isClosedByServer()).isTrue();
      return code;
    }
  }

  @Test
  void a_long_poll_waits_for_something_new() {
    Position head = cluster.head();
    try (TestClient client = connect(0)) {
      client.send(waiting(head, TestClient.METADATA, 30_000));
      cluster.advance(1);
      Page page = (Page) client.receive().message();
      assertThat(page.records()).hasSize(1);
      assertThat(page.coveredTo()).isEqualTo(cluster.head());
    }
  }

  @Test
  void an_empty_page_comes_when_the_wait_is_over() {
    try (TestClient client = connect(0)) {
      Page page = client.ask(waiting(cluster.head(), TestClient.METADATA, 1), Page.class);
      assertThat(page.records()).isEmpty();
      assertThat(page.coveredTo()).isEqualTo(cluster.head());
      assertThat(page.closedThroughMicros())
          .isGreaterThanOrEqualTo(
              cluster.ledger().history().recordedAtMicros(cluster.ledger().history().head()));
    }
  }

  @Test
  void an_ack_is_answered_while_a_fetch_waits_on_the_same_connection() {
    try (TestClient client = connect(0)) {
      // Takes the lease first: the two requests that follow may be served in either order.
      client.ask(waiting(cluster.head(), TestClient.METADATA, 0), Page.class);
      long fetch = client.send(waiting(cluster.head(), TestClient.METADATA, 30_000));
      Acked acked = client.ask(ack(cluster.head(), 1), Acked.class);
      assertThat(acked.creditedThrough()).isEqualTo(cluster.head());
      cluster.advance(1);
      assertThat(client.receive().correlation()).isEqualTo(fetch);
    }
  }

  private static Ack ack(Position through, long term) {
    return new Ack("p", 1, 0, 1, through, term);
  }

  @Test
  void too_many_fetches_at_once_are_busy() {
    try (TestClient client = connect(0)) {
      int allowed = ServerLimits.DEFAULT.maxFetchesInFlight();
      for (int i = 0; i < allowed; i++) {
        client.send(waiting(cluster.head(), TestClient.METADATA, 30_000));
      }
      client.send(waiting(cluster.head(), TestClient.METADATA, 30_000));
      ErrorReply busy = error(client.receive().message());
      assertThat(busy.code()).isEqualTo(ErrorCode.ERR_BUSY);
      assertThat(busy.retryAfterMs()).isPositive();
      cluster.advance(1);
      for (int i = 0; i < allowed; i++) {
        assertThat(client.receive().message()).isInstanceOf(Page.class);
      }
    }
  }

  @Test
  void a_follower_sends_the_reader_to_the_leader_unless_it_may_answer() {
    try (TestClient client = connect(1)) {
      ErrorReply refused = error(client.ask(TestClient.fetch(Position.ORIGIN, TestClient.PLAIN)));
      assertThat(refused.code()).isEqualTo(ErrorCode.ERR_NOT_LEADER);
      assertThat(refused.leaderAddress()).isEqualTo(cluster.leaderAddress());
      Page page = client.ask(TestClient.fetch(Position.ORIGIN, TestClient.FOLLOWER), Page.class);
      assertThat(page.records()).isNotEmpty();
      assertThat(error(client.ask(ack(cluster.head(), 1))).code())
          .isEqualTo(ErrorCode.ERR_NOT_LEADER);
    }
  }

  @Test
  void a_waiting_fetch_learns_that_its_node_leads_no_more() {
    try (TestClient client = connect(0)) {
      client.send(waiting(cluster.head(), TestClient.PLAIN, 30_000));
      cluster.faults().changeLeader();
      ErrorReply moved = error(client.receive().message());
      assertThat(moved.code()).isEqualTo(ErrorCode.ERR_NOT_LEADER);
      assertThat(moved.leaderAddress()).isEqualTo(cluster.addresses().get(1));
    }
  }

  @Test
  void a_new_term_has_no_credit_until_the_ack_comes_again() {
    try (TestClient first = connect(0);
        TestClient second = connect(1)) {
      first.ask(TestClient.fetch(cluster.head(), TestClient.LEASE));
      assertThat(first.ask(ack(cluster.head(), 1), Acked.class).creditedThrough())
          .isEqualTo(cluster.head());
      cluster.faults().changeLeader();

      assertThat(error(second.ask(ack(cluster.head(), 1))).code())
          .isEqualTo(ErrorCode.ERR_STALE_TERM);
      StatusOk status = second.ask(new Status(), StatusOk.class);
      assertThat(status.term()).isEqualTo(2);
      assertThat(status.leases().get(0).ackedThrough()).isEqualTo(Position.ORIGIN);
      assertThat(error(second.ask(ack(cluster.head(), 3))).code())
          .isEqualTo(ErrorCode.ERR_BAD_REQUEST);

      second.ask(TestClient.fetch(cluster.head(), TestClient.LEASE));
      assertThat(second.ask(ack(cluster.head(), 2), Acked.class).creditedThrough())
          .isEqualTo(cluster.head());
    }
  }

  @Test
  void a_cursor_above_the_head_is_refused_everywhere() {
    Position ahead = Position.batchEnd(cluster.head().globalBatchSeq() + 1);
    try (TestClient client = connect(0)) {
      assertThat(error(client.ask(TestClient.fetch(ahead, TestClient.PLAIN))).code())
          .isEqualTo(ErrorCode.ERR_POSITION_AHEAD);
      assertThat(error(client.ask(ack(ahead, 1))).code()).isEqualTo(ErrorCode.ERR_POSITION_AHEAD);
    }
  }

  @Test
  void a_lagging_follower_says_busy_about_what_it_has_not_seen_and_never_ahead() {
    cluster.faults().lag(1, 5);
    try (TestClient client = connect(1)) {
      Page page =
          client.ask(
              TestClient.fetch(
                  Position.batchEnd(cluster.head().globalBatchSeq() - 8), TestClient.FOLLOWER),
              Page.class);
      assertThat(page.head()).isEqualTo(Position.batchEnd(cluster.head().globalBatchSeq() - 5));
      assertThat(page.coveredTo()).isEqualTo(page.head());
      assertThat(error(client.ask(TestClient.fetch(cluster.head(), TestClient.FOLLOWER))).code())
          .isEqualTo(ErrorCode.ERR_BUSY);
    }
  }

  @Test
  void what_was_reclaimed_is_refused_with_the_floor() {
    Position floor = Position.batchEnd(9);
    try (TestClient client = connect(0)) {
      cluster.faults().advanceFloor(floor);
      ErrorReply gone = error(client.ask(TestClient.fetch(Position.batchEnd(3), TestClient.PLAIN)));
      assertThat(gone.code()).isEqualTo(ErrorCode.ERR_EXPORT_RANGE_RECLAIMED);
      assertThat(gone.requested()).contains(Position.batchEnd(3));
      assertThat(gone.floor()).contains(floor);
      Page page = client.ask(TestClient.fetch(floor, TestClient.METADATA), Page.class);
      assertThat(page.reclaimFloor()).isEqualTo(floor);
      assertThat(page.records().get(0).globalBatchSeq()).isEqualTo(10);
    }
  }

  @Test
  void a_group_needs_leases_the_leader_and_2_to_32_members() {
    FetchOptions groupOnFollower = new FetchOptions(false, false, true, true, true);
    FetchOptions withoutLease = new FetchOptions(false, false, false, true, false);
    try (TestClient leader = connect(0);
        TestClient follower = connect(1)) {
      ErrorReply elsewhere =
          error(follower.ask(TestClient.fetch(0, 2, Position.ORIGIN, groupOnFollower)));
      assertThat(elsewhere.code()).isEqualTo(ErrorCode.ERR_EXPORT_GROUP_CONFLICT);
      assertThat(elsewhere.subCode()).isEqualTo(ErrorCode.GROUP_NOT_THE_LEADERS);
      for (Fetch bad :
          List.of(
              TestClient.fetch(0, 1, Position.ORIGIN, TestClient.GROUP),
              TestClient.fetch(0, 33, Position.ORIGIN, TestClient.GROUP),
              TestClient.fetch(0, 2, Position.ORIGIN, withoutLease))) {
        assertThat(error(leader.ask(bad)).code()).isEqualTo(ErrorCode.ERR_BAD_REQUEST);
      }
      Page page =
          leader.ask(TestClient.fetch(0, 32, Position.ORIGIN, TestClient.GROUP), Page.class);
      assertThat(page.group().count()).isEqualTo(32);
      assertThat(page.group().membersPresent()).isEqualTo(1);
    }
  }

  @Test
  void requests_that_can_never_be_answered_are_bad() {
    Position at = Position.batchEnd(5);
    FetchOptions plain = TestClient.PLAIN;
    Optional<Position> before = Optional.of(Position.batchEnd(4));
    List<Message> bad =
        List.of(
            new Fetch("", 1, 0, 1, at, Optional.empty(), 1, 1, 0, plain),
            new Fetch("p", 0, 0, 1, at, Optional.empty(), 1, 1, 0, plain),
            new Fetch("p", 1, 1, 1, at, Optional.empty(), 1, 1, 0, plain),
            new Fetch("p", 1, 0, 0, at, Optional.empty(), 1, 1, 0, plain),
            new Fetch("p", 1, 0, 1, at, before, 1, 1, 0, plain),
            new Fetch("p", 1, 0, 1, at, Optional.empty(), 0, 1, 0, plain),
            new Fetch("p", 1, 0, 1, at, Optional.empty(), 1, 0, 0, plain),
            new Fetch(
                "p",
                1,
                0,
                1,
                at,
                Optional.empty(),
                1,
                1,
                0,
                new FetchOptions(false, true, false, false, false)),
            new Ack("p", 1, 4, 4, at, 1));
    try (TestClient client = connect(0)) {
      for (Message request : bad) {
        assertThat(error(client.ask(request)).code())
            .as(request.toString())
            .isEqualTo(ErrorCode.ERR_BAD_REQUEST);
      }
    }
  }

  @Test
  void a_lease_belongs_to_its_clients_name() {
    try (TestClient first = TestClient.connect(cluster.addresses().get(0), "first");
        TestClient again = TestClient.connect(cluster.addresses().get(0), "first");
        TestClient second = TestClient.connect(cluster.addresses().get(0), "second")) {
      Fetch fetch = TestClient.fetch(Position.ORIGIN, TestClient.LEASE);
      assertThat(first.ask(fetch)).isInstanceOf(Page.class);
      assertThat(again.ask(fetch)).isInstanceOf(Page.class);
      assertThat(error(second.ask(fetch)).subCode()).isEqualTo(ErrorCode.GROUP_INDEX_TAKEN);
      cluster.faults().dropLeases();
      assertThat(second.ask(fetch)).isInstanceOf(Page.class);
    }
  }

  @Test
  void torn_and_corrupt_frames_are_what_they_say() {
    Fetch fetch = TestClient.fetch(Position.ORIGIN, TestClient.PLAIN);
    cluster.faults().switches().corruptFrames(1);
    try (TestClient client = connect(0)) {
      assertThatThrownBy(() -> client.ask(fetch)).hasMessageContaining("crc32c");
    }
    cluster.faults().switches().tearFrames(1);
    try (TestClient client = connect(0)) {
      assertThatThrownBy(() -> client.ask(fetch)).hasMessageContaining("EOF");
    }
    try (TestClient client = connect(0)) {
      assertThat(client.ask(fetch)).isInstanceOf(Page.class);
    }
  }

  @Test
  void a_lost_ack_answer_is_an_ack_all_the_same() {
    cluster.faults().switches().loseAckAnswers(1);
    try (TestClient client = connect(0)) {
      client.ask(TestClient.fetch(cluster.head(), TestClient.LEASE));
      client.send(ack(cluster.head(), 1));
      assertThat(client.isClosedByServer()).isTrue();
      assertThat(cluster.acks()).hasSize(1).allMatch(ack -> ack.accepted());
    }
  }

  @Test
  void faults_are_answered_as_asked_and_then_end() {
    Fetch fetch = TestClient.fetch(Position.ORIGIN, TestClient.LEASE);
    try (TestClient client = connect(0)) {
      cluster.faults().groupConflict(2, ErrorCode.GROUP_COUNT_DIFFERS);
      assertThat(error(client.ask(fetch)).subCode()).isEqualTo(1);
      assertThat(error(client.ask(fetch)).subCode()).isEqualTo(1);
      cluster.faults().busy(1, 77);
      assertThat(error(client.ask(fetch)).retryAfterMs()).isEqualTo(77);
      long closed = client.ask(fetch, Page.class).closedThroughMicros();
      cluster.faults().switches().regressClosedThrough(1);
      assertThat(client.ask(fetch, Page.class).closedThroughMicros()).isLessThan(closed);
      assertThat(client.ask(fetch, Page.class).closedThroughMicros()).isEqualTo(closed);
    }
  }

  @Test
  void the_advisory_flags_say_what_became_of_the_lease() {
    Fetch fetch = TestClient.fetch(Position.ORIGIN, TestClient.LEASE);
    try (TestClient client = connect(0)) {
      assertThat(client.ask(fetch, Page.class).flags()).isEqualTo(Message.PageFlags.NONE);
      cluster.faults().switches().leasesNotDurable(true);
      assertThat(client.ask(fetch, Page.class).flags().leaseNotDurable()).isTrue();
      cluster.faults().switches().holdsReleased(true);
      assertThat(client.ask(fetch, Page.class).flags().exportHoldReleased()).isTrue();
      cluster.faults().dropLeases();
      cluster.faults().switches().leaseTableFull(true);
      assertThat(client.ask(fetch, Page.class).flags().noLease()).isTrue();
      cluster.faults().switches().clear();
      assertThat(client.ask(fetch, Page.class).flags()).isEqualTo(Message.PageFlags.NONE);
    }
  }

  @Test
  void a_restarted_node_listens_at_its_port_again_and_another_leads() {
    String address = cluster.addresses().get(0);
    try (TestClient client = connect(0)) {
      client.send(waiting(cluster.head(), TestClient.PLAIN, 30_000));
      cluster.faults().restartNode(0);
      assertThat(client.isClosedByServer()).isTrue();
    }
    assertThat(cluster.addresses().get(0)).isEqualTo(address);
    for (int restart = 0; restart < 20; restart++) {
      cluster.faults().restartNode(2);
    }
    try (TestClient client = TestClient.raw(address)) {
      Welcome welcome = client.ask(TestClient.hello("reader", 1 << 20), Welcome.class);
      assertThat(welcome.role()).isEqualTo(Role.FOLLOWER);
      assertThat(welcome.term()).isEqualTo(2);
      assertThat(welcome.leaderAddress()).isEqualTo(cluster.addresses().get(1));
    }
  }

  @Test
  void a_connection_beyond_the_limit_is_busy() {
    cluster.close();
    cluster = ReferenceCluster.builder().limits(ServerLimits.DEFAULT.withMaxConnections(1)).start();
    try (TestClient first = connect(0);
        TestClient second = TestClient.raw(cluster.addresses().get(0))) {
      assertThat(error(second.receive().message()).code()).isEqualTo(ErrorCode.ERR_BUSY);
      assertThat(second.isClosedByServer()).isTrue();
      assertThat(first.ask(new Status())).isInstanceOf(StatusOk.class);
    }
  }

  @Test
  void an_idle_connection_is_closed_but_not_while_a_fetch_waits() {
    cluster.close();
    cluster =
        ReferenceCluster.builder()
            .rows(100)
            .limits(ServerLimits.DEFAULT.withTimeoutsMs(2000, 10_000))
            .start();
    try (TestClient client = connect(0)) {
      Page page = client.ask(waiting(cluster.head(), TestClient.PLAIN, 3000), Page.class);
      assertThat(page.records()).isEmpty();
      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void a_frame_that_drips_in_for_longer_than_it_may_ends_its_connection_and_no_other() {
    cluster.close();
    cluster =
        ReferenceCluster.builder()
            .rows(100)
            .limits(ServerLimits.DEFAULT.withFrameTimeoutMs(1_500))
            .start();
    try (TestClient other = connect(0);
        TestClient greeted = connect(0);
        TestClient fresh = TestClient.raw(cluster.addresses().get(0))) {
      for (TestClient slow : List.of(greeted, fresh)) {
        slow.write(new byte[] {0, 0, 0x40, 0});
        while (slow.drips()) {
          assertThat(other.ask(new Status())).isInstanceOf(StatusOk.class);
        }
      }
      Page page = other.ask(waiting(cluster.head(), TestClient.PLAIN, 2_500), Page.class);
      assertThat(page.records()).as("between two frames one may take one's time").isEmpty();
    }
  }

  @Test
  void without_the_exporter_role_only_status_is_answered() {
    cluster.close();
    cluster = ReferenceCluster.builder().rows(100).security(nobodyExports()).start();
    try (TestClient client = connect(0)) {
      assertThat(client.ask(new Status())).isInstanceOf(StatusOk.class);
      for (Message request :
          List.of(
              TestClient.fetch(Position.ORIGIN, TestClient.PLAIN),
              ack(Position.ORIGIN, 1),
              new Message.State(Message.StateKind.ACCOUNTS, Position.ORIGIN, "", 1))) {
        assertThat(error(client.ask(request)).code()).isEqualTo(ErrorCode.ERR_UNAUTHORIZED);
      }
    }
  }

  private static PortSecurity nobodyExports() {
    return new PortSecurity() {
      @Override
      public ServerSocketFactory sockets() {
        return ServerSocketFactory.getDefault();
      }

      @Override
      public boolean isExporter(Socket peer) {
        return false;
      }

      @Override
      public boolean mayListenAt(InetAddress address) {
        return true;
      }
    };
  }

  @Test
  void without_tls_no_other_address_than_loopback_is_listened_at() throws UnknownHostException {
    ReferenceCluster.Builder open =
        ReferenceCluster.builder().address(InetAddress.getByName("0.0.0.0"));
    assertThatThrownBy(open::start)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("loopback");
  }

  /**
   * Whatever bytes come, the node answers with an error or closes, and goes on serving others.
   * {@code -Dtula.fuzz.cases=} and {@code -Dtula.fuzz.seed=} make a longer or another run of it.
   */
  @Test
  @Timeout(3_600)
  void no_bytes_bring_a_node_down() {
    long seed = Long.getLong("tula.fuzz.seed", 20_260_101);
    int cases = Integer.getInteger("tula.fuzz.cases", 400);
    FrameMutator mutator = new FrameMutator(seed);
    Random random = new Random(seed);
    FrameCodec codec = new FrameCodec(Message.DEFAULT_MAX_FRAME_BYTES);
    List<Message> requests =
        List.of(
            TestClient.hello("fuzz", 1 << 20),
            TestClient.fetch(Position.ORIGIN, TestClient.FULL),
            ack(cluster.head(), 1),
            new Message.State(Message.StateKind.ACCOUNTS, Position.batchEnd(3), "", 10),
            new Status());
    for (int round = 0; round < cases; round++) {
      boolean greeted = round % 2 == 0;
      try (TestClient client =
          greeted ? connect(round % 3) : TestClient.raw(cluster.addresses().get(round % 3))) {
        byte[] frame = codec.encode(1, requests.get(random.nextInt(requests.size())));
        client.write(mutator.mutate(frame));
        client.shutdownOutput();
        client.drain();
      }
    }
    assertThat(cluster.cluster().failures()).as("each was foreseen, seed %s", seed).isZero();
    for (int node = 0; node < 3; node++) {
      try (TestClient client = connect(node)) {
        assertThat(client.ask(new Status())).isInstanceOf(StatusOk.class);
      }
    }
  }

  @Test
  void a_writer_and_many_readers_at_once_see_one_truth() {
    cluster.startLoad(30_000, 0);
    List<CompletableFuture<List<CanonicalRow>>> readers = new ArrayList<>();
    for (int partition = 0; partition < 4; partition++) {
      int own = partition;
      readers.add(CompletableFuture.supplyAsync(() -> readThrough(own, 4, 30_000)));
    }
    List<CanonicalRow> merged = new ArrayList<>();
    readers.forEach(reader -> merged.addAll(reader.join()));
    merged.sort(Comparator.comparing(CanonicalRow::position));
    assertThat(merged).isEqualTo(truth(RecordForm.FULL)).hasSize(30_000);
  }

  private List<CanonicalRow> readThrough(int partition, int count, long rows) {
    List<CanonicalRow> read = new ArrayList<>();
    Position at = Position.ORIGIN;
    long closed = Long.MIN_VALUE;
    try (TestClient client = connect(0)) {
      while (cluster.rows() < rows || cluster.head().isAfter(at)) {
        Fetch fetch =
            new Fetch(
                "p", 1, partition, count, at, Optional.empty(), 500, 1 << 20, 20, TestClient.FULL);
        Page page = client.ask(fetch, Page.class);
        assertThat(page.closedThroughMicros()).isGreaterThanOrEqualTo(closed);
        closed = page.closedThroughMicros();
        read.addAll(page.records());
        at = page.coveredTo();
      }
    }
    return read;
  }

  @Test
  void an_answer_repeats_the_correlation_of_its_request() {
    try (TestClient client = connect(0)) {
      long sent = client.send(new Status());
      Frame answer = client.receive();
      assertThat(answer.correlation()).isEqualTo(sent);
    }
  }
}
