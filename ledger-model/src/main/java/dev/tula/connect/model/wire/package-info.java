/**
 * The query port's wire protocol, version 1: its frames and messages as values, and the codec
 * between the two. Described in {@code docs/protocol/query-port.md}. No I/O happens here.
 */
package dev.tula.connect.model.wire;
