/**
 * The {@code tula-lake} command: one class for each subcommand, and what each shows. What they
 * stand on is in the packages below: the connector's configuration, the look at a partition, the
 * reconciliation, the clearing of halts.
 */
package dev.tula.connect.lake;
