package dev.tula.connect.local.chaos;

import java.util.List;
import java.util.Set;

/**
 * Something that goes wrong for a while. What it does must be undone by {@link #heal}, whatever
 * happened in between.
 */
final class Fault {
  /**
   * The parts of the stack that a fault may be in. Two faults at one time are in different ones.
   */
  enum Part {
    /** Connect workers. */
    WORKERS,
    /** What a person does to the connectors. */
    CONNECTORS,
    /** The ledger's nodes. */
    LEDGER,
    /** Kafka. */
    BROKER,
    /** The Iceberg catalog. */
    CATALOG,
    /** The object store. */
    STORE,
    /** Who keeps the lake, a command at a time; it disturbs nobody else. */
    MAINTENANCE
  }

  /** A step that may fail. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  private static final Step NOTHING = () -> {};

  private final String name;
  private final Set<Part> parts;
  private final long minMs;
  private final long maxMs;
  private final Step inject;
  private final Step heal;

  private Fault(String name, Set<Part> parts, long minMs, long maxMs, Step inject, Step heal) {
    this.name = name;
    this.parts = parts;
    this.minMs = minMs;
    this.maxMs = maxMs;
    this.inject = inject;
    this.heal = heal;
  }

  /** One that is over at once, or heals by itself. */
  static Fault at(String name, Part part, Step inject) {
    return new Fault(name, Set.of(part), 0, 0, inject, NOTHING);
  }

  /** One that lasts. */
  static Fault lasting(
      String name, List<Part> parts, long minMs, long maxMs, Step inject, Step heal) {
    return new Fault(name, Set.copyOf(parts), minMs, maxMs, inject, heal);
  }

  String name() {
    return name;
  }

  Set<Part> parts() {
    return parts;
  }

  /** How long it lasts at least. */
  long minMs() {
    return minMs;
  }

  /** How long it lasts at most. */
  long maxMs() {
    return maxMs;
  }

  void inject() throws Exception {
    inject.run();
  }

  void heal() throws Exception {
    heal.run();
  }
}
