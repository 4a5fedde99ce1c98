/**
 * One command that runs a broker, a Connect worker, a reference node and a local lake, to see a
 * ledger reach its tables.
 */
package dev.tula.connect.local;
