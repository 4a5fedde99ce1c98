package dev.tula.connect.local;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a worker says of a connector.
 *
 * @param state {@code RUNNING}, {@code PAUSED}, {@code FAILED}, …
 * @param trace the connector's own failure, or empty
 * @param tasks its tasks, in the order of their numbers
 */
public record ConnectorStatus(String state, String trace, List<TaskStatus> tasks) {
  /**
   * One task.
   *
   * @param id its number
   * @param state as the connector's
   * @param trace its failure, or empty
   */
  public record TaskStatus(int id, String state, String trace) {}

  static ConnectorStatus read(JsonNode document) {
    List<TaskStatus> tasks = new ArrayList<>();
    for (JsonNode task : document.path("tasks")) {
      tasks.add(
          new TaskStatus(
              task.path("id").asInt(), task.path("state").asText(), task.path("trace").asText("")));
    }
    JsonNode connector = document.path("connector");
    return new ConnectorStatus(
        connector.path("state").asText(), connector.path("trace").asText(""), List.copyOf(tasks));
  }

  /** Whether the connector and at least one task run, and none does anything else. */
  public boolean isRunning() {
    return state.equals("RUNNING")
        && !tasks.isEmpty()
        && tasks.stream().allMatch(task -> task.state().equals("RUNNING"));
  }

  /** The trace of the connector, or of the first task, that failed. */
  public Optional<String> failure() {
    if (state.equals("FAILED")) {
      return Optional.of(trace);
    }
    return tasks.stream()
        .filter(task -> task.state().equals("FAILED"))
        .map(TaskStatus::trace)
        .findFirst();
  }
}
