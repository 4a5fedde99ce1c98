/**
 * The {@code tula-lake} command and the library behind it: reads a ledger back from the lake as of
 * a named state, proves that it is complete, and repairs it when it is not.
 */
package dev.tula.connect.lake;
