package dev.tula.connect.lake;

import dev.tula.connect.lake.config.ConfigFiles;
import dev.tula.connect.lake.config.ResolvedConfigs;
import dev.tula.connect.lake.doctor.CleanupPlan;
import dev.tula.connect.lake.doctor.Doctor;
import dev.tula.connect.lake.doctor.Finding;
import dev.tula.connect.lake.doctor.OnlineDoctor;
import dev.tula.connect.lake.doctor.Setup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Checks configurations before anything is started with them. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = {
      "Checks the sink's configuration, and the source's and the worker's where they are named,"
          + " without a network unless it is told to: first with the connectors' own validation, then for what goes wrong"
          + " later.",
      "Each finding names a key and says what to do."
    },
    footer = {"", "Exits with 0 if nothing fails, warnings or not, and with 2 if something does."})
final class DoctorCommand extends ToolCommand {
  @Option(
      names = "--source-config",
      paramLabel = "FILE",
      description = "The source connector's configuration, to check it and that both fit together.")
  private Path sourceConfig;

  @Option(
      names = "--online",
      description =
          "Also ask catalog, brokers and, with --source-config, the ledger, and make a trial commit in"
              + " scratch tables, tula_doctor_<random>_*, which are dropped again.")
  private boolean online;

  @Option(
      names = "--cleanup-every",
      paramLabel = "SPAN",
      converter = DurationConverter.class,
      description =
          "How often tula-lake cleanup --execute is scheduled: 1d, 12h, 30m, 90s. Without it, doctor"
              + " says how often is needed.")
  private Duration cleanupEvery;

  @Option(
      names = "--cleanup-older-than",
      paramLabel = "SPAN",
      defaultValue = CleanupCommand.OLDER_THAN,
      converter = DurationConverter.class,
      description = "Its --older-than. Default: ${DEFAULT-VALUE}.")
  private Duration cleanupOlderThan;

  @Option(
      names = "--cleanup-keep",
      paramLabel = "N",
      defaultValue = CleanupCommand.KEEP,
      description = "Its --keep. Default: ${DEFAULT-VALUE}.")
  private int cleanupKeep;

  @Override
  public Integer call() {
    if (cleanupEvery != null && cleanupEvery.isZero()) {
      throw usage("--cleanup-every must be above 0");
    }
    if (cleanupKeep < 1) {
      throw usage("--cleanup-keep must be 1 or more");
    }
    Setup setup = new Setup(configs(), cleanup());
    List<Finding> findings = new ArrayList<>(Doctor.examine(setup));
    if (online) {
      findings.addAll(OnlineDoctor.examine(setup, findings, connector()::settings));
    }
    DoctorReport report = new DoctorReport(setup.kind(), findings);
    print(report);
    return report.exitCode();
  }

  private ResolvedConfigs configs() {
    return ResolvedConfigs.of(
        connector().asPut(),
        Optional.ofNullable(sourceConfig).map(ConfigFiles::connector),
        connector().worker());
  }

  private CleanupPlan cleanup() {
    return new CleanupPlan(Optional.ofNullable(cleanupEvery), cleanupOlderThan, cleanupKeep);
  }
}
