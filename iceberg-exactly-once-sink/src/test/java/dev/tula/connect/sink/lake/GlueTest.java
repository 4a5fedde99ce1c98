package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.sink.engine.Lake.CommitReply.Landed;
import dev.tula.connect.sink.engine.Lake.CommitReply.Refused;
import dev.tula.connect.sink.engine.TableCommit;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.aws.glue.GlueCatalog;
import org.apache.iceberg.catalog.Catalog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Iceberg's Glue catalog over a double of Glue, files on disk. */
class GlueTest {
  @TempDir Path folder;
  private GlueDouble glue;
  private LakeFixture fixture;

  /** Made by Iceberg, by name. */
  public static final class Keys implements AwsCredentialsProvider {
    /** For Iceberg. */
    public static Keys create() {
      return new Keys();
    }

    @Override
    public AwsCredentials resolveCredentials() {
      return AwsBasicCredentials.create("AKIDEXAMPLE", "secret");
    }
  }

  @BeforeEach
  void open() throws Exception {
    glue = new GlueDouble();
    fixture = LakeFixture.of(client()).opened();
  }

  private Catalog client() {
    return IcebergCatalogs.build(
        "glue",
        Map.of(
            "type", "glue",
            "warehouse", folder.resolve("warehouse").toUri().toString(),
            "client.region", GlueDouble.REGION,
            "client.credentials-provider", Keys.class.getName(),
            "glue.endpoint", glue.endpoint()),
        Map.of(),
        Optional.empty());
  }

  @AfterEach
  void close() {
    fixture.close();
    glue.close();
  }

  @Test
  @DisplayName("C14: each commit names the version of the table that it saw")
  void claim_and_range_land_by_the_optimistic_lock_of_glue() {
    assertThat(fixture.commitRange(0, 5)).isInstanceOf(Landed.class);
    assertThat(fixture.commitRange(5, 7)).isInstanceOf(Landed.class);

    assertThat(fixture.view().totalRecords()).isEqualTo(7);
    assertThat(fixture.view().disagreement()).isEmpty();
    assertThat(glue.updates())
        .isNotEmpty()
        .allSatisfy(
            update -> {
              assertThat(update.path("DatabaseName").asText()).isEqualTo(NAMESPACE.toString());
              assertThat(update.path("VersionId").asText()).isNotEmpty();
              assertThat(update.path("SkipArchive").asBoolean()).isTrue();
            });
    assertThat(glue.updates().stream().map((JsonNode update) -> update.path("VersionId").asText()))
        .doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("I5, C14: a newer claim between a zombie's last look and its update makes that fail")
  void update_that_a_newer_claim_overtakes_is_refused_by_the_version() {
    try (LakeFixture zombie = LakeFixture.of(client())) {
      TableCommit late = zombie.rangeCommit(LakeFixture.range(0, 5));
      glue.beforeNextUpdate(() -> fixture.claim(TABLE, LakeFixture.claim(2)));

      assertThat(zombie.lake.commit(late)).isInstanceOf(Refused.class);
    }
    assertThat(glue.overtaken()).isOne();
    assertThat(fixture.view().totalRecords()).isZero();
    assertThat(fixture.state().claim()).isEqualTo(LakeFixture.claim(2));
    assertThat(fixture.view().disagreement()).isEmpty();
  }

  @Test
  @DisplayName("I5: a zombie's commit is refused after a newer claim")
  void zombie_writer_cannot_commit_after_a_newer_claim_in_glue() {
    try (LakeFixture zombie = LakeFixture.of(client())) {
      TableCommit late = zombie.rangeCommit(LakeFixture.range(0, 5));
      assertThat(fixture.claim(TABLE, LakeFixture.claim(2))).isInstanceOf(Landed.class);

      assertThat(zombie.lake.commit(late)).isInstanceOf(Refused.class);
    }
    assertThat(fixture.view().totalRecords()).isZero();
    assertThat(fixture.state().claim()).isEqualTo(LakeFixture.claim(2));
  }

  @Test
  void the_catalog_is_glues_own() {
    assertThat(client()).isInstanceOf(GlueCatalog.class);
  }
}
