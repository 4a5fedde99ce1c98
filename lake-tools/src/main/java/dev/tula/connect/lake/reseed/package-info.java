/**
 * The end of a generation whose next range the ledger has reclaimed (architecture: halts, 87), and
 * what makes the gap explicit.
 */
package dev.tula.connect.lake.reseed;
