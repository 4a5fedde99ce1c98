/**
 * What the ledger holds, read straight from its files, for holding a lake against it. The path
 * shares nothing with the query port but the bytes.
 */
package dev.tula.connect.refnode.truth;
