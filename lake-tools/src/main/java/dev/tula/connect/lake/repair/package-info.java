/**
 * Puts rows of committed ranges right by what the ledger itself has: what is missing is added, what
 * is doubled, altered or never was there is taken out. Nothing is restored but what was committed;
 * the digests in the commit log decide that.
 */
package dev.tula.connect.lake.repair;
