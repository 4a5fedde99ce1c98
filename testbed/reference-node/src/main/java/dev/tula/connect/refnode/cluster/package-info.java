/**
 * One to three nodes over one committed history: who leads in which term, who reads what and holds
 * which lease, what was acked, and how far history may be reclaimed. No sockets here.
 */
package dev.tula.connect.refnode.cluster;
