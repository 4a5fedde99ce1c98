package dev.tula.connect.lake.output;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * One line on a terminal that shows how far long work has come, redrawn in place a few times a
 * second; nothing at all where there is no terminal. For one thread.
 */
public final class Progress implements AutoCloseable {
  /** Set by the launcher where stderr is a terminal. */
  public static final String TERMINAL_PROPERTY = "tula.lake.terminal";

  private static final long REDRAW_NANOS = 200_000_000L;
  private static final int BAR_WIDTH = 30;

  private final PrintWriter out;
  private final boolean shown;
  private long lastDrawnNanos;
  private int lastLength;

  private Progress(PrintWriter out, boolean shown) {
    this.out = out;
    this.shown = shown;
    this.lastDrawnNanos = System.nanoTime() - REDRAW_NANOS;
  }

  /** Progress on {@code out} if that is a terminal, as the launcher says. */
  public static Progress onTerminal(PrintWriter out) {
    return new Progress(out, Boolean.getBoolean(TERMINAL_PROPERTY));
  }

  /**
   * Shows progress, if it is time to.
   *
   * @param what is being done
   * @param done of it
   * @param total of it; 0 if that is not known
   */
  public void show(String what, long done, long total) {
    long now = System.nanoTime();
    if (!shown || now - lastDrawnNanos < REDRAW_NANOS) {
      return;
    }
    lastDrawnNanos = now;
    draw(line(what, done, total));
  }

  private static String line(String what, long done, long total) {
    if (total <= 0) {
      return Format.number(done) + "  " + what;
    }
    double part = Math.min(1.0, (double) done / total);
    int filled = (int) (part * BAR_WIDTH);
    return String.format(
        Locale.ROOT,
        "[%s%s] %3d %%  %s",
        "#".repeat(filled),
        ".".repeat(BAR_WIDTH - filled),
        (int) (part * 100),
        what);
  }

  private void draw(String line) {
    out.print("\r" + line + " ".repeat(Math.max(0, lastLength - line.length())));
    out.flush();
    lastLength = line.length();
  }

  /** Wipes the line. */
  @Override
  public void close() {
    if (lastLength > 0) {
      out.print("\r" + " ".repeat(lastLength) + "\r");
      out.flush();
      lastLength = 0;
    }
  }
}
