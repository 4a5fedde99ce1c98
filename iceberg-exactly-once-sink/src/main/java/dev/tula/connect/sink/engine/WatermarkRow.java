package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;

/**
 * The one row of a watermark table, for readers; the protocol itself goes by the table's state.
 *
 * @param identity the pipeline
 * @param partition the export partition
 * @param watermark W
 * @param closedThroughMicros the ledger is closed through this time at W
 * @param writerEpoch the epoch of the writer that published it
 * @param kafka where reading goes on
 */
public record WatermarkRow(
    PipelineIdentity identity,
    int partition,
    Position watermark,
    long closedThroughMicros,
    long writerEpoch,
    KafkaPosition kafka) {}
