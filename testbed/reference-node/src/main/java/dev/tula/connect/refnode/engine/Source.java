package dev.tula.connect.refnode.engine;

/** A source of transfers. */
final class Source {
  private final int id;
  private String name;
  private EntityState state;

  Source(int id, String name, EntityState state) {
    this.id = id;
    this.name = name;
    this.state = state;
  }

  int id() {
    return id;
  }

  String name() {
    return name;
  }

  EntityState state() {
    return state;
  }

  void update(String newName, EntityState newState) {
    name = newName;
    state = newState;
  }
}
