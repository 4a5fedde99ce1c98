/**
 * Holds the commit log, the events in the commits topic, against the lake: each table's state, its
 * snapshots as far as they are kept, and its rows.
 */
package dev.tula.connect.lake.reconcile;
