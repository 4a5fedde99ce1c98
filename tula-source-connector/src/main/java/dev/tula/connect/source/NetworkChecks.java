package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.config.FieldErrors;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ErrorReplyException;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.NodeAddress;
import dev.tula.connect.queryport.QueryPort;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.queryport.QueryPortException;
import dev.tula.connect.queryport.QueryPortFactory;
import dev.tula.connect.queryport.RetryClassifier;
import dev.tula.connect.queryport.TlsRefusedException;
import dev.tula.connect.queryport.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What validation asks the network: one connection to each node, and one look at the topics, all at
 * the same time and each within {@code tula.connection.validation.timeout.ms}.
 *
 * <p>A node that can't be reached is an error only if none can: a cluster with a node down must
 * still be configurable.
 */
final class NetworkChecks implements SourceValidator.OnlineChecks {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkChecks.class);

  /** The topic checks make a few calls one after another. */
  private static final int CALLS_IN_A_ROW = 4;

  @Override
  public void check(SourceConfig config, FieldErrors errors) {
    int timeoutMs = config.queryPort().validationTimeoutMs();
    List<NodeAddress> nodes = config.queryPort().nodes();
    ExecutorService threads = Executors.newFixedThreadPool(nodes.size() + 1, daemons());
    try {
      List<Callable<Optional<String>>> checks = new ArrayList<>();
      QueryPortConfig probing = config.queryPort().forValidation();
      for (NodeAddress node : nodes) {
        checks.add(() -> probe(config, probing, node, errors));
      }
      checks.add(() -> checkTopics(config, timeoutMs, errors));
      report(
          nodes,
          threads.invokeAll(checks, (long) timeoutMs * CALLS_IN_A_ROW, TimeUnit.MILLISECONDS),
          errors);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      errors.add(QueryPortConfig.HOSTS, "Validation was interrupted");
    } finally {
      threads.shutdownNow();
    }
  }

  private static ThreadFactory daemons() {
    return task -> {
      Thread thread = new Thread(task, "tula-validation");
      thread.setDaemon(true);
      return thread;
    };
  }

  private static void report(
      List<NodeAddress> nodes, List<Future<Optional<String>>> outcomes, FieldErrors errors)
      throws InterruptedException {
    Map<NodeAddress, String> unreachable = new LinkedHashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      Optional<String> outcome = outcome(outcomes.get(i));
      if (outcome.isPresent()) {
        unreachable.put(nodes.get(i), outcome.get());
      }
    }
    if (unreachable.size() == nodes.size()) {
      errors.add(
          QueryPortConfig.HOSTS,
          "No node can be reached: " + String.join("; ", unreachable.values()));
    } else if (!unreachable.isEmpty()) {
      LOG.warn("Some nodes can't be reached just now: {}", unreachable.values());
    }
    outcome(outcomes.get(nodes.size()))
        .ifPresent(problem -> errors.add(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, problem));
  }

  private static Optional<String> outcome(Future<Optional<String>> future)
      throws InterruptedException {
    try {
      return future.get();
    } catch (CancellationException e) {
      return Optional.of("no answer within the time limit");
    } catch (ExecutionException e) {
      LOG.debug("A check failed", e);
      return Optional.of(String.valueOf(e.getCause().getMessage()));
    }
  }

  /** What keeps a node from being reached; what it refuses goes to {@code errors}. */
  private static Optional<String> probe(
      SourceConfig config, QueryPortConfig probing, NodeAddress node, FieldErrors errors) {
    QueryPortFactory factory = probing.factory();
    try (QueryPort port = factory.create()) {
      String clusterId = probing.clusterId();
      Message.Welcome welcome =
          port.open(node, config.connectorName() + "-validation", Optional.of(clusterId));
      if (!welcome.clusterId().equals(clusterId)) {
        errors.add(QueryPortConfig.CLUSTER_ID, node + " belongs to cluster " + welcome.clusterId());
      } else if (welcome.role() == Message.Role.LEADER) {
        port.fetch(nothing(config, welcome.head()));
        checkLeases(config, port.status().leases(), errors);
      }
      return Optional.empty();
    } catch (TlsRefusedException e) {
      errors.add(QueryPortConfig.HOSTS, e.getMessage());
      return Optional.empty();
    } catch (QueryPortException e) {
      Verdict verdict = new RetryClassifier(config.followerReads()).classify(e);
      if (verdict instanceof Verdict.Fail fail) {
        errors.add(fieldOf(fail.failure()), fail.failure().getMessage());
        return Optional.empty();
      }
      return e instanceof ErrorReplyException ? Optional.empty() : Optional.of(e.getMessage());
    }
  }

  /** What only an exporter may ask, and what takes nothing and leaves nothing behind. */
  private static Message.Fetch nothing(SourceConfig config, Position head) {
    return new Message.Fetch(
        config.pipeline(),
        config.generation(),
        0,
        config.partitionCount(),
        head,
        Optional.of(head),
        1,
        SourceValidator.MIN_PAGE_BYTES,
        0,
        new Message.FetchOptions(false, false, false, false, false));
  }

  /** The engine knows the N of a pipeline by the leases that its tasks hold. */
  private static void checkLeases(
      SourceConfig config, List<Message.LeaseStatus> leases, FieldErrors errors) {
    leases.stream()
        .filter(
            lease ->
                lease.pipeline().equals(config.pipeline())
                    && lease.generation() == config.generation()
                    && lease.partitionCount() != config.partitionCount())
        .min(Comparator.comparingInt(Message.LeaseStatus::partition))
        .ifPresent(
            lease ->
                errors.add(
                    SourceConfig.PARTITION_COUNT,
                    lease.owner()
                        + " holds a lease on partition "
                        + lease.partition()
                        + " of "
                        + lease.partitionCount()
                        + " of pipeline "
                        + lease.pipeline()
                        + ", generation "
                        + lease.generation()
                        + "; N is fixed for a generation: set it to "
                        + lease.partitionCount()
                        + ", or open the next generation ("
                        + SourceConfig.GENERATION
                        + "). The lease of a task that no longer runs is over in "
                        + lease.expiresInMs()
                        + " ms"));
  }

  private static String fieldOf(ExportFailure failure) {
    return failure.code() == FailureCode.IDENTITY
        ? QueryPortConfig.CLUSTER_ID
        : QueryPortConfig.HOSTS;
  }

  /** What keeps the brokers from being asked; what is wrong with a topic goes to {@code errors}. */
  private static Optional<String> checkTopics(
      SourceConfig config, int timeoutMs, FieldErrors errors) throws InterruptedException {
    try (TopicAdmin admin = TopicAdmin.connect(config, timeoutMs)) {
      int count = config.partitionCount();
      admin
          .describe(config.topic())
          .map(
              layout ->
                  layout.problemsAsDataTopic(config.topic(), count, config.topicRetentionMs()))
          .orElse(List.of())
          .forEach(problem -> errors.add(SourceConfig.TOPIC, problem));
      admin
          .partitions(config.checkpointsTopic())
          .flatMap(found -> TopicLayout.partitionProblem(config.checkpointsTopic(), found, count))
          .ifPresent(problem -> errors.add(SourceConfig.CHECKPOINTS_TOPIC, problem));
      return Optional.empty();
    } catch (KafkaException e) {
      return Optional.of("The brokers can't be asked about the topics: " + e.getMessage());
    }
  }
}
