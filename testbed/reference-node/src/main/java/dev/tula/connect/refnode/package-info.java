/**
 * A small double-entry ledger that serves the query port, so that the connectors can be developed
 * and tested without a TulaDB cluster.
 */
package dev.tula.connect.refnode;
