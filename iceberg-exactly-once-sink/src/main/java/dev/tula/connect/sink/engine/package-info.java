/**
 * The commit engine: how ranges of the stream get into the lake's tables exactly once. It is pure:
 * it holds state, says which effects it wants, and takes their outcomes; it has no threads, clock,
 * catalog or Connect types of its own, so that a simulation can drive it through any crash and
 * race. The protocol, rule by rule (C1 to C30), is {@code docs/protocol/commit-protocol.md}.
 */
package dev.tula.connect.sink.engine;
