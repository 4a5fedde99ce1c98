/**
 * A simulation of the commit protocol: engine and assembler as they are, and around them a ledger,
 * a source, a topic, a lake and several writers that crash, stall and race, all drawn from one
 * seed.
 */
package dev.tula.connect.sink.engine.sim;
