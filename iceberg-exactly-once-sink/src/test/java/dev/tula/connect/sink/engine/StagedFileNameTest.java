package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StagedFileNameTest {
  private static final WriterClaim CLAIM = new WriterClaim(7, 12, UUID.randomUUID().toString());
  private static final Position TO = Position.batchEnd(41);

  @Test
  @DisplayName("C28: a staged file's name says whose claim it was written under")
  void name_leads_back_to_the_claim() {
    String plain = StagedFileName.of(CLAIM, "transactions", TO);
    String random = StagedFileName.of(CLAIM, "watermark", TO, UUID.randomUUID().toString());

    assertThat(plain).isEqualTo("7-12-" + CLAIM.writerId() + "-transactions-41.2147483647.parquet");
    assertThat(StagedFileName.claim(plain, "transactions")).contains(CLAIM);
    assertThat(StagedFileName.claim(random, "watermark")).contains(CLAIM);
    assertThat(StagedFileName.claim(plain.replace(".parquet", ".3.parquet"), "transactions"))
        .contains(CLAIM);
  }

  /** What Spark, Flink, Trino and this lake's other tables leave behind is not ours to judge. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "00000-5-3f9c2a2e-9a58-4d0a-8a54-2f6f7f1f0f7e-00001.parquet",
        "20240101_120000_00001_abcde-3f9c2a2e.parquet",
        "7-12-writer-account_changes-41.2147483647.parquet",
        "7-12-writer-transactions_reserve-41.2147483647.parquet",
        "7-12-writer-transactions-41.parquet",
        "7-12-writer-transactions-41.7.orc",
        "7-12-transactions-41.7.parquet",
        "9999999999999999999999-1-writer-transactions-41.7.parquet",
        ""
      })
  void name_of_anything_else_has_no_claim(String name) {
    assertThat(StagedFileName.claim(name, "transactions")).isEmpty();
  }
}
