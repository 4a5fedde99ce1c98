/**
 * What {@code tula-lake doctor} looks at: checks over the configurations of a pipeline, which read
 * nothing else and change nothing.
 */
package dev.tula.connect.lake.doctor;
