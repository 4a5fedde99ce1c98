/** How a run of {@code tula-lake} speaks and ends: reports in three forms, progress, exit codes. */
package dev.tula.connect.lake.output;
