package dev.tula.connect.sink.lake;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Decides, for one commit, between "a request went out" and "the caller gave up": exactly one of
 * them comes first. A commit whose caller gave up before anything was sent has certainly not
 * landed; one given up later may yet land.
 */
final class SendGate {
  private enum State {
    NOTHING_SENT,
    SENT,
    CLOSED_UNSENT,
    CLOSED_SENT
  }

  private final CommitPermit permit;
  private final AtomicReference<State> state = new AtomicReference<>(State.NOTHING_SENT);

  /** The caller no longer waits. */
  static final class ClosedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClosedException() {
      super("the caller gave up before the request was sent");
    }
  }

  SendGate(CommitPermit permit) {
    this.permit = permit;
  }

  /**
   * Passes, and notes that a request goes out.
   *
   * @throws ClosedException if the caller gave up before
   * @throws RuntimeException what the permit throws, if there is none
   */
  void enter() {
    permit.check();
    State now = state.updateAndGet(was -> was == State.NOTHING_SENT ? State.SENT : was);
    if (now != State.SENT) {
      throw new ClosedException();
    }
  }

  /** Lets nothing pass any more. Returns whether anything had passed. */
  boolean close() {
    State now =
        state.updateAndGet(
            was ->
                was == State.SENT || was == State.CLOSED_SENT
                    ? State.CLOSED_SENT
                    : State.CLOSED_UNSENT);
    return now == State.CLOSED_SENT;
  }
}
