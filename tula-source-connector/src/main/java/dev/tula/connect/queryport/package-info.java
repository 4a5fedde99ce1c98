/**
 * The client of the ledger's query port: one connection ({@link
 * dev.tula.connect.queryport.QueryPort}), the rules by which errors are told apart ({@link
 * dev.tula.connect.queryport.RetryClassifier}), and the client that follows the leader over all
 * nodes ({@link dev.tula.connect.queryport.LeaderClient}). Nothing here knows Kafka Connect's life
 * cycle.
 */
package dev.tula.connect.queryport;
