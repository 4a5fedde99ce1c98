/**
 * Transforms and predicates that reshape or select ledger records without touching the position
 * that proves their order.
 */
package dev.tula.connect.smt;
