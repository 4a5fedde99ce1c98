/**
 * The lake on Apache Iceberg: creates, loads, stages, commits and reads the tables of one export
 * partition. Every commit is a compare-and-set of the table's whole state, and no failure of a
 * commit ever deletes a file; the protocol's rules C14 to C17, C19 and C23 live here.
 */
package dev.tula.connect.sink.lake;
