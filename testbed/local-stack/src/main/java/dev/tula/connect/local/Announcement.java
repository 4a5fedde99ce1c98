package dev.tula.connect.local;

import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;

/** Says where everything is, and what to try next. */
final class Announcement {
  private Announcement() {}

  static void print(PrintStream out, LocalStack stack, Pipeline pipeline, Path sinkConfig) {
    URI rest = stack.worker().rest().worker();
    out.printf(
        Locale.ROOT,
        "  ledger    %s, %,d records%n",
        String.join(",", stack.engine().addresses()),
        stack.engine().rows());
    out.println("  broker    " + stack.bootstrapServers());
    out.println("  worker    " + rest + "/connectors, pid " + stack.worker().process().pid());
    out.println("  catalog   " + stack.lake().catalogUri());
    out.println("  files     " + stack.directory());
    out.println();
    out.println("  curl -s " + rest + "/connectors/" + pipeline.sourceName() + "/status");
    out.println("  curl -s " + rest + "/connectors/" + pipeline.sinkName() + "/config");
    out.println("  bin/tula-lake status --config " + sinkConfig);
    out.println("  jconsole " + stack.worker().process().pid() + "    # MBeans under tula.connect");
    out.println();
    out.flush();
  }
}
