/** How fast a part of the pipeline is on its own: what {@code bin/bench-source} does. */
package dev.tula.connect.local.bench;
