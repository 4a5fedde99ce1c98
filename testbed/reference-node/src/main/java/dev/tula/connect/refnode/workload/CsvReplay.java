package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.AccountFlags;
import dev.tula.connect.refnode.engine.AccountSpec;
import dev.tula.connect.refnode.engine.EngineRefusal;
import dev.tula.connect.refnode.engine.EntityState;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerEngine;
import dev.tula.connect.refnode.engine.LedgerMode;
import dev.tula.connect.refnode.engine.RequestType;
import dev.tula.connect.refnode.engine.TransferRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Replays a CSV file of transfers, in the order of its lines. The first line names the columns, in
 * any order:
 *
 * <ul>
 *   <li>{@code type}: {@code transfer}, {@code reserve}, {@code commit}, {@code rollback}, or
 *       {@code reject} for one that the caller itself turned down
 *   <li>{@code ledger_id}: a whole number
 *   <li>{@code source_id}: a whole number; optional, 1
 *   <li>{@code currency}: a code of 16 characters at most
 *   <li>{@code txn_id}: 32 hex digits, or a UUID; with ledger, source and currency it identifies
 *       the transaction, and a commit or rollback carries that of its reserve
 *   <li>{@code debit_account}, {@code credit_account}: likewise; may be empty for a commit or
 *       rollback
 *   <li>{@code amount}: minor units, 28 digits at most; may be empty for a commit or rollback
 *   <li>{@code reason_code}: a whole number; optional
 *   <li>{@code mode}: {@code default} or {@code position_settlement}; optional, and of use where
 *       the ledger is seen first
 *   <li>{@code exponent}: 0 to 18; optional, 2, and of use where the currency is seen first
 *   <li>{@code debit_settlement_account}, {@code credit_settlement_account}: with {@code
 *       position_settlement}, the accounts behind the two
 *   <li>{@code batch}: any text; optional. Lines next to each other with the same one share a
 *       batch, up to the largest that there may be
 *   <li>{@code recorded_at}: the batch's commit time, such as {@code 2026-03-01T08:00:00.000001Z};
 *       optional. It never decreases, and is one within a batch
 * </ul>
 *
 * <p>A ledger, currency, source or account that a line is the first to name is created before the
 * transfer, an account without limits. Not thread-safe.
 */
public final class CsvReplay implements Workload {
  private static final int MAX_LINE = 1 << 16;

  private final Path file;
  private final long seed;
  private final int maxBatchRecords;
  private final String digest;
  private final long epochMicros;
  private BufferedReader reader;
  private CsvParser parser;
  private long linesRead;
  private CsvRow next;

  private CsvReplay(Path file, long seed, int maxBatchRecords) {
    this.file = file;
    this.seed = seed;
    this.maxBatchRecords = maxBatchRecords;
    this.digest = digest(file);
    this.epochMicros = validate();
  }

  /**
   * Checks a file whole.
   *
   * @param seed decides how lines without a {@code batch} are grouped
   * @throws CsvFormatException naming the first line that is wrong
   */
  public static CsvReplay open(Path file, long seed, int maxBatchRecords) {
    WorkloadSettings.requireBatchSize(maxBatchRecords);
    return new CsvReplay(file, seed, maxBatchRecords);
  }

