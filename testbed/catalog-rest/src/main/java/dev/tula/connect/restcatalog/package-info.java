/** Iceberg's REST catalog as a process, for the local stack. */
package dev.tula.connect.restcatalog;
