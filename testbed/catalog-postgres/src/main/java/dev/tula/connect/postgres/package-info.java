/** A PostgreSQL server for the local stack. */
package dev.tula.connect.postgres;
