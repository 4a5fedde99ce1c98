package dev.tula.connect.local;

import dev.tula.connect.refnode.ReferenceCluster;
import java.nio.file.Path;

/** What a pipeline runs on. */
public interface PipelineHost {
  /** The ledger cluster. */
  ReferenceCluster engine();

  /** What clients of the broker connect to. */
  String bootstrapServers();

  /** A Connect worker; where there are several, one that runs. */
  ConnectWorkerProcess worker();

  /** The lake. */
  LocalLake lake();

  /** The engine's log of acks. */
  default Path ackLog() {
    return engine().directory().resolve("acks.log");
  }
}
