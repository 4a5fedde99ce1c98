package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ChangedTable;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a cleanup did to one table, or would do.
 *
 * @param partition the export partition
 * @param table the table's logical name
 * @param name its name in the catalog
 * @param snapshots the snapshots that it had
 * @param expired those of them that were, or would be, expired
 * @param pinned those that a branch or tag other than main names
 * @param expiredFiles the files that only expired snapshots led to, and that were deleted
 * @param orphans the files that nothing leads to; absent where they were not looked for
 * @param orphanBytes what they take
 * @param undeleted files that could not be deleted
 * @param metadataBytes the size of the table's metadata file before
 * @param metadataBytesAfter its size afterwards; absent where nothing was done
 * @param problem why nothing was done, or not all of it
 */
public record CleanupResult(
    int partition,
    String table,
    String name,
    long snapshots,
    long expired,
    long pinned,
    long expiredFiles,
    OptionalLong orphans,
    long orphanBytes,
    long undeleted,
    OptionalLong metadataBytes,
    OptionalLong metadataBytesAfter,
    Optional<String> problem)
    implements ChangedTable {}
