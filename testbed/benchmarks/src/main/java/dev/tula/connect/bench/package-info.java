/** Measures the hot paths alone and the whole pipeline beside the stock Iceberg sink. */
package dev.tula.connect.bench;
