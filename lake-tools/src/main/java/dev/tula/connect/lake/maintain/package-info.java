/**
 * Looks after tables beside their live sink: expires snapshots, deletes what nobody references any
 * more, and rewrites small files. Every change of a table is a compare-and-set of its whole state
 * through the sink's own commits (C14), under the claim that is there.
 */
package dev.tula.connect.lake.maintain;
