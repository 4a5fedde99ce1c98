package dev.tula.connect.sink.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WriterClaim;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.rest.RESTCatalog;

/**
 * The tables of one export partition in an Iceberg catalog.
 *
 * <p>Safe for any thread, as catalogs are. The catalog is the caller's to close, after this.
 */
public final class IcebergLake implements Lake, AutoCloseable {
  private static final Pattern WATERMARK_NAME =
      Pattern.compile(TableNames.WATERMARK + "(?:_g([0-9]+))?(?:_p[0-9]+)?");

  private final Catalog catalog;
  private final Namespace namespace;
  private final PipelineIdentity identity;
  private final int partition;
  private final LakeOptions options;
  private final TableNames names;
  private final Map<String, LogicalTable> dataTables;
  private final TableFiles files;
  private final TimedCalls calls;
  private final CommitPermit permit;
  private final StateCommit.Counters counters =
      new StateCommit.Counters(new LongAdder(), new AtomicLong());

  /** A lake to which commits may be sent at any time; else as the other constructor. */
  public IcebergLake(
      Catalog catalog,
      Namespace namespace,
      PipelineIdentity identity,
      int partition,
      LakeOptions options) {
    this(catalog, namespace, identity, partition, options, CommitPermit.ALWAYS);
  }

  /**
   * @param catalog holds the tables
   * @param namespace that they are in; created with the first table if it is missing
   * @param identity whose tables
   * @param partition the export partition
   * @param options how they are written
   * @param permit is asked before each commit is sent
   */
  public IcebergLake(
      Catalog catalog,
      Namespace namespace,
      PipelineIdentity identity,
      int partition,
      LakeOptions options,
      CommitPermit permit) {
    this.catalog = Objects.requireNonNull(catalog, "catalog");
    this.namespace = Objects.requireNonNull(namespace, "namespace");
    this.identity = Objects.requireNonNull(identity, "identity");
    this.partition = Objects.checkIndex(partition, identity.partitionCount());
    this.options = Objects.requireNonNull(options, "options");
    this.permit = Objects.requireNonNull(permit, "permit");
    this.names = new TableNames(identity.generation(), identity.partitionCount());
    this.dataTables =
        identity.tables().stream()
            .collect(Collectors.toUnmodifiableMap(LogicalTable::name, Function.identity()));
    this.files = new TableFiles(options.writeProps(), options.maxRowGroupBytes(), options.clock());
    this.calls = new TimedCalls("tula-lake-p" + partition);
  }

  @Override
  public IdentityLookup lookUpIdentity() {
    return call(
        "looking up " + names.pipeline(),
        () -> {
          Optional<Map<String, String>> properties =
              access(names.pipeline()).load().map(loaded -> loaded.metadata().properties());
          return new IdentityLookup(
              properties, properties.isPresent() ? Optional.empty() : anyWatermarkTable());
        });
  }

  /** Found by listing, as it may have been written under another N. */
  private Optional<String> anyWatermarkTable() {
    try {
      return catalog.listTables(namespace).stream()
          .map(TableIdentifier::name)
          .filter(this::isWatermarkOfGeneration)
          .sorted()
          .findFirst();
    } catch (NoSuchNamespaceException e) {
      return Optional.empty();
    }
  }

  private boolean isWatermarkOfGeneration(String name) {
    Matcher matcher = WATERMARK_NAME.matcher(name);
    if (!matcher.matches()) {
      return false;
    }
    String generation = matcher.group(1) == null ? "1" : matcher.group(1);
    return generation.equals(Integer.toString(identity.generation()));
  }

  @Override
  public boolean createIdentity(PipelineIdentity wanted) {
    return call(
        "creating " + names.pipeline(),
        () -> createTable(names.pipeline(), LakeSchemas.pipeline(), wanted.toProperties()));
  }

