package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.Position;
import java.time.Instant;

/**
 * An ACK as the node saw it.
 *
 * @param time when it came, by the wall clock
 * @param node the node's id
 * @param client the client's name
 * @param pipeline whose
 * @param generation of which generation
 * @param partition of which export partition
 * @param partitionCount of so many
 * @param through what was acked
 * @param term the term that the client named
 * @param credited what the pipeline is credited with after it
 * @param accepted whether the node took it
 */
public record AckEvent(
    Instant time,
    String node,
    String client,
    String pipeline,
    int generation,
    int partition,
    int partitionCount,
    Position through,
    long term,
    Position credited,
    boolean accepted) {}
