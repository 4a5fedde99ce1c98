/**
 * Reads the sink connector's own configuration, from a file or from Connect's REST port, so that
 * nothing is written twice.
 */
package dev.tula.connect.lake.config;
