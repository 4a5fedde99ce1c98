package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ChangedTable;
import dev.tula.connect.sink.lake.RowSums;
import java.util.List;
import java.util.Optional;

/**
 * What a compaction did to one table, or would do.
 *
 * @param partition the export partition
 * @param table the table's logical name
 * @param name its name in the catalog
 * @param files the table's files before
 * @param rewritten those that were, or would be, rewritten
 * @param written the files that took, or would take, their place
 * @param bytes what the rewritten files take
 * @param rows what the rewritten files' rows are
 * @param before what the rows of the cold range added up to before; absent where nothing was done
 * @param after what they add up to now
 * @param notes what was left as it was, and why
 * @param problem why nothing was done, or what is wrong now
 */
public record CompactionResult(
    int partition,
    String table,
    String name,
    long files,
    long rewritten,
    long written,
    long bytes,
    long rows,
    Optional<RowSums> before,
    Optional<RowSums> after,
    List<String> notes,
    Optional<String> problem)
    implements ChangedTable {}
