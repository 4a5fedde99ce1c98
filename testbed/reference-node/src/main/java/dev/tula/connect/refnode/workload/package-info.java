/**
 * Where the ledger's batches come from: a generator that depends on its seed alone, or a file of
 * transfers.
 */
package dev.tula.connect.refnode.workload;
