/**
 * The committed history on disk: append-only segment files of batches, with an index of the batches
 * in memory. Records are stored once, in full, and each reader is served the form it asks for by
 * copying bytes.
 */
package dev.tula.connect.refnode.history;
