package dev.tula.connect.sink.lake;

/** On SQLite and the local disk. */
class FalseFailureTest extends FalseFailureCases {}