  /**
   * Notes something beside the generation's identity, for people and tools to find. It takes no
   * part in {@link #lookUpIdentity} and is believed only once it was read back, whatever the
   * catalog answered.
   *
   * @throws LakeException if the identity table is missing, or does not have it afterwards
   */
  public void noteWithIdentity(String property, String value) {
    String what = "noting " + property + " in " + names.pipeline();
    call(
        what,
        () -> {
          TableAccess access = access(names.pipeline());
          TableAccess.Loaded loaded =
              access
                  .load()
                  .orElseThrow(
                      () -> LakeException.lasting(what + ": there is no such table", null));
          RuntimeException answer = null;
          try {
            loaded.table().updateProperties().set(property, value).commit();
          } catch (RuntimeException e) {
            answer = e;
          }
          String now =
              access.load().map(after -> after.metadata().properties().get(property)).orElse(null);
          if (!value.equals(now)) {
            throw answer != null ? answer : LakeException.passing(what + ": it is not there", null);
          }
          return true;
        });
  }

  @Override
  public void create(String table) {
    String name = physical(table);
    call("creating " + name, () -> createTable(name, schema(table), Map.of()));
  }

  private boolean createTable(String name, Schema schema, Map<String, String> own) {
    createNamespace();
    Map<String, String> properties = new HashMap<>(TableDefaults.of(schema, options.createProps()));
    properties.putAll(own);
    try {
      catalog
          .buildTable(TableIdentifier.of(namespace, name), schema)
          .withProperties(properties)
          .create();
      return true;
    } catch (AlreadyExistsException e) {
      return false;
    }
  }

  /** As the stock sink does: level by level, and a refusal counts only if a table then fails. */
  private void createNamespace() {
    if (!(catalog instanceof SupportsNamespaces namespaces)) {
      return;
    }
    for (int depth = 1; depth <= namespace.length(); depth++) {
      Namespace level = Namespace.of(Arrays.copyOf(namespace.levels(), depth));
      try {
        if (!namespaces.namespaceExists(level)) {
          namespaces.createNamespace(level);
        }
      } catch (AlreadyExistsException | ForbiddenException e) {
        continue;
      }
    }
  }

  @Override
  public Optional<TableView> load(String table) {
    return contents(table).map(Contents::view);
  }

  /**
   * A table and what one load showed of it.
   *
   * @param view what the engine decides by
   * @param table for scans; it stays as it was loaded until it is refreshed
   */
  public record Contents(TableView view, Table table) {}

  /** The table as it is now, past every cache, for reading its rows; absent where there is none. */
  public Optional<Contents> contents(String table) {
    String name = physical(table);
    Schema expected = schema(table);
    return call(
        "loading table " + name,
        () -> access(name).load().map(loaded -> contents(loaded, expected)));
  }

  private static Contents contents(TableAccess.Loaded loaded, Schema expected) {
    TableView view =
        Witnesses.view(
            loaded.table().name(), loaded.metadata(), loaded.operations().io(), expected);
    return new Contents(view, loaded.table());
  }

  @Override
  public CommitReply commit(TableCommit commit) {
    String name = physical(commit.table());
    String what = "committing to table " + name;
    SendGate gate = new SendGate(permit);
    StateCommit stateCommit = stateCommit(commit, gate);
    try {
      return calls.call(what, options.callLimit(), stateCommit::run);
    } catch (TimedCalls.AbandonedException e) {
      if (gate.close()) {
        return new CommitReply.Unknown(e.getMessage());
      }
      throw LakeException.passing(e.getMessage(), e);
    } catch (RuntimeException e) {
      throw LakeErrors.translate(what, e);
    }
  }

  @Override
  public boolean commitsTogether() {
    return options.multiTable();
  }

