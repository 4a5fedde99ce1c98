package dev.tula.connect.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.model.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * An ack as the engine logged it when it arrived.
 *
 * @param partition the export partition
 * @param through what was acked
 * @param at when it arrived
 */
public record Ack(int partition, Position through, Instant at) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The engine's log of acks; none where there is no log yet. */
  public static List<Ack> readLog(Path file) {
    if (!Files.exists(file)) {
      return List.of();
    }
    List<Ack> acks = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(file)) {
        JsonNode ack = JSON.readTree(line);
        acks.add(
            new Ack(
                ack.path("partition").asInt(),
                Position.parse(ack.path("through").asText()),
                Instant.parse(ack.path("time").asText())));
      }
      return acks;
    } catch (IOException e) {
      throw new StackException("the engine's log of acks, " + file + ", could not be read", e);
    }
  }
}
