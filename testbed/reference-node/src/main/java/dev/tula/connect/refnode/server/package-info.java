/**
 * The query port: connections, frames and sessions over a {@link
 * dev.tula.connect.refnode.cluster.Cluster}; and the admin port.
 */
package dev.tula.connect.refnode.server;