  private static String digest(Path file) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[1 << 16];
      try (var in = Files.newInputStream(file)) {
        for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
          sha256.update(buffer, 0, got);
        }
      }
      return HexFormat.of().formatHex(sha256.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be read", e);
    }
  }

  /** Reads every line once; returns when the ledger begins. */
  private long validate() {
    rewind();
    long first = DEFAULT_EPOCH_MICROS;
    long latest = Long.MIN_VALUE;
    CsvRow previous = null;
    for (CsvRow row = next; row != null; row = readRow()) {
      if (row.recordedAtMicros().isPresent()) {
        long time = row.recordedAtMicros().getAsLong();
        if (time < latest) {
          throw fault(row.line(), "recorded_at lies before that of an earlier line");
        }
        if (latest == Long.MIN_VALUE) {
          first = previous == null ? time : Math.min(first, time);
        }
        latest = time;
      }
      boolean sameBatch =
          previous != null && !row.batch().isEmpty() && row.batch().equals(previous.batch());
      if (sameBatch && !row.recordedAtMicros().equals(previous.recordedAtMicros())) {
        throw fault(row.line(), "recorded_at differs within batch " + row.batch());
      }
      previous = row;
    }
    close();
    return first;
  }

  private CsvFormatException fault(long line, String what) {
    return new CsvFormatException(file + ", line " + line + ": " + what);
  }

  private void rewind() {
    close();
    try {
      reader = Files.newBufferedReader(file, StandardCharsets.UTF_8);
      linesRead = 1;
      String header = reader.readLine();
      parser = new CsvParser(file.toString(), header == null ? "" : header);
      next = readRow();
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be read", e);
    }
  }

  private CsvRow readRow() {
    try {
      String text = reader.readLine();
      if (text == null) {
        return null;
      }
      linesRead++;
      if (text.length() > MAX_LINE) {
        throw fault(linesRead, "is longer than " + MAX_LINE + " characters");
      }
      return parser.parse(linesRead, text);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be read after line " + linesRead, e);
    }
  }

  /** Comes to the first line after the cursor, which is the number of the last line used up. */
  private void seek(long cursor) {
    if (reader == null) {
      rewind();
    }
    while (next != null && next.line() <= cursor) {
      next = readRow();
    }
  }

  @Override
  public long epochMicros() {
    return epochMicros;
  }

  @Override
  public String fingerprint() {
    return "replay=" + digest + ";seed=" + seed + ";batch=" + maxBatchRecords;
  }

  @Override
  public Optional<Plan> plan(Standing standing) {
    seek(standing.inputCursor());
    if (next == null) {
      return Optional.empty();
    }
    Rng rng = new Rng(seed, standing.globalBatchSeq());
    long earliest = Math.max(standing.lastRecordedAtMicros(), standing.closedThroughMicros() + 1);
    long committed = Math.max(earliest, next.recordedAtMicros().orElse(earliest + rng.below(5000)));
    int records = next.batch().isEmpty() ? 1 + rng.below(maxBatchRecords) : maxBatchRecords;
    return Optional.of(new Plan(standing, earliest, committed, records));
  }

  @Override
  public long fill(LedgerEngine engine, Plan plan, int limit) {
    int target = Math.min(plan.records(), limit);
    CsvRow first = next;
    long cursor = plan.standing().inputCursor();
    while (next != null && belongTogether(first, next)) {
      for (Runnable registration : registrations(engine, next)) {
        if (engine.recordsInBatch() == target) {
          return cursor;
        }
        register(registration);
      }
      if (engine.recordsInBatch() == target) {
        return cursor;
      }
      engine.transfer(next.request());
      cursor = next.line();
      next = readRow();
    }
    return cursor;
  }

  private void register(Runnable registration) {
    try {
      registration.run();
    } catch (EngineRefusal e) {
      throw fault(next.line(), e.getMessage());
    }
  }

  private static boolean belongTogether(CsvRow first, CsvRow row) {
    return row.batch().equals(first.batch())
        && row.recordedAtMicros().equals(first.recordedAtMicros());
  }

  /** What has to be created before a line's transfer, in order. */
  private static List<Runnable> registrations(LedgerEngine engine, CsvRow row) {
    TransferRequest request = row.request();
    List<Runnable> missing = new ArrayList<>();
    if (engine.currencyState(request.currency()).isEmpty()) {
      missing.add(() -> engine.putCurrency(request.currency(), row.exponent(), EntityState.ACTIVE));
    }
    if (!engine.hasBook(request.ledgerId(), request.currency())) {
      missing.add(() -> putLedger(engine, row));
    }
    if (!engine.hasSource(request.sourceId())) {
      String name = "source " + request.sourceId();
      missing.add(() -> engine.putSource(request.sourceId(), name, EntityState.ACTIVE));
    }
    if (request.type() != RequestType.COMMIT && request.type() != RequestType.ROLLBACK) {
      addAccount(missing, engine, request, request.debitAccount(), row.debitSettlement());
      addAccount(missing, engine, request, request.creditAccount(), row.creditSettlement());
    }
    return missing;
  }

  private static void putLedger(LedgerEngine engine, CsvRow row) {
    int id = row.request().ledgerId();
    LedgerMode mode = engine.ledgerMode(id).orElse(row.mode());
    engine.putLedger(id, "ledger " + id, mode, List.of(row.request().currency()));
  }

  private static void addAccount(
      List<Runnable> missing,
      LedgerEngine engine,
      TransferRequest request,
      Id128 account,
      Optional<Id128> settlement) {
    settlement
        .filter(id -> engine.balances(id).isEmpty())
        .ifPresent(
            id ->
                missing.add(
                    () -> create(engine, request, id, AccountFlags.SETTLEMENT, Optional.empty())));
    if (engine.balances(account).isEmpty()) {
      missing.add(() -> create(engine, request, account, 0, settlement));
    }
  }

  /** Checks again: debit and credit may be one account, or share one behind them. */
  private static void create(
      LedgerEngine engine, TransferRequest request, Id128 id, int flags, Optional<Id128> parent) {
    if (engine.balances(id).isEmpty()) {
      AccountSpec spec = AccountSpec.of(id, request.ledgerId(), request.currency(), flags);
      engine.createAccount(parent.map(spec::withParent).orElse(spec));
    }
  }

  @Override
  public void close() {
    if (reader != null) {
      try {
        reader.close();
      } catch (IOException e) {
        throw new UncheckedIOException(file + " can't be closed", e);
      }
      reader = null;
      next = null;
    }
  }
}
