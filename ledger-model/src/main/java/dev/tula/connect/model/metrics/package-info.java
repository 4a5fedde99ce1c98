/** How the connectors show their metrics over JMX. */
package dev.tula.connect.model.metrics;
