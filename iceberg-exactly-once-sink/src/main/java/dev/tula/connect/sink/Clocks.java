package dev.tula.connect.sink;

import java.time.InstantSource;

/**
 * The two kinds of time that a task goes by.
 *
 * @param dates for what is a date: when something was committed or published
 * @param elapsed for everything that waits or is limited
 */
record Clocks(InstantSource dates, ElapsedTime elapsed) {
  /** The machine's. */
  static final Clocks SYSTEM = new Clocks(InstantSource.system(), ElapsedTime.SYSTEM);
}
