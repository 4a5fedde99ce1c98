package dev.tula.connect.lake.repair;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Ledger;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.LeaderClient;
import dev.tula.connect.source.SeededRows;
import dev.tula.connect.source.SourceConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads committed records from the ledger as the source does, but takes no lease and acks nothing:
 * what the ledger may forget does not hang on it. For one thread.
 */
public final class LedgerRows implements AutoCloseable {
  private static final String CLIENT_NAME = "tula-lake-repair";

  /** A page that covers nothing, of a range that lies in the past, is a ledger's mistake. */
  private static final int MAX_IDLE_PAGES = 10;

  private final StreamIdentity identity;
  private final SourceConfig config;
  private final LeaderClient client;

  /**
   * @param config the source connector's; connects with the first page
   * @param partition the export partition
   */
  public LedgerRows(SourceConfig config, int partition) {
    this.identity = config.identity(partition);
    this.config = config;
    this.client = Ledger.client(config, CLIENT_NAME);
  }

  /**
   * The next rows of a range.
   *
   * @param covered what was read for them; its end is the range's, or where to read on
   * @param rows in position order
   */
  record Stretch(Range covered, List<CanonicalRow> rows) {}

  /**
   * Reads the next rows: of the stream, or of the state that a bootstrap seeded.
   *
   * @param range the rest of a range
   * @throws ToolException if the ledger can't be read, or does not have the range any more
   */
  Stretch next(Range range) {
    if (range.from().isAmongSeeded()) {
      return seeded(range);
    }
    for (int idle = 0; idle < MAX_IDLE_PAGES; idle++) {
      Message.Page page = fetch(range);
      if (page.coveredTo().isAfter(range.from())) {
        Position to = Position.min(page.coveredTo(), range.to());
        return new Stretch(new Range(range.from(), to), page.records());
      }
    }
    throw ToolException.error(
        "the ledger answers that it covered nothing after "
            + range.from()
            + ", "
            + MAX_IDLE_PAGES
            + " times, where the lake has rows up to "
            + range.to());
  }

  private Message.Page fetch(Range range) {
    return Ledger.ask(
        () ->
            client.fetch(
                new Message.Fetch(
                    identity.pipeline(),
                    identity.generation(),
                    identity.partition(),
                    identity.partitionCount(),
                    range.from(),
                    Optional.of(range.to()),
                    config.getInt(SourceConfig.PAGE_MAX_RECORDS),
                    config.getInt(SourceConfig.PAGE_MAX_BYTES),
                    0,
                    new Message.FetchOptions(
                        identity.includeMetadata(),
                        identity.fullTxnRecord(),
                        false,
                        false,
                        config.getBoolean(SourceConfig.ALLOW_FOLLOWER_READS)))));
  }

  /** What a bootstrap seeded is one batch, and was in its writer's memory too. */
  private Stretch seeded(Range range) {
    Position asOf = range.from().endOfBatch();
    Range covered = new Range(range.from(), Position.min(asOf, range.to()));
    SeededRows state = new SeededRows(client, asOf, config.getInt(SourceConfig.PAGE_MAX_RECORDS));
    List<CanonicalRow> rows = new ArrayList<>();
    List<CanonicalRow> page = Ledger.ask(state::next);
    while (!page.isEmpty()) {
      page.stream().filter(row -> covered.contains(row.position())).forEach(rows::add);
      page = Ledger.ask(state::next);
    }
    return new Stretch(covered, rows);
  }

  @Override
  public void close() {
    client.close();
  }
}
