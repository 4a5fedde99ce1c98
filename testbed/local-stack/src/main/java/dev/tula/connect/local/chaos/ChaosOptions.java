package dev.tula.connect.local.chaos;

import java.time.Duration;

/**
 * What a chaos run is to be like.
 *
 * @param length how long faults come
 * @param seed which faults come when, and what the ledger's workload is
 * @param rate records per second that the ledger grows by
 */
record ChaosOptions(Duration length, long seed, double rate) {}
