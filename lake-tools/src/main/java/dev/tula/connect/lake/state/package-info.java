/**
 * Looks at a pipeline: its event topics and, with the sink's own engine, its tables; and says
 * whether what is there is a state that the commit protocol can leave behind.
 */
package dev.tula.connect.lake.state;
