package dev.tula.connect.refnode.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Every ACK that any node saw, one line of JSON each, appended before the ACK is answered. The last
 * ones are also kept in memory. Safe for any thread.
 */
final class AckLog implements Closeable {
  static final String NAME = "acks.log";

  private static final int KEPT = 10_000;

  private final Path file;
  private final OutputStream out;
  private final ObjectMapper json = new ObjectMapper();
  private final Deque<AckEvent> recent = new ArrayDeque<>();

  AckLog(Path directory) {
    file = directory.resolve(NAME);
    try {
      out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be opened", e);
    }
  }

  synchronized void add(AckEvent event) {
    ObjectNode line = json.createObjectNode();
    line.put("time", event.time().toString());
    line.put("node", event.node());
    line.put("client", event.client());
    line.put("pipeline", event.pipeline());
    line.put("generation", event.generation());
    line.put("partition", event.partition());
    line.put("partition_count", event.partitionCount());
    line.put("through", event.through().toString());
    line.put("term", event.term());
    line.put("credited", event.credited().toString());
    line.put("accepted", event.accepted());
    try {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be written", e);
    }
    recent.addLast(event);
    if (recent.size() > KEPT) {
      recent.removeFirst();
    }
  }

  synchronized List<AckEvent> recent() {
    return List.copyOf(recent);
  }

  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(file + " can't be closed", e);
    }
  }
}
