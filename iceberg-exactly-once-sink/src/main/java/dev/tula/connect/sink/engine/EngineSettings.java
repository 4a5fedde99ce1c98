package dev.tula.connect.sink.engine;

import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.event.EventIdentity;
import java.util.List;
import java.util.OptionalLong;

/**
 * What one partition's engine is told.
 *
 * @param identity the configured pipeline
 * @param partition the export partition
 * @param writerId random for each start
 * @param fixedEpoch the configured writer epoch; absent for {@code auto}
 * @param maxAttempts how often a commit may be refused, and derived again, before the writer gives
 *     up
 */
public record EngineSettings(
    PipelineIdentity identity,
    int partition,
    String writerId,
    OptionalLong fixedEpoch,
    int maxAttempts) {

  StreamIdentity stream() {
    return identity.stream(partition);
  }

  EventIdentity eventIdentity() {
    return EventIdentity.of(stream());
  }

  List<LogicalTable> tables() {
    return identity.tables();
  }

  String physicalName(String logical) {
    return new TableNames(identity.generation(), identity.partitionCount())
        .physical(logical, partition);
  }

  boolean hasAmounts(String logical) {
    return tables().stream().anyMatch(table -> table.name().equals(logical) && table.hasAmounts());
  }
}
