package dev.tula.connect.lake.reseed;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.Ledger;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WatermarkState;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.source.SourceConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Ends a generation whose next range the ledger no longer has, and prepares the one that follows:
 * finds out exactly what is lost for ever, and records it in the lake.
 *
 * <p>For one thread.
 */
public final class Reseed {
  private static final String CLIENT_NAME = "tula-lake-reseed";

  private final LakeSession session;
  private final SourceConfig source;
  private final PipelineIdentity next;

  /**
   * @param session connected to the generation that ends
   * @param source the source connector's configuration
   */
  public Reseed(LakeSession session, SourceConfig source) {
    this.session = session;
    this.source = source;
    PipelineIdentity now = session.identity();
    this.next =
        new PipelineIdentity(
            now.clusterId(),
            now.pipeline(),
            now.generation() + 1,
            now.partitionCount(),
            now.layout(),
            now.includeMetadata(),
            now.fullTxnRecord(),
            now.amountPrecision(),
            now.format());
  }

  /**
   * What there is to do.
   *
   * @param floor up to where the ledger has reclaimed its history
   * @param head its end
   * @param gaps of every partition
   * @param next what to configure
   */
  public record Plan(Position floor, Position head, List<Gap> gaps, NextGeneration next) {
    /** Copies the list. */
    public Plan {
      gaps = List.copyOf(gaps);
    }

    /** Whether the next generation has begun in every partition, so that all gaps are final. */
    public boolean isBegun() {
      return gaps.stream().allMatch(gap -> gap.start().isPresent());
    }

    /** Partitions of which the data topic holds records that the sink has yet to write. */
    public List<Gap> unwritten() {
      return gaps.stream().filter(gap -> gap.unwritten() > 0).toList();
    }
  }

  /**
   * Finds it out.
   *
   * @param partitions all of them
   * @throws ToolException if nothing is lost, or the ledger can't be asked
   */
  public Plan plan(List<Integer> partitions) {
    Message.StatusOk ledger = ledger();
    Position floor = ledger.reclaimFloor();
    List<Gap> gaps = new ArrayList<>();
    for (int partition : partitions) {
      PartitionReading reading = session.read(partition);
      gaps.add(
          Gap.of(
              partition,
              next.partitionCount(),
              reading.position(),
              nextStart(partition),
              floor,
              unwritten(reading)));
    }
    if (gaps.stream().allMatch(gap -> gap.missing().isEmpty())) {
      throw ToolException.error(
          "the ledger still has everything after the watermark of every partition (its floor is "
              + floor
              + "), so nothing is lost, and a new generation would only lose it. Restart the"
              + " source; if its offsets are wrong, set them to the watermark");
    }
    return new Plan(
        floor,
        ledger.head(),
        gaps,
        NextGeneration.of(
            next.generation(), source.getString(SourceConfig.TOPIC), next.includeMetadata()));
  }

  private Message.StatusOk ledger() {
    try (LeaderClient client = Ledger.client(source, CLIENT_NAME)) {
      return Ledger.ask(client::status);
    }
  }

  private Optional<Position> nextStart(int partition) {
    try (IcebergLake lake = session.newLake(next, partition)) {
      return Retries.call(() -> lake.load(TableNames.WATERMARK))
          .flatMap(TableView::property)
          .flatMap(TableState::watermark)
          .flatMap(WatermarkState::startFrom);
    }
  }

  private long unwritten(PartitionReading reading) {
    Optional<KafkaPosition> at = reading.watermarkState().flatMap(WatermarkState::kafka);
    if (at.isEmpty()) {
      return 0;
    }
    EventTopic data = session.data(at.get().topic());
    return data.has(at.get().partition())
        ? data.countFrom(at.get().partition(), at.get().offset())
        : 0;
  }

  /**
   * Records in the lake what is lost, replacing what an earlier run recorded.
   *
   * @param by who decided it
   */
  public void record(Plan plan, String by, Instant at) {
    String value = GapRecord.of(next.generation(), plan.gaps(), by, at);
    try (IcebergLake lake = session.newLake(0)) {
      Retries.call(
          () -> {
            lake.noteWithIdentity(GapRecord.PROPERTY, value);
            return true;
          });
    }
  }

  /**
   * Writes the two connectors' configurations for the next generation.
   *
   * @return the files
   * @throws ToolException if one is there already, or can't be written
   */
  public static List<Path> write(
      Plan plan, Path directory, Map<String, String> sourceAsPut, Map<String, String> sinkAsPut) {
    String suffix = ".g" + plan.next().number() + ".json";
    return List.of(
        NextGeneration.write(directory, "source" + suffix, sourceAsPut, plan.next().source()),
        NextGeneration.write(directory, "sink" + suffix, sinkAsPut, plan.next().sink()));
  }
}
