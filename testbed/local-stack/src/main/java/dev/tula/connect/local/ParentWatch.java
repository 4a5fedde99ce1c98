package dev.tula.connect.local;

import java.io.IOException;

/**
 * Ends a child process of the stack when its parent is gone, however that ended: the parent holds
 * the other end of standard input and never writes to it.
 */
public final class ParentWatch {
  private ParentWatch() {}

  /** Starts watching, on a thread of its own. */
  public static void start() {
    Thread watch = new Thread(ParentWatch::await, "parent-watch");
    watch.setDaemon(true);
    watch.start();
  }

  private static void await() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever sent; what matters is the end.
      }
    } catch (IOException e) {
      System.err.println("standard input failed, taken as the parent's end: " + e);
    }
    Runtime.getRuntime().halt(0);
  }
}
