package dev.tula.connect.source;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.LeaderClient;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The state as of the end of a batch, page by page in the order of its positions: accounts,
 * ledgers, currencies, sources, cluster. Holds every page against the protocol's promises; since
 * ordinals leave no gap, a row can't be missing unseen. Two readings of the same state are the same
 * bytes.
 *
 * <p>Not thread-safe.
 */
public final class SeededRows {
  private static final List<Message.StateKind> KINDS = List.of(Message.StateKind.values());
  private static final Map<Message.StateKind, RecordKind> RECORDS =
      Map.of(
          Message.StateKind.ACCOUNTS, RecordKind.ACCOUNT_CHANGE,
          Message.StateKind.LEDGERS, RecordKind.LEDGER_CHANGE,
          Message.StateKind.CURRENCIES, RecordKind.CURRENCY_CHANGE,
          Message.StateKind.SOURCES, RecordKind.SOURCE_CHANGE,
          Message.StateKind.CLUSTER, RecordKind.CLUSTER_CHANGE);
  private static final String SEEDED = "seeded";
  private static final String BOOTSTRAP = "bootstrap";

  private final LeaderClient client;
  private final Position asOf;
  private final int maxRecords;
  private final RowReader reader = new RowReader();
  private int kind;
  private String cursor = "";
  private int nextOrdinal;
  private OptionalLong recordedAtMicros = OptionalLong.empty();

  /**
   * Reads nothing yet.
   *
   * @param asOf the end of a batch
   * @param maxRecords the most rows of a page
   */
  public SeededRows(LeaderClient client, Position asOf, int maxRecords) {
    this.client = client;
    this.asOf = asOf;
    this.maxRecords = maxRecords;
  }

  /**
   * The next rows.
   *
   * @return empty once there are no more
   * @throws ExportFailure if the state can't be had, or breaks a promise of the protocol
   */
  public List<CanonicalRow> next() throws InterruptedException {
    while (kind < KINDS.size()) {
      Message.StateKind asked = KINDS.get(kind);
      Message.StatePage page = client.state(new Message.State(asked, asOf, cursor, maxRecords));
      check(page, asked);
      advance(page);
      if (!page.records().isEmpty()) {
        return page.records();
      }
    }
    return List.of();
  }

  private void advance(Message.StatePage page) {
    if (page.nextCursor().isEmpty()) {
      kind++;
    } else if (page.records().isEmpty()) {
      throw broken("a page has no rows and is not the last of " + KINDS.get(kind));
    }
    cursor = page.nextCursor();
  }

  private void check(Message.StatePage page, Message.StateKind asked) {
    if (!page.asOf().equals(asOf)) {
      throw broken("the state as of " + page.asOf() + " came");
    }
    for (CanonicalRow row : page.records()) {
      try {
        check(row, RECORDS.get(asked));
      } catch (MalformedRecordException e) {
        throw broken(e.getMessage());
      }
    }
  }

  private void check(CanonicalRow row, RecordKind expected) {
    Position due = new Position(asOf.globalBatchSeq(), Position.FIRST_SEEDED_INDEX + nextOrdinal);
    if (!row.position().equals(due) || row.kind() != expected) {
      throw broken("a " + row.kind() + " at " + row.position() + " came where " + due + " was due");
    }
    reader.wrap(row);
    if (!reader.string(RowSchema.CHANGE).equals(SEEDED)
        || !reader.string(RowSchema.ORIGIN).equals(BOOTSTRAP)) {
      throw broken("the row at " + due + " is not marked as seeded by a bootstrap");
    }
    long micros = row.recordedAtMicros();
    if (micros != recordedAtMicros.orElse(micros)) {
      throw broken("the row at " + due + " has another recorded_at than the rows before it");
    }
    recordedAtMicros = OptionalLong.of(micros);
    nextOrdinal++;
  }

  /** The batch's {@code recorded_at}, µs; empty before the first row. */
  OptionalLong recordedAtMicros() {
    return recordedAtMicros;
  }

  private ExportFailure broken(String what) {
    return new ExportFailure(
        FailureCode.CONTRACT,
        "the engine broke its promises about the state as of " + asOf + ": " + what);
  }
}
