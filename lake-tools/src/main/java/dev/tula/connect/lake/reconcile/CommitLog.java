package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.RepairEvent;
import dev.tula.connect.model.event.RepairEvent.RepairedRange;
import dev.tula.connect.model.event.TableEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One partition of the commits topic. It is read twice: once for what changes the meaning of other
 * events, repairs and rewinds, and once for the table events themselves, so that neither has to be
 * held in memory.
 *
 * <p>For one thread.
 */
final class CommitLog {
  private static final int MAX_REPAIRED_RANGES = 1_000_000;
  private static final int MAX_REWINDS = 10_000;

  private final EventTopic topic;
  private final EventIdentity own;
  private final Map<String, Map<Range, RepairedRange>> repairs = new HashMap<>();
  private final Map<String, TableHistory> histories = new HashMap<>();
  private int repairedRanges;
  private long end;
  private long malformed;
  private Optional<String> firstMalformed = Optional.empty();

  /** How a table's events went on in the log so far. */
  private static final class TableHistory {
    private final List<Rewind> rewinds = new ArrayList<>();
    private TableEvent newest;
    private Position end;
  }

  /**
   * The log goes back: the lake was set back, a person accepted that, and a newer writer committed
   * the ranges from there on anew. What the log says before it of later ranges no longer holds.
   *
   * @param offset the record that shows it
   * @param from where the newer writer's first range begins
   * @param end how far the log had come
   */
  record Rewind(long offset, Position from, Position end) {}

  private CommitLog(EventTopic topic, EventIdentity own) {
    this.topic = topic;
    this.own = own;
  }

  /**
   * Reads the log up to its end as of this call.
   *
   * @throws ToolException if there is no such topic or partition, or it can't be read
   */
  static CommitLog open(EventTopic topic, EventIdentity own) {
    if (!topic.has(own.partition())) {
      throw ToolException.error(
          "there is no partition "
              + own.partition()
              + " of topic "
              + topic.name()
              + ", the commit log. Check tula.commits.topic and the brokers");
    }
    CommitLog log = new CommitLog(topic, own);
    log.end = topic.read(own.partition(), log::note);
    return log;
  }

  private void note(ConsumerRecord<String, String> entry) {
    LakeEvent event;
    try {
      event = parse(entry);
    } catch (MalformedRecordException e) {
      malformed++;
      if (firstMalformed.isEmpty()) {
        firstMalformed = Optional.of("offset " + entry.offset() + ": " + e.getMessage());
      }
      return;
    }
    if (event instanceof RepairEvent repair && repair.identity().equals(own)) {
      noteRepair(repair);
    } else if (event instanceof TableEvent table && table.identity().equals(own)) {
      noteTable(table, entry.offset());
    }
  }

  /** The event; null for a tombstone. */
  private static LakeEvent parse(ConsumerRecord<String, String> entry) {
    return entry.value() == null ? null : LakeEvent.parse(entry.value());
  }

  private void noteRepair(RepairEvent repair) {
    Map<Range, RepairedRange> ofTable =
        repairs.computeIfAbsent(repair.table(), table -> new HashMap<>());
    for (RepairedRange range : repair.ranges()) {
      if (ofTable.put(new Range(range.from(), range.to()), range) == null
          && ++repairedRanges > MAX_REPAIRED_RANGES) {
        throw ToolException.error(
            "the commit log names more than " + MAX_REPAIRED_RANGES + " repaired ranges");
      }
    }
  }

  private void noteTable(TableEvent event, long offset) {
    TableHistory history = histories.computeIfAbsent(event.table(), table -> new TableHistory());
    TableEvent newest = history.newest;
    if (newest != null && goesBack(event, newest, history.end)) {
      if (history.rewinds.size() == MAX_REWINDS) {
        throw ToolException.error("the commit log goes back more than " + MAX_REWINDS + " times");
      }
      history.rewinds.add(new Rewind(offset, event.from(), history.end));
      history.end = event.to();
    }
    if (newest == null || !isNewerClaim(newest, event)) {
      history.newest = event;
    }
    history.end = history.end == null ? event.to() : Position.max(history.end, event.to());
  }

  /**
   * A newer writer begins below the log's end. It also says the last range again where it found it
   * in the table (C9), which is no step back.
   */
  private static boolean goesBack(TableEvent event, TableEvent newest, Position end) {
    boolean saysLastAgain = event.to().equals(end) && event.digest().equals(newest.digest());
    return isNewerClaim(event, newest) && end.isAfter(event.from()) && !saysLastAgain;
  }

  private static boolean isNewerClaim(TableEvent a, TableEvent b) {
    return a.epoch() != b.epoch() ? a.epoch() > b.epoch() : a.claim() > b.claim();
  }

  /** Shows every own table event that still holds, in the log's order. */
  void forEach(Consumer<TableEvent> action) {
    topic.readTo(
        own.partition(),
        end,
        entry -> {
          try {
            if (parse(entry) instanceof TableEvent event
                && event.identity().equals(own)
                && holds(event, entry.offset())) {
              action.accept(event);
            }
          } catch (MalformedRecordException e) {
            return; // counted when the log was opened
          }
        });
  }

  private boolean holds(TableEvent event, long offset) {
    Predicate<Rewind> undoes =
        rewind -> offset < rewind.offset() && event.to().isAfter(rewind.from());
    return rewinds(event.table()).stream().noneMatch(undoes);
  }

  /** Where the log goes back, in its order. */
  List<Rewind> rewinds(String table) {
    TableHistory history = histories.get(table);
    return history == null ? List.of() : history.rewinds;
  }

  /** The newest repair of each repaired range of a table. */
  Map<Range, RepairedRange> repairs(String table) {
    return repairs.getOrDefault(table, Map.of());
  }

  /** What in the topic is no event; absent if there is nothing. */
  Optional<String> malformed() {
    return firstMalformed.map(
        first ->
            "topic "
                + topic.name()
                + ", partition "
                + own.partition()
                + " holds "
                + malformed
                + " records that are no events of ours; the first is at "
                + first);
  }
}
