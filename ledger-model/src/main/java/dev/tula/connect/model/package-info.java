/**
 * The ledger's own terms, shared by every module: positions and ranges, record kinds and their
 * columns, the canonical row bytes and the digests over them, the items of the stream, and their
 * Connect form. No I/O happens here.
 */
package dev.tula.connect.model;
