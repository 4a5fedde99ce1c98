package dev.tula.connect.queryport;

/** Makes configured, unopened connections. Safe for any thread. */
@FunctionalInterface
public interface QueryPortFactory {
  /** A new connection, to be {@linkplain QueryPort#open opened} once. */
  QueryPort create();
}
