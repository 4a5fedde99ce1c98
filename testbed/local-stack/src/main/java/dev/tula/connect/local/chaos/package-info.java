/**
 * A pipeline on real processes, to which something happens all the time: what {@code bin/chaos}
 * runs. Which faults come when follows from a seed; how the processes take them does not.
 */
package dev.tula.connect.local.chaos;
