package dev.tula.connect.source;

import static dev.tula.connect.source.SmallWorker.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.queryport.SharedFakePort;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream that was begun, and whose source offset a crash took: what the topic holds decides. */
@Timeout(300)
class StartDecidedOnceTest {
  private static final Position FLOOR = Position.batchEnd(3);

  private final FakeEngine engine = new FakeEngine().commitBatches(9, 2);
  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();
  private final Map<String, String> connector = Configs.minimal();
  private SmallWorker worker = new SmallWorker(admin);

  StartDecidedOnceTest() {
    SharedFakePort.use(engine);
    connector.put(QueryPortConfig.QUERY_PORT_CLASS, SharedFakePort.class.getName());
    connector.put(SourceConfig.START_POSITION, SourceConfig.FLOOR);
    connector.put(SourceConfig.FETCH_WAIT_MS, "10");
    engine.reclaim(FLOOR);
  }

  @AfterEach
  void stop() {
    worker.close();
    assertThat(worker.topic.openReaders()).as("every consumer is closed").isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"floor", "earliest", "8:2147483647"})
  @DisplayName("C12: a generation has one beginning, whatever is configured after a crash")
  void it_is_begun_again_where_it_was_begun(String configured) {
    runToHead();
    crashKeeping(1);
    connector.put(SourceConfig.START_POSITION, configured);
    runToHead();
    assertThat(worker.topic.items(0))
        .filteredOn(StreamItem.Start.class::isInstance)
        .hasSize(2)
        .allMatch(start -> start.provesTo().equals(FLOOR));
    assertThat(rows()).isEqualTo(12);
  }

  @Test
  @DisplayName("87: what follows the beginning is gone, and there is no second one")
  void a_floor_that_has_passed_the_beginning_is_87_every_time() {
    runToHead();
    crashKeeping(1);
    engine.reclaim(Position.batchEnd(6));
    for (int restart = 0; restart < 2; restart++) {
      worker.start(connector, 1);
      assertThat(worker.awaitFailure(0))
          .hasMessageStartingWith("TULA-87 ")
          .hasMessageContaining("begun after 3:2147483647 by the START record in topic data")
          .hasMessageContaining("no longer has the range (3:2147483647, 6:2147483647]")
          .hasMessageContaining("set the source offsets to the watermark");
      worker.stop();
    }
    assertThat(worker.topic.records(0)).hasSize(1);
  }

  @Test
  void a_topic_that_lost_its_beginning_is_begun_where_it_is_configured() {
    runToHead();
    List<SourceRecord> kept = worker.topic.records(0).subList(3, 5);
    worker.stop();
    worker = new SmallWorker(admin);
    kept.forEach(worker.topic::append);
    engine.reclaim(Position.batchEnd(4));
    runToHead();
    assertThat(worker.topic.items(0).get(2))
        .isInstanceOf(StreamItem.Start.class)
        .extracting(StreamItem::provesTo)
        .isEqualTo(Position.batchEnd(4));
  }

  @Test
  void with_an_offset_the_topic_is_not_looked_at() {
    runToHead();
    int looks = worker.topic.looks();
    worker.stop();
    runToHead();
    assertThat(worker.topic.looks()).isEqualTo(looks);
  }

  @Test
  void a_bootstrap_that_was_begun_is_gone_on_with_also_when_it_is_no_longer_configured() {
    engine.holdsState(3, 2);
    connector.put(SourceConfig.INCLUDE_METADATA, "true");
    connector.put(SourceConfig.BOOTSTRAP, SourceConfig.BOOTSTRAP_INITIAL);
    runToHead();
    int records = worker.topic.records(0).size();
    crashKeeping(1);
    connector.put(SourceConfig.BOOTSTRAP, SourceConfig.BOOTSTRAP_NONE);
    runToHead();
    assertThat(worker.topic.records(0)).as("START, and all of it again").hasSize(1 + records);
  }

  private void runToHead() {
    int before = worker.topic.records(0).size();
    worker.start(connector, 1);
    await(
        () -> {
          List<StreamItem> items = worker.topic.items(0);
          return items.size() > before
              && items.get(items.size() - 1).provesTo().equals(engine.head());
        });
  }

  /** The first records were sent, and no offset was stored. */
  private void crashKeeping(int records) {
    worker.stop();
    List<SourceRecord> sent = List.copyOf(worker.topic.records(0).subList(0, records));
    worker = new SmallWorker(admin);
    sent.forEach(worker.topic::append);
  }

  private long rows() {
    return worker.topic.items(0).stream().filter(StreamItem.Row.class::isInstance).count();
  }
}
