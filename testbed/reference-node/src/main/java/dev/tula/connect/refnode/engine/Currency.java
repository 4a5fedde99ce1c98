package dev.tula.connect.refnode.engine;

import java.nio.charset.StandardCharsets;

/** A currency that the engine knows. */
final class Currency {
  private final String code;
  private final byte[] utf8;
  private int exponent;
  private EntityState state;

  Currency(String code, int exponent, EntityState state) {
    this.code = code;
    this.utf8 = code.getBytes(StandardCharsets.UTF_8);
    this.exponent = exponent;
    this.state = state;
  }

  String code() {
    return code;
  }

  byte[] utf8() {
    return utf8;
  }

  int exponent() {
    return exponent;
  }

  EntityState state() {
    return state;
  }

  void update(int newExponent, EntityState newState) {
    exponent = newExponent;
    state = newState;
  }
}
