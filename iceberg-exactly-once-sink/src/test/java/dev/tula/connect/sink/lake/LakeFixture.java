package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.RangeState;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WatermarkRow;
import dev.tula.connect.sink.engine.WatermarkState;
import dev.tula.connect.sink.engine.WriterClaim;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * A lake over a JDBC catalog on SQLite and a {@code file:} warehouse, and what the engine would
 * hand it: states, ranges, rows.
 */
final class LakeFixture implements AutoCloseable {
  static final Namespace NAMESPACE = Namespace.of("ledger");
  static final PipelineIdentity IDENTITY =
      new PipelineIdentity(
          "cluster-1", "payments", 1, 1, Layout.SHARED, true, true, 28, PipelineIdentity.FORMAT);
  static final LogicalTable TRANSACTIONS = IDENTITY.tables().get(0);
  static final String TABLE = TRANSACTIONS.name();

  final Catalog catalog;
  final IcebergLake lake;

  private LakeFixture(Catalog catalog, IcebergLake lake) {
    this.catalog = catalog;
    this.lake = lake;
  }

  static LakeFixture in(Path folder) {
    return of(jdbcCatalog(folder));
  }

  static LakeFixture of(Catalog catalog) {
    return of(catalog, IDENTITY, LakeOptions.of(Map.of(), Map.of()));
  }

  static LakeFixture of(Catalog catalog, PipelineIdentity identity, LakeOptions options) {
    return new LakeFixture(catalog, new IcebergLake(catalog, NAMESPACE, identity, 0, options));
  }

  /** With a permit that is asked before each commit. */
  static LakeFixture permitted(Catalog catalog, CommitPermit permit) {
    LakeOptions options = LakeOptions.of(Map.of(), Map.of());
    return new LakeFixture(
        catalog, new IcebergLake(catalog, NAMESPACE, IDENTITY, 0, options, permit));
  }

  /** Another lake, as another process would have it, over the same catalog. */
  LakeFixture other() {
    return of(catalog);
  }

  /** Over the catalog as a double shows it. */
  LakeFixture through(UnaryOperator<Catalog> wrap) {
    return of(wrap.apply(catalog));
  }

  /** What a catalog does with a commit. */
  interface Handling {
    void handle(TableOperations operations, TableMetadata base, TableMetadata metadata);
  }

  /** Over a catalog that does something else with commits. */
  LakeFixture handling(Handling handling) {
    return through(
        catalog ->
            new CatalogDouble(
                catalog,
                operations ->
                    new CatalogDouble.Operations(operations) {
                      @Override
                      public void commit(TableMetadata base, TableMetadata metadata) {
                        handling.handle(delegate, base, metadata);
                      }
                    }));
  }

  /** Over a catalog where something happens once after the last refresh and before the swap. */
  LakeFixture interferingOnCommit(Runnable interference) {
    AtomicBoolean done = new AtomicBoolean();
    return handling(
        (operations, base, metadata) -> {
          if (done.compareAndSet(false, true)) {
            interference.run();
          }
          operations.commit(base, metadata);
        });
  }

  /** The table as a commit that was refused has found it. */
  static TableView refusal(CommitReply reply) {
    assertThat(reply).isInstanceOf(Refused.class);
    return ((Refused) reply).now().orElseThrow();
  }

  static Catalog jdbcCatalog(Path folder) {
    return IcebergCatalogs.build(
        "lake", SqliteCatalog.properties(folder), Map.of(), Optional.empty());
  }

  @Override
  public void close() {
    lake.close();
  }

  /** The table by Iceberg's own API: what a foreign engine would work on. */
  Table foreign(String table) {
    return catalog.loadTable(TableIdentifier.of(NAMESPACE, table));
  }

  Table foreign() {
    return foreign(TABLE);
  }

  TableView view(String table) {
    return lake.load(table).orElseThrow();
  }

  TableView view() {
    return view(TABLE);
  }

  TableState state() {
    return view().property().orElseThrow();
  }

  static TableState.Identity stateIdentity() {
    return TableState.Identity.of(IDENTITY.stream(0));
  }

  static WriterClaim claim(long number) {
    return new WriterClaim(1, number, "writer-" + number);
  }

  /** What a claim makes of a state. */
  static TableState claimed(Optional<TableState> before, WriterClaim claim) {
    if (before.isEmpty()) {
      return new TableState(
          PipelineIdentity.FORMAT,
          stateIdentity(),
          claim,
          CommitKind.CLAIM,
          Optional.empty(),
          0,
          Optional.of(BigInteger.ZERO),
          Chain.ZERO,
          OptionalLong.empty(),
          Optional.empty());
    }
    TableState state = before.get();
    return new TableState(
        state.format(),
        state.identity(),
        claim,
        CommitKind.CLAIM,
        state.range(),
        state.totalRows(),
        state.totalAmountSum(),
        state.chain(),
        state.closedThroughMicros(),
        state.watermark());
  }

