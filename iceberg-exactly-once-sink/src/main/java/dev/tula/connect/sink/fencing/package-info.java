/**
 * Lease fencing, for two Connect clusters over one lake: a writer holds a lease, in a folder or in
 * a table of a database, while it writes, and sends no commit without it. The lake's own fence (C4,
 * C5, C15) does not need it; the lease keeps a second writer from taking over one that is well.
 */
package dev.tula.connect.sink.fencing;
