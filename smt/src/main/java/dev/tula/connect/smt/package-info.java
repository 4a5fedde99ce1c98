/**
 * Predicates that select ledger records by what they are, for consumers of the data topic other
 * than the exactly-once sink.
 */
package dev.tula.connect.smt;
