package dev.tula.connect.local;

import dev.tula.connect.model.Position;
import java.time.Instant;

/**
 * A checkpoint as it stands in the checkpoints topic.
 *
 * @param partition the export partition
 * @param to the watermark that it publishes
 * @param offset its offset in its partition of the topic
 * @param appendedAt when the broker appended it, to the millisecond
 */
public record Checkpoint(int partition, Position to, long offset, Instant appendedAt) {}
