package dev.tula.connect.refnode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message.Page;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The reference node as a process of its own. */
@Timeout(300)
class ReferenceNodeIT {
  @TempDir private Path directory;

  private final ObjectMapper json = new ObjectMapper();
  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    return ReferenceNode.run(
        new PrintWriter(out, true), new PrintWriter(System.err, true), arguments);
  }

  private String history() {
    return directory.resolve("history").toString();
  }

  private Process serve(String... more) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ReferenceNode.class.getName(),
                "serve",
                "--dir",
                history(),
                "--port",
                "0",
                "--admin-port",
                "0"));
    command.addAll(List.of(more));
    return new ProcessBuilder(command).redirectError(directory.resolve("err.txt").toFile()).start();
  }

  private JsonNode ready(Process process) throws IOException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = output.readLine();
    assertThat(line).as(() -> errors()).isNotNull();
    return json.readTree(line);
  }

  private String errors() {
    try {
      return Files.readString(directory.resolve("err.txt"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private HttpResponse<String> admin(JsonNode ready, String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://" + ready.get("admin").asText() + "/admin/" + path);
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode post(JsonNode ready, String path) throws IOException, InterruptedException {
    HttpResponse<String> response = admin(ready, "POST", path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json.readTree(response.body());
  }

  /** A killed node comes back with what it had shown, and comes to the same truth. */
  @Test
  void a_node_that_is_killed_in_mid_load_goes_on_to_the_same_truth()
      throws IOException, InterruptedException {
    String[] load = {"--rows", "40000", "--seed", "3", "--nodes", "2", "--idle-tick-ms", "0"};
    JsonNode status = null;
    for (int kills = 0; status == null; kills++) {
      Process process = serve(load);
      try {
        JsonNode ready = ready(process);
        assertThat(ready.get("addresses")).hasSize(2);
        try (TestClient client = TestClient.connect(ready.get("leader").asText(), "reader")) {
          client.ask(TestClient.fetch(Position.ORIGIN, TestClient.FULL), Page.class);
        }
        JsonNode now = json.readTree(admin(ready, "GET", "status").body());
        while (now.get("loading").asBoolean() && kills >= 3) {
          now = json.readTree(admin(ready, "GET", "status").body());
        }
        status = now.get("loading").asBoolean() ? null : now;
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
    assertThat(status.get("rows").asLong()).isEqualTo(40_000);
    assertThat(status.get("balanced").asBoolean()).isTrue();

    assertThat(run("truth", "--dir", history(), "--include-metadata")).isZero();
    JsonNode killed = json.readTree(out.toString());
    try (ReferenceCluster whole =
        ReferenceCluster.builder()
            .seed(3)
            .nodes(2)
            .rows(40_000)
            .dir(directory.resolve("whole"))
            .start()) {
      assertThat(whole.rows()).isEqualTo(40_000);
    }
    out.getBuffer().setLength(0);
    run("truth", "--dir", directory.resolve("whole").toString(), "--include-metadata");
    assertThat(killed.get("sha256")).isEqualTo(json.readTree(out.toString()).get("sha256"));
  }

  @Test
  void the_admin_port_does_what_it_is_told_and_says_what_it_can_not()
      throws IOException, InterruptedException {
    Process process = serve("--rows", "2000", "--nodes", "3", "--lag-batches", "2");
    try {
      JsonNode ready = ready(process);
      JsonNode status = post(ready, "pause-load");
      assertThat(status.get("load_paused").asBoolean()).isTrue();
      post(ready, "resume-load");
      assertThat(post(ready, "leader-change").get("leader").asText()).isEqualTo("node-2");
      assertThat(post(ready, "leader-change?node=3").get("term").asLong()).isEqualTo(3);
      assertThat(post(ready, "restart-node?node=3").get("leader").asText()).isEqualTo("node-1");
      assertThat(post(ready, "floor?position=1:2147483647").get("floor").asText())
          .isEqualTo("1:2147483647");
      for (String path :
          List.of(
              "drop-leases",
              "drop-connections",
              "group-conflict?sub_code=1",
              "busy",
              "delay?ms=1",
              "torn-frame",
              "corrupt-frame",
              "lose-ack-answer",
              "closed-regression",
              "leases-not-durable",
              "holds-released?on=false",
              "lease-table-full",
              "lag?node=2&batches=3",
              "stop-node?node=2",
              "start-node?node=2",
              "clear-faults",
              "advance?rows=10")) {
        post(ready, path);
      }
      assertThat(admin(ready, "POST", "floor?position=1:0").statusCode()).isEqualTo(400);
      assertThat(admin(ready, "POST", "delay").body()).contains("parameter ms is missing");
      assertThat(admin(ready, "POST", "lag?node=9&batches=1").statusCode()).isEqualTo(400);
      assertThat(admin(ready, "GET", "drop-leases").statusCode()).isEqualTo(405);
      assertThat(admin(ready, "GET", "nothing").body()).contains("leader-change");
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(errors()).doesNotContain("ERROR");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
