/**
 * Reads the lake with Apache Spark, an engine that shares no code with the sink, to check what
 * other readers see.
 */
package dev.tula.connect.spark;
