/**
 * The double-entry engine: accounts, transfers, reservations and what becomes of them. Pure: no
 * threads, no clock and no I/O of its own. What it decides depends on the sequence of its calls
 * alone, and every decision leaves a record, except a repeat of one that was decided before.
 */
package dev.tula.connect.refnode.engine;