  /** What a range makes of a state. */
  static TableState ranged(TableState before, LogicalTable table, Range range, TableRows rows) {
    RangeDigest digest = RangeDigest.begin(IDENTITY.stream(0), table.name(), range);
    rows.addTo(digest);
    String hex = HexFormat.of().formatHex(digest.finish());
    return new TableState(
        before.format(),
        before.identity(),
        before.claim(),
        CommitKind.RANGE,
        Optional.of(
            new RangeState(range, Optional.of(hex), rows.rows(), Optional.of(rows.amountSum()))),
        before.totalRows() + rows.rows(),
        before.totalAmountSum().map(sum -> sum.add(rows.amountSum())),
        before.chain().next(hex),
        OptionalLong.of(range.to().globalBatchSeq()),
        before.watermark());
  }

  static TableRows rows(List<CanonicalRow> rows) {
    TableRows table = new TableRows();
    RowReader reader = new RowReader();
    for (CanonicalRow row : rows) {
      reader.wrap(row);
      if (row.kind().isMetadata()) {
        table.add(row);
      } else {
        table.add(
            row,
            reader.amountHigh(RowSchema.AMOUNT_FIELD),
            reader.amountLow(RowSchema.AMOUNT_FIELD));
      }
    }
    return table;
  }

  /** Random rows of the transactions table in {@code (from, to]}, one for each batch. */
  static TableRows rows(Range range) {
    return rows(TRANSACTIONS, range);
  }

  private static TableRows rows(LogicalTable table, Range range) {
    RandomRows random = new RandomRows(range.to().globalBatchSeq(), 28);
    List<CanonicalRow> rows = new java.util.ArrayList<>();
    for (long batch = range.from().globalBatchSeq() + 1;
        batch <= range.to().globalBatchSeq();
        batch++) {
      rows.add(random.row(table, batch, 0));
    }
    return rows(rows);
  }

  static Range range(long from, long to) {
    return new Range(Position.batchEnd(from), Position.batchEnd(to));
  }

  /** Creates the transactions table and claims it. */
  LakeFixture opened() {
    lake.create(TABLE);
    claim(TABLE, claim(1));
    return this;
  }

  CommitReply claim(String table, WriterClaim claim) {
    TableView view = view(table);
    return lake.commit(
        new TableCommit(
            table,
            view.uuid(),
            view.property(),
            claimed(view.property(), claim),
            new Change.NoRows(),
            Map.of()));
  }

  /** The commit of a range onto the state as it is now. */
  TableCommit rangeCommit(Range range) {
    return rangeCommit(TRANSACTIONS, range);
  }

  TableCommit rangeCommit(LogicalTable table, Range range) {
    TableView view = view(table.name());
    TableState before = view.property().orElseThrow();
    TableRows rows = rows(table, range);
    StagedFile file =
        lake.stage(table.name(), StagedFileName.of(before.claim(), table.name(), range.to()), rows);
    return new TableCommit(
        table.name(),
        view.uuid(),
        Optional.of(before),
        ranged(before, table, range, rows),
        new Change.Append(List.of(file)),
        Map.of());
  }

  CommitReply commitRange(long from, long to) {
    return lake.commit(rangeCommit(range(from, to)));
  }

  /** Moves the watermark from one batch's end to another's. */
  CommitReply moveWatermark(long from, long to) {
    TableView view = view(TableNames.WATERMARK);
    return lake.commit(watermarkCommit(view, from, to));
  }

  static TableCommit watermarkCommit(TableView view, long from, long to) {
    TableState before = view.property().orElseThrow();
    Range range = range(from, to);
    TableState next =
        new TableState(
            before.format(),
            before.identity(),
            before.claim(),
            CommitKind.WATERMARK,
            Optional.of(new RangeState(range, Optional.empty(), 0, Optional.empty())),
            1,
            before.totalAmountSum(),
            before.chain(),
            OptionalLong.of(to),
            Optional.of(
                new WatermarkState(
                    Map.of(),
                    0,
                    Optional.of(Position.batchEnd(0)),
                    OptionalLong.of(0),
                    Optional.of(new KafkaPosition("ledger", 0, to)))));
    return new TableCommit(
        TableNames.WATERMARK,
        view.uuid(),
        Optional.of(before),
        next,
        new Change.ReplaceRow(
            new WatermarkRow(
                IDENTITY,
                0,
                range.to(),
                to,
                before.claim().epoch(),
                new KafkaPosition("ledger", 0, to))),
        Map.of());
  }
}
