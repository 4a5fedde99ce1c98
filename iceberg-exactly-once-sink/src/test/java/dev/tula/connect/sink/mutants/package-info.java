/**
 * Proves that the tests of the commit protocol can fail: each mutant under {@code
 * src/test/resources/mutants} breaks one rule in one source file, and the simulation, the explorer
 * or a named test must catch it.
 */
package dev.tula.connect.sink.mutants;
