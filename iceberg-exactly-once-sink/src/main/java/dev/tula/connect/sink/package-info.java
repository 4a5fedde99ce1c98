/**
 * The sink connector and its commit engine: cuts ledger ranges out of a Kafka partition and commits
 * each to every Iceberg table before it publishes the watermark, so that a position is in the lake
 * once or not yet.
 */
package dev.tula.connect.sink;
