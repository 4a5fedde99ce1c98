/**
 * How the connectors describe and check their configuration keys, so that validation, documentation
 * and error messages come from one description. No I/O happens here.
 */
package dev.tula.connect.model.config;
