package dev.tula.connect.queryport;

import static dev.tula.connect.queryport.FakeEngine.A;
import static dev.tula.connect.queryport.FakeEngine.B;
import static dev.tula.connect.queryport.FakeEngine.C;
import static dev.tula.connect.queryport.FakeEngine.error;
import static dev.tula.connect.queryport.FakeEngine.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeaderClientTest {
  private static final long RETRY_TIMEOUT_MS = 60_000;
  private static final long INDEX_TAKEN_TIMEOUT_MS = 20_000;

  private final FakeEngine engine = new FakeEngine().commitBatches(3, 2);
  private final ManualClock clock = new ManualClock();
  private int retries;

  @Test
  void a_follower_s_hint_is_followed() throws Exception {
    engine.elect(C, true);
    LeaderClient client = client("a:1", "b:2", "c:3");
    client.fetch(fetch());
    assertThat(engine.opens()).containsExactly(A, C);
    assertThat(client.leadership()).contains(new Leadership(C, 2, Message.Role.LEADER));
    assertThat(clock.sleeps()).isEmpty();
  }

  @Test
  void without_a_hint_every_node_is_tried() throws Exception {
    engine.hints(false);
    engine.elect(C, true);
    client("a:1", "b:2", "c:3").fetch(fetch());
    assertThat(engine.opens()).containsExactly(A, B, C);
  }

  @Test
  void a_hint_outside_the_list_is_not_followed_without_tls() throws Exception {
    engine.elect(C, true);
    LeaderClient client = client("a:1", "b:2");
    assertThatExceptionOfType(ExportFailure.class).isThrownBy(() -> client.fetch(fetch()));
    assertThat(engine.opens()).doesNotContain(C);
  }

  @Test
  void a_hint_outside_the_list_is_followed_under_tls_only_if_host_names_are_verified()
      throws Exception {
    engine.elect(C, true);
    Map<String, String> tls = Map.of(QueryPortConfig.HOSTS, "a:1,b:2", "tula.ssl.protocol", "TLS");
    builder(tls).build().fetch(fetch());
    assertThat(engine.opens()).containsExactly(A, C);
    Map<String, String> unverified = new HashMap<>(tls);
    unverified.put("tula.ssl.endpoint.identification.algorithm", "");
    LeaderClient trusting = builder(unverified).build();
    assertThatExceptionOfType(ExportFailure.class).isThrownBy(() -> trusting.fetch(fetch()));
    assertThat(engine.opens().stream().filter(C::equals)).hasSize(1);
  }

  @Test
  void a_lost_connection_leads_to_the_next_node_and_back() throws Exception {
    LeaderClient client = client("a:1", "b:2");
    client.fetch(fetch());
    engine.failFetch(lost());
    client.fetch(fetch());
    assertThat(engine.opens()).containsExactly(A, B, A);
    assertThat(retries).isEqualTo(2);
    assertThat(engine.openConnections()).isEqualTo(1);
  }

  @Test
  void after_a_full_round_it_backs_off_longer_each_time() throws Exception {
    FakeEngine.Fault[] faults = new FakeEngine.Fault[9];
    Arrays.fill(faults, lost());
    engine.failOpen(faults);
    client("a:1", "b:2", "c:3").fetch(fetch());
    assertThat(clock.sleeps()).hasSize(7);
    assertThat(clock.sleeps().get(0)).isBetween(50L, 100L);
    assertThat(clock.sleeps().get(6)).isBetween(3_200L, 6_400L);
  }

  @Test
  void after_the_limit_it_fails_and_says_what_was_tried() {
    LeaderClient client = client("a:1", "b:2");
    FakeEngine.Fault[] faults = new FakeEngine.Fault[500];
    Arrays.fill(faults, lost());
    engine.failOpen(faults);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> client.fetch(fetch()))
        .withMessageContaining("[a:1, b:2]")
        .withMessageContaining("lost the connection to")
        .withMessageContaining("tula.retry.timeout.ms")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE));
    assertThat(clock.sleeps().stream().mapToLong(Long::longValue).sum())
        .isBetween(RETRY_TIMEOUT_MS, RETRY_TIMEOUT_MS + 10_000);
    assertThat(engine.openConnections()).isZero();
  }

  @Test
  void an_old_leader_that_still_answers_is_left() throws Exception {
    engine.hints(false);
    LeaderClient client = client("a:1", "b:2");
    client.fetch(fetch());
    engine.elect(B, false);
    engine.failFetch(lost());
    client.fetch(fetch());
    assertThat(client.leadership()).contains(new Leadership(B, 2, Message.Role.LEADER));
    engine.failFetch(lost());
    client.fetch(fetch());
    assertThat(engine.opens())
        .as("A answers in term 1 and is not believed")
        .containsExactly(A, B, A, B);
    assertThat(client.leadership()).contains(new Leadership(B, 2, Message.Role.LEADER));
  }

  @Test
  void a_candidate_s_term_moves_nobody_away_from_a_leader_that_is_one() throws Exception {
    engine.campaign(C, 9);
    LeaderClient client = client("a:1", "b:2", "c:3");
    Message.Fetch atHead = fetch(engine.head(), 0, false);
    for (int page = 0; page < 4; page++) {
      client.fetch(atHead);
      clock.advance(LeaderClient.IDLE_PROBE_MS);
    }
    assertThat(engine.opens()).as("the others were asked").contains(B, C);
    assertThat(client.leadership()).contains(new Leadership(A, 1, Message.Role.LEADER));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> client.fetch(fetch(Position.batchEnd(99), 0, false)))
        .withMessageStartingWith("TULA-86 ");
    assertThat(retries).isZero();
  }

  @Test
  void a_position_that_an_old_leader_lacks_is_asked_for_of_the_new_one_and_no_loop_is_left()
      throws Exception {
    engine.hints(false);
    engine.elect(B, false);
    LeaderClient client = client("a:1", "b:2", "c:3");
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> client.fetch(fetch(Position.batchEnd(99), 0, false)))
        .withMessageStartingWith("TULA-86 ");
    assertThat(engine.opens())
        .as("A, the probe that finds B, B itself, and the others once more")
        .hasSizeLessThan(8)
        .contains(B);
    assertThat(engine.openConnections()).isZero();
  }

  @Test
  void another_cluster_is_refused_with_88() {
    engine.clusterId("cluster-2");
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> client("a:1").fetch(fetch()))
        .withMessageStartingWith("TULA-88 ")
        .withMessageContaining("cluster-2");
    assertThat(engine.openConnections()).isZero();
  }

  @Test
  void a_busy_node_is_waited_for_on_the_same_connection() throws Exception {
    engine.failFetch(error(busy(700)), error(busy(1_000_000)));
    client("a:1", "b:2").fetch(fetch());
    assertThat(engine.opens()).containsExactly(A);
    assertThat(clock.sleeps())
        .as("what it asks is kept to, up to the cap")
        .containsExactly(700L, 10_000L);
  }

  @Test
  void a_node_too_busy_to_welcome_is_connected_to_anew() throws Exception {
    engine.failOpen(error(busy(5)));
    client("a:1").fetch(fetch());
    assertThat(engine.opens()).containsExactly(A, A);
    assertThat(engine.openConnections()).isEqualTo(1);
  }

  @Test
  void a_taken_index_is_waited_for_until_its_lease_must_have_run_out() {
    FakeEngine.Fault[] taken = new FakeEngine.Fault[500];
    Arrays.fill(taken, error(ErrorCode.ERR_EXPORT_GROUP_CONFLICT, ErrorCode.GROUP_INDEX_TAKEN));
    engine.failFetch(taken);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> client("a:1").fetch(fetch()))
        .withMessageStartingWith("TULA-88 ");
    assertThat(clock.sleeps().stream().mapToLong(Long::longValue).sum())
        .isBetween(INDEX_TAKEN_TIMEOUT_MS, INDEX_TAKEN_TIMEOUT_MS + 10_000);
  }

  @Test
  void a_taken_index_that_becomes_free_is_taken() throws Exception {
    engine.failFetch(error(ErrorCode.ERR_EXPORT_GROUP_CONFLICT, ErrorCode.GROUP_INDEX_TAKEN));
    assertThat(client("a:1").fetch(fetch()).records()).hasSize(6);
  }

  @Test
  void what_can_not_pass_fails_at_once() {
    engine.reclaim(Position.batchEnd(2));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> client("a:1", "b:2").fetch(fetch()))
        .withMessageStartingWith("TULA-87 ")
        .withMessageContaining("(0:2147483647, 2:2147483647]");
    assertThat(clock.sleeps()).isEmpty();
    assertThat(retries).isZero();
  }

  @Test
  void a_follower_is_read_only_where_that_is_allowed() throws Exception {
    engine.elect(C, true);
    LeaderClient client = builder(Map.of(QueryPortConfig.HOSTS, "a:1")).followerReads(true).build();
    client.fetch(fetch(true));
    assertThat(client.leadership()).contains(new Leadership(A, 2, Message.Role.FOLLOWER));
  }

  @Test
  void closing_ends_a_read_that_waits() throws Exception {
    LeaderClient client =
        LeaderClient.builder(config(Map.of(QueryPortConfig.HOSTS, "a:1")), "me")
            .factory(engine)
            .build();
    Message.Fetch waiting = fetch(Position.batchEnd(3), 60_000, false);
    Thread closer =
        new Thread(
            () -> {
              while (engine.opens().isEmpty()) {
                Thread.onSpinWait();
              }
              client.close();
            });
    closer.start();
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> client.fetch(waiting));
    closer.join();
    assertThat(engine.openConnections()).isZero();
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> client.fetch(fetch()));
  }

  private static Message.ErrorReply busy(int retryAfterMs) {
    return new Message.ErrorReply(
        ErrorCode.ERR_BUSY, 0, "busy", "", Optional.empty(), Optional.empty(), retryAfterMs);
  }

  private LeaderClient client(String... hosts) {
    return builder(Map.of(QueryPortConfig.HOSTS, String.join(",", hosts))).build();
  }

  private LeaderClient.Builder builder(Map<String, String> properties) {
    return LeaderClient.builder(config(properties), "me")
        .factory(engine)
        .clock(clock)
        .random(new Random(7))
        .observer(
            new ClientObserver() {
              @Override
              public void onRetry(Exception error) {
                retries++;
              }
            });
  }

  private static QueryPortConfig config(Map<String, String> properties) {
    Map<String, String> all = new HashMap<>(properties);
    all.put(QueryPortConfig.CLUSTER_ID, FakeEngine.CLUSTER);
    all.put(QueryPortConfig.RETRY_TIMEOUT_MS, Long.toString(RETRY_TIMEOUT_MS));
    all.put(QueryPortConfig.RETRY_INDEX_TAKEN_TIMEOUT_MS, Long.toString(INDEX_TAKEN_TIMEOUT_MS));
    return new QueryPortConfig(all);
  }

  private static Message.Fetch fetch() {
    return fetch(false);
  }

  private static Message.Fetch fetch(boolean followerAllowed) {
    return fetch(Position.ORIGIN, 0, followerAllowed);
  }

  private static Message.Fetch fetch(Position after, int waitMs, boolean followerAllowed) {
    return new Message.Fetch(
        "p",
        1,
        0,
        1,
        after,
        Optional.empty(),
        1_000,
        1 << 20,
        waitMs,
        new Message.FetchOptions(false, false, true, false, followerAllowed));
  }
}
