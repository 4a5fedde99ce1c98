package dev.tula.connect.lake.doctor;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the sink's own engine write to scratch tables in the pipeline's namespace, all of whose
 * names begin with {@code tula_doctor_} and a random part: creates them, claims them, commits a
 * range, reads its row back, and has a second writer take over, after which the first must be
 * refused (I5). Whatever comes of it, the tables are dropped again. Every call has the lake's own
 * time limit.
 */
final class TrialCommit {
  private static final Logger LOG = LoggerFactory.getLogger(TrialCommit.class);
  private static final Duration DROP_LIMIT = Duration.ofMinutes(3);
  private static final int MAX_ROWS = 10;
  private static final int AMOUNT_PRECISION = 28;

  private final Catalog catalog;
  private final Catalog rival;
  private final Namespace namespace;
  private final LakeOptions options;

  /**
   * @param catalog the pipeline's, the caller's to close
   * @param rival the same catalog as another process would have it, the caller's to close
   * @param namespace the pipeline's
   * @param options as the sink has them
   */
  TrialCommit(Catalog catalog, Catalog rival, Namespace namespace, LakeOptions options) {
    this.catalog = catalog;
    this.rival = rival;
    this.namespace = namespace;
    this.options = options;
  }

  /**
   * What came of it.
   *
   * @param fault what did not work
   * @param left what could not be dropped
   */
  record Result(Optional<String> fault, List<String> left) {}

  Result run() {
    String random = UUID.randomUUID().toString().substring(0, 8);
    String prefix = "tula_doctor_" + random + "_";
    ScratchCatalog own = new ScratchCatalog(catalog, prefix);
    ScratchCatalog others = new ScratchCatalog(rival, prefix);
    PipelineIdentity identity = identity(random);
    Optional<String> fault;
    try (IcebergLake lake = new IcebergLake(own, namespace, identity, 0, options);
        IcebergLake rivals = new IcebergLake(others, namespace, identity, 0, options)) {
      fault = attempt(identity, lake, rivals);
    } catch (LakeException e) {
      fault = Optional.of(e.getMessage());
    } catch (RuntimeException e) {
      LOG.warn("A trial ended in a way that was not foreseen", e);
      fault = Optional.of(e.toString());
    }
    List<String> left = new ArrayList<>(drop(own, prefix));
    left.addAll(drop(others, prefix));
    return new Result(fault, left);
  }

  /** Catalogs' clients need not have a time limit of their own. */
  private static List<String> drop(ScratchCatalog scratch, String prefix) {
    ExecutorService thread = Executors.newSingleThreadExecutor(TrialCommit::daemon);
    try {
      return thread.submit(scratch::drop).get(DROP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Dropping tables {}* did not come to an end", prefix, e);
      return List.of("tables " + prefix + "*");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of("tables " + prefix + "*");
    } finally {
      thread.shutdownNow();
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "tula-doctor-drop");
    thread.setDaemon(true);
    return thread;
  }

  private static PipelineIdentity identity(String random) {
    return new PipelineIdentity(
        "tula-doctor",
        "tula-doctor-" + random,
        1,
        1,
        Layout.SHARED,
        false,
        false,
        AMOUNT_PRECISION,
        PipelineIdentity.FORMAT);
  }

  private static Optional<String> attempt(
      PipelineIdentity identity, IcebergLake lake, IcebergLake rivals) {
    TrialWriter writer = new TrialWriter(identity, lake);
    writer.open();
    CanonicalRow row = writer.commit(1);
    Range all = new Range(Position.ORIGIN, Position.batchEnd(1));
    if (!lake.read(writer.table(), all, MAX_ROWS).equals(List.of(row))) {
      return Optional.of("what was read back is not what was written");
    }
    new TrialWriter(identity, rivals).takeOver();
    return refusesAfterTakeOver(writer)
        ? Optional.empty()
        : Optional.of(
            "a writer could commit after a newer one had claimed its tables: the catalog does not"
                + " swap a table's metadata atomically");
  }

  private static boolean refusesAfterTakeOver(TrialWriter writer) {
    try {
      writer.commitEmpty(2);
      return false;
    } catch (LakeException e) {
      if (writer.isFenced()) {
        return true;
      }
      throw e;
    }
  }
}
