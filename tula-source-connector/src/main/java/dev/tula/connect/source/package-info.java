/**
 * The source connector: follows the leader of a TulaDB cluster over its query port and hands each
 * committed row to Kafka once, in ledger order, acknowledging a position only after the lake holds
 * it.
 */
package dev.tula.connect.source;
