package dev.tula.connect.refnode.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.cluster.LeaseTable.StoredLease;
import dev.tula.connect.refnode.history.RecordForm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a cluster keeps beside its history: {@code cluster.json}, replaced whole at each change. */
final class ClusterFile {
  static final String NAME = "cluster.json";

  private static final int FORMAT = 1;

  private final Path file;
  private final ObjectMapper json = new ObjectMapper();

  /**
   * The contents.
   *
   * @param clusterId the cluster's id
   * @param workload the fingerprint of the workload that the history comes from
   * @param term the last term
   * @param leader the number of the node that led in it
   * @param floor the reclaim floor
   * @param leases durable leases
   */
  record Contents(
      String clusterId,
      String workload,
      long term,
      int leader,
      Position floor,
      List<StoredLease> leases) {}

  ClusterFile(Path directory) {
    file = directory.resolve(NAME);
  }

  Optional<Contents> read() {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      JsonNode root = json.readTree(file.toFile());
      if (root.path("format").asInt() != FORMAT) {
        throw new IllegalStateException(file + " has a format that this version does not read");
      }
      List<StoredLease> leases = new ArrayList<>();
      root.path("leases").forEach(lease -> leases.add(readLease(lease)));
      return Optional.of(
          new Contents(
              root.path("cluster_id").asText(),
              root.path("workload").asText(),
              root.path("term").asLong(),
              root.path("leader").asInt(),
              Position.parse(root.path("floor").asText()),
              leases));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be read", e);
    }
  }

  private static StoredLease readLease(JsonNode lease) {
    return new StoredLease(
        new ReaderKey(
            lease.path("pipeline").asText(),
            lease.path("generation").asInt(),
            lease.path("partition").asInt(),
            lease.path("partition_count").asInt()),
        lease.path("owner").asText(),
        Position.parse(lease.path("holds_from").asText()),
        lease.path("group").asBoolean(),
        new RecordForm(
            lease.path("include_metadata").asBoolean(), lease.path("full_record").asBoolean()),
        lease.path("node").asInt());
  }

  void write(Contents contents) {
    ObjectNode root = json.createObjectNode();
    root.put("format", FORMAT);
    root.put("cluster_id", contents.clusterId());
    root.put("workload", contents.workload());
    root.put("term", contents.term());
    root.put("leader", contents.leader());
    root.put("floor", contents.floor().toString());
    ArrayNode leases = root.putArray("leases");
    contents.leases().forEach(lease -> writeLease(leases.addObject(), lease));
    Path fresh = file.resolveSibling(NAME + ".new");
    try {
      json.writeValue(fresh.toFile(), root);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be written", e);
    }
  }

  private static void writeLease(ObjectNode into, StoredLease lease) {
    into.put("pipeline", lease.key().pipeline());
    into.put("generation", lease.key().generation());
    into.put("partition", lease.key().partition());
    into.put("partition_count", lease.key().partitionCount());
    into.put("owner", lease.owner());
    into.put("holds_from", lease.holdsFrom().toString());
    into.put("group", lease.group());
    into.put("include_metadata", lease.form().includeMetadata());
    into.put("full_record", lease.form().fullRecord());
    into.put("node", lease.node());
  }
}
