package dev.tula.connect.local;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** The broker's own process: formats a new log directory and serves until it is told to stop. */
final class BrokerMain {
  private BrokerMain() {}

  /**
   * @param args the broker's properties file
   */
  public static void main(String[] args) throws IOException {
    ParentWatch.start();
    Path file = Path.of(args[0]);
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      properties.load(in);
    }
    if (!Files.exists(Path.of(properties.getProperty("log.dirs"), "meta.properties"))) {
      format(file);
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "broker-shutdown"));
    server.startup();
    server.awaitShutdown();
  }

  private static void format(Path file) {
    String[] command = {
      "format", "--cluster-id", Uuid.randomUuid().toString(), "--config", file.toString()
    };
    int exitCode = StorageTool.execute(command, System.out);
    if (exitCode != 0) {
      throw new StackException("formatting the broker's log directory failed, exit " + exitCode);
    }
  }
}
