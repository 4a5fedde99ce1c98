package dev.tula.connect.sink.lake;

/** Whether a commit may be sent, asked at the last moment. Safe for any thread; never waits. */
@FunctionalInterface
public interface CommitPermit {
  /** Where nobody has to be asked. */
  CommitPermit ALWAYS = () -> {};

  /**
   * Does nothing if it may.
   *
   * @throws RuntimeException that says why it may not; nothing is sent then
   */
  void check();
}
