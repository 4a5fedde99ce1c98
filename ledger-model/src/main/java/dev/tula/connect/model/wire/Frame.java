package dev.tula.connect.model.wire;

import java.util.Objects;

/**
 * What a frame carries.
 *
 * @param correlation chosen by the client for a request; the answer repeats it. Any 64 bits
 * @param message the message
 */
public record Frame(long correlation, Message message) {
  /** Checks that there is a message. */
  public Frame {
    Objects.requireNonNull(message, "message");
  }
}