  @Override
  public List<CommitReply> commitTogether(List<TableCommit> commits) {
    String what =
        "committing to tables "
            + commits.stream()
                .map(commit -> physical(commit.table()))
                .collect(Collectors.joining(", "));
    if (!(catalog instanceof RESTCatalog rest)) {
      throw LakeException.lasting(
          what + ": only a REST catalog commits several tables at once", null);
    }
    SendGate gate = new SendGate(permit);
    JointCommit joint =
        new JointCommit(
            commits.stream().map(commit -> stateCommit(commit, gate)).toList(),
            rest::commitTransaction,
            gate,
            counters);
    try {
      return calls.call(what, options.callLimit(), joint::run);
    } catch (TimedCalls.AbandonedException e) {
      if (gate.close()) {
        CommitReply unknown = new CommitReply.Unknown(e.getMessage());
        return commits.stream().map(commit -> unknown).toList();
      }
      throw LakeException.passing(e.getMessage(), e);
    } catch (RuntimeException e) {
      throw LakeErrors.translate(what, e);
    }
  }

  private StateCommit stateCommit(TableCommit commit, SendGate gate) {
    return new StateCommit(
        access(physical(commit.table())),
        schema(commit.table()),
        commit,
        (table, change) -> watermarkFile(table, commit.next().claim(), change),
        gate,
        counters);
  }

  /** Random at its end: a second try must not touch a file that an unseen commit made live. */
  private DataFile watermarkFile(
      TableAccess.Loaded table, WriterClaim claim, Change.ReplaceRow change) {
    String fileName =
        StagedFileName.of(
            claim, TableNames.WATERMARK, change.row().watermark(), UUID.randomUUID().toString());
    return files.writeWatermark(table.table(), fileName, change.row());
  }

  @Override
  public StagedFile stage(String table, String fileName, TableRows rows) {
    LogicalTable logical = dataTable(table);
    if (rows.rows() == 0) {
      throw new IllegalArgumentException("a file without rows is never committed (C18)");
    }
    String name = physical(table);
    return call(
        "writing " + fileName + " of table " + name,
        options.fileLimit(),
        () -> new StagedDataFile(files.writeRows(existing(name).table(), logical, fileName, rows)));
  }

  @Override
  public List<CanonicalRow> read(String table, Range range, int maxRows) {
    LogicalTable logical = dataTable(table);
    String name = physical(table);
    return call(
        "reading " + range + " of table " + name,
        options.fileLimit(),
        () -> new RangeReader(existing(name).table(), logical).read(range, maxRows));
  }

  @Override
  public List<CanonicalRow> readAt(String table, NavigableSet<Position> positions, int maxRows) {
    LogicalTable logical = dataTable(table);
    String name = physical(table);
    return call(
        "reading " + positions.size() + " rows of table " + name,
        options.fileLimit(),
        () -> new RangeReader(existing(name).table(), logical).readAt(positions, maxRows));
  }

  /**
   * The rows of a range, as {@link #read(String, Range, int)} gives them, of the table as it was
   * loaded.
   *
   * @throws ChangedRowsException if there are more than {@code maxRows}, or one that no writer of
   *     ours can have committed
   * @throws LakeException with the FileIO's own failure as a cause, if a file is gone meanwhile
   */
  public List<CanonicalRow> read(Contents contents, String table, Range range, int maxRows) {
    LogicalTable logical = dataTable(table);
    return call(
        "reading " + range + " of table " + physical(table),
        options.fileLimit(),
        () -> new RangeReader(contents.table(), logical).read(range, maxRows));
  }

  /**
   * A file that was written anew from others.
   *
   * @param file it; no snapshot lists it yet
   * @param rows its rows, and what they add up to
   */
  public record RewrittenFile(StagedFile file, RowSums rows) {}

