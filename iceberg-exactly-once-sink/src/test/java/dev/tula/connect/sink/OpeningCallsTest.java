package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.CommitEngine;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.EffectRunner;
import dev.tula.connect.sink.engine.EngineSettings;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.sim.SimLog;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import dev.tula.connect.sink.lake.LocalFileIo;
import dev.tula.connect.sink.lake.RestServer;
import dev.tula.connect.sink.lake.SqliteCatalog;
import java.io.Closeable;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What opening a partition costs a catalog. */
class OpeningCallsTest {
  private static final PipelineIdentity IDENTITY =
      new PipelineIdentity(
          "cluster", "pipeline", 1, 1, Layout.BY_TYPE, false, false, 28, PipelineIdentity.FORMAT);

  @TempDir Path folder;
  private final SimLog log = new SimLog(EventIdentity.of(IDENTITY.stream(0)), event -> {});

  private void open(Catalog catalog) {
    try (IcebergLake lake =
        new IcebergLake(
            catalog, Namespace.of("ledger"), IDENTITY, 0, LakeOptions.of(Map.of(), Map.of()))) {
      EffectRunner runner = new EffectRunner(IDENTITY, 0, lake, log);
      CommitEngine engine =
          new CommitEngine(
              new EngineSettings(IDENTITY, 0, "writer", OptionalLong.empty(), 5),
              InstantSource.system());
      while (!engine.isIdle() && engine.stopped().isEmpty()) {
        Effect next = engine.effects().iterator().next();
        engine.complete(next, runner.run(next, Map.of()));
      }
      assertThat(engine.isIdle()).isTrue();
    }
  }

  @Test
  void an_opening_loads_each_table_to_look_to_claim_and_to_read_back_and_no_oftener()
      throws Exception {
    Catalog backend =
        IcebergCatalogs.build(
            "backend", SqliteCatalog.properties(folder), Map.of(), Optional.empty());
    try (RestServer server = new RestServer(backend)) {
      Catalog client =
          IcebergCatalogs.build(
              "rest",
              Map.of("type", "rest", "uri", server.uri(), "io-impl", LocalFileIo.class.getName()),
              Map.of(),
              Optional.empty());
      open(client);
      int tables = IDENTITY.tables().size() + 1;
      int loads = server.loads();
      int commits = server.commits();
      int requests = server.requests();

      open(client);

      int toLook = tables + 1; // the identity's too
      int toClaim = 2 * tables; // to judge it, and with the commit
      int toReadBack = tables;
      assertThat(server.loads() - loads).isEqualTo(toLook + toClaim + toReadBack);
      assertThat(server.commits() - commits).isEqualTo(tables);
      assertThat(server.requests() - requests)
          .as("nothing else is asked")
          .isEqualTo(toLook + toClaim + toReadBack + tables);
      ((Closeable) client).close();
    }
  }
}
