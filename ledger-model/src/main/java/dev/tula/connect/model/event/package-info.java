/**
 * The events of the commits and checkpoints topics: the sink's own commit log, the checkpoints that
 * drive the ack, halts and their clearing. One JSON document a record, described in {@code
 * docs/formats.md}.
 */
package dev.tula.connect.model.event;