  /**
   * Writes the rows of several files of a table into one, in position order and with every column,
   * then reads it back.
   *
   * @param contents the table, as it was loaded
   * @param table its logical name
   * @param sources the files, each in position order
   * @param fileName without folder; a number is added where it was taken before
   * @throws ChangedRowsException if a file is not in position order, or what was read back is not
   *     what was written
   */
  public RewrittenFile rewrite(
      Contents contents, String table, List<ListedDataFile> sources, String fileName) {
    LogicalTable logical = dataTable(table);
    return call(
        "writing " + fileName + " of table " + physical(table),
        options.fileLimit(),
        () ->
            new FileRewrite(contents.table(), logical, files)
                .merge(sources.stream().map(ListedDataFile::dataFile).toList(), fileName));
  }

  /**
   * Writes a file anew without some of its rows, then reads it back.
   *
   * @param contents the table, as it was loaded
   * @param table its logical name
   * @param source the file
   * @param positions whose rows are left out
   * @param fileName without folder; a number is added where it was taken before
   */
  public RewrittenFile rewriteWithout(
      Contents contents,
      String table,
      ListedDataFile source,
      Set<Position> positions,
      String fileName) {
    LogicalTable logical = dataTable(table);
    return call(
        "writing " + fileName + " of table " + physical(table),
        options.fileLimit(),
        () ->
            new FileRewrite(contents.table(), logical, files)
                .without(source.dataFile(), positions, fileName));
  }

  /**
   * A row that was found.
   *
   * @param position where
   * @param row as canonical bytes; absent if no canonical row has its values
   */
  public record FoundRow(Position position, Optional<CanonicalRow> row) {}

  /**
   * The rows of a range in position order, those that no writer of ours can have committed among
   * them.
   *
   * @param contents the table, as it was loaded
   * @param table its logical name
   * @param maxRows more than that is an error
   */
  public List<FoundRow> find(Contents contents, String table, Range range, int maxRows) {
    LogicalTable logical = dataTable(table);
    return call(
        "reading " + range + " of table " + physical(table),
        options.fileLimit(),
        () -> new RangeReader(contents.table(), logical).find(range, maxRows));
  }

  /**
   * Counts and adds up the rows of a range, reading no more columns than that takes.
   *
   * @param contents the table, as it was loaded
   * @param table its logical name
   */
  public RowSums sums(Contents contents, String table, Range range) {
    LogicalTable logical = dataTable(table);
    return call(
        "counting the rows of " + range + " of table " + physical(table),
        options.fileLimit(),
        () -> RangeReader.sums(contents.table(), logical, range));
  }

  /** How many files Iceberg wanted to delete after commits that it took for failed (C17). */
  @Override
  public long withheldDeletes() {
    return counters.withheldDeletes().sum();
  }

  @Override
  public long falseFailures() {
    return counters.falseFailures().get();
  }

  /** Interrupts what runs; later calls fail. */
  @Override
  public void close() {
    calls.close();
  }

  private TableAccess access(String physicalName) {
    return new TableAccess(catalog, TableIdentifier.of(namespace, physicalName));
  }

  private TableAccess.Loaded existing(String physicalName) {
    return access(physicalName)
        .load()
        .orElseThrow(
            () -> LakeException.lasting("table " + physicalName + " is not there any more", null));
  }

  private String physical(String table) {
    return names.physical(table, partition);
  }

  private Schema schema(String table) {
    return table.equals(TableNames.WATERMARK)
        ? LakeSchemas.watermark()
        : LakeSchemas.of(dataTable(table), identity.amountPrecision());
  }

  private LogicalTable dataTable(String table) {
    LogicalTable logical = dataTables.get(table);
    if (logical == null) {
      throw new IllegalArgumentException("the layout has no table " + table);
    }
    return logical;
  }

  private <T> T call(String what, Supplier<T> work) {
    return call(what, options.callLimit(), work);
  }

  private <T> T call(String what, Duration limit, Supplier<T> work) {
    try {
      return calls.call(what, limit, work);
    } catch (TimedCalls.AbandonedException e) {
      throw LakeException.passing(e.getMessage(), e);
    } catch (RuntimeException e) {
      throw LakeErrors.translate(what, e);
    }
  }
}
