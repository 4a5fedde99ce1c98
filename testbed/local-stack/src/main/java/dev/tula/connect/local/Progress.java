package dev.tula.connect.local;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Shows how far a run is: on a terminal as one block that is drawn over itself, elsewhere as a line
 * now and then. For one thread.
 */
final class Progress {
  private static final long BLOCK_INTERVAL_NANOS = 250_000_000L;
  private static final long LINE_INTERVAL_NANOS = 5_000_000_000L;
  private static final int BAR_WIDTH = 30;

  private final PrintStream out;
  private final boolean terminal;
  private long lastNanos;
  private int drawnLines;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
    this.lastNanos = System.nanoTime() - LINE_INTERVAL_NANOS;
  }

  /**
   * How far a run is.
   *
   * @param engineRows records in the ledger
   * @param sentRows rows read from it for Kafka
   * @param lakeRows rows in the lake at its watermark
   * @param headBatch the ledger's last batch
   * @param watermarkBatch the lake's watermark
   * @param ackedBatch what the engine was told
   * @param replayedRows rows that came again
   * @param kills kills carried out
   * @param fraction how much of the ledger is in the lake, 0 to 1
   */
  record State(
      long engineRows,
      long sentRows,
      long lakeRows,
      long headBatch,
      long watermarkBatch,
      long ackedBatch,
      long replayedRows,
      int kills,
      double fraction) {}

  /** Shows a state, if it is time to. */
  void show(State state) {
    long now = System.nanoTime();
    if (now - lastNanos < (terminal ? BLOCK_INTERVAL_NANOS : LINE_INTERVAL_NANOS)) {
      return;
    }
    lastNanos = now;
    if (terminal) {
      draw(block(state));
    } else {
      out.println(line(state));
    }
    out.flush();
  }

  /** Prints a line of text; the block goes on below it. */
  void say(String text) {
    erase();
    out.println(text);
    out.flush();
  }

  /** Shows the last state and leaves it standing. */
  void finish(State state) {
    lastNanos -= LINE_INTERVAL_NANOS;
    show(state);
    drawnLines = 0;
  }

  private void draw(List<String> lines) {
    erase();
    lines.forEach(out::println);
    drawnLines = lines.size();
  }

  private void erase() {
    for (; drawnLines > 0; drawnLines--) {
      out.print("\033[1A\033[2K");
    }
  }

  private static List<String> block(State state) {
    int filled = (int) (state.fraction() * BAR_WIDTH);
    List<String> lines = new ArrayList<>();
    lines.add(
        "  ["
            + "#".repeat(filled)
            + ".".repeat(BAR_WIDTH - filled)
            + String.format(Locale.ROOT, "] %3.0f %%", 100 * state.fraction()));
    lines.add(row("in the ledger", state.engineRows(), "head batch", state.headBatch()));
    lines.add(row("sent to Kafka", state.sentRows(), "came again", state.replayedRows()));
    lines.add(row("in the lake", state.lakeRows(), "watermark", state.watermarkBatch()));
    lines.add(
        row(
            "lag, batches",
            Math.max(0, state.headBatch() - state.watermarkBatch()),
            "acked",
            state.ackedBatch()));
    return lines;
  }

  private static String row(String left, long leftValue, String right, long rightValue) {
    return String.format(
        Locale.ROOT, "  %-14s %,15d    %-11s %,15d", left, leftValue, right, rightValue);
  }

  private static String line(State state) {
    return String.format(
        Locale.ROOT,
        "%3.0f %%  ledger %,d  kafka %,d  lake %,d  lag %,d batches  watermark %,d  acked %,d"
            + "  came again %,d  kills %d",
        100 * state.fraction(),
        state.engineRows(),
        state.sentRows(),
        state.lakeRows(),
        Math.max(0, state.headBatch() - state.watermarkBatch()),
        state.watermarkBatch(),
        state.ackedBatch(),
        state.replayedRows(),
        state.kills());
  }
}
