package dev.tula.connect.lake;

import dev.tula.connect.lake.maintain.CleanupResult;
import dev.tula.connect.lake.maintain.PartitionCleanup;
import dev.tula.connect.lake.maintain.Retention;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.sink.lake.IcebergLake;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Expires snapshots, and deletes what nothing leads to. */
@Command(
    name = "cleanup",
    mixinStandardHelpOptions = true,
    description = {
      "Expires old snapshots of every table, the watermark table too, and deletes the files that"
          + " only they led to.",
      "Never expires what a branch or a tag names, the sink's newest snapshot, or the one at the"
          + " watermark.",
      "Without --execute it only shows what it would do. Safe beside a running sink."
    },
    footer = {
      "",
      "Exits with 2 if a table was left alone, and says why; with 86 if a durability halt is in"
          + " force."
    })
final class CleanupCommand extends LakeCommand {
  /** What {@code --older-than} is where nobody says. */
  static final String OLDER_THAN = "5d";

  /** What {@code --keep} is where nobody says. */
  static final String KEEP = "10";

  private static final Duration MIN_ORPHAN_AGE = Duration.ofHours(1);

  @Option(
      names = "--older-than",
      paramLabel = "SPAN",
      defaultValue = OLDER_THAN,
      converter = DurationConverter.class,
      description = "Expire what is older: 5d, 12h, 30m, 90s. Default: ${DEFAULT-VALUE}.")
  private Duration olderThan;

  @Option(
      names = "--keep",
      paramLabel = "N",
      defaultValue = KEEP,
      description =
          "Keep so many of a table's newest snapshots, whatever their age. Default:"
              + " ${DEFAULT-VALUE}.")
  private int keep;

  @Option(
      names = "--orphans",
      description = {
        "Also delete what nothing leads to: files that writers staged and never committed, if a"
            + " newer writer has claimed the table since, and manifests and metadata files that the"
            + " table does not know any more."
      })
  private boolean orphans;

  @Option(
      names = "--orphans-older-than",
      paramLabel = "SPAN",
      defaultValue = "3d",
      converter = DurationConverter.class,
      description = "Spare younger ones; 1h at least. Default: ${DEFAULT-VALUE}.")
  private Duration orphansOlderThan;

  @Option(names = "--execute", description = "Do it.")
  private boolean execute;

  @Override
  void checkUsage() {
    if (keep < 1) {
      throw usage("--keep must be 1 or more");
    }
    if (orphansOlderThan.compareTo(MIN_ORPHAN_AGE) < 0) {
      throw usage("--orphans-older-than must be 1h or more: younger files may belong to a commit");
    }
  }

  @Override
  int run(LakeSession session, List<Integer> partitions) {
    session.checkIdentity().ifPresent(Refusal::whole);
    Instant now = Instant.now();
    Retention retention = new Retention(now.minus(olderThan), keep);
    Optional<Instant> orphanAge =
        orphans ? Optional.of(now.minus(orphansOlderThan)) : Optional.empty();
    List<CleanupResult> results = new ArrayList<>();
    List<Refusal> refusals =
        eachSound(
            session,
            partitions,
            (reading, progress) -> {
              try (IcebergLake lake = session.newLake(reading.partition())) {
                results.addAll(
                    new PartitionCleanup(lake, reading, retention, orphanAge, progress)
                        .run(execute));
              }
            });
    ChangedLake<CleanupResult> lake = new ChangedLake<>(results, refusals);
    print(new CleanupReport(execute, lake));
    return lake.exitCode();
  }
}
