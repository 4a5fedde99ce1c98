package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static dev.tula.connect.sink.lake.LakeFixture.range;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the memory of Parquet writers is bounded. */
class RowGroupsTest {
  private static final long CAP = 512 << 10;
  private static final String ROW_GROUP = "write.parquet.row-group-size-bytes";
  private static final String PAGE = "write.parquet.page-size-bytes";
  private static final String DICTIONARY = "write.parquet.dict-size-bytes";

  @TempDir Path folder;

  private List<Long> rowGroups(long maxRowGroupBytes) {
    try (LakeFixture fixture =
        LakeFixture.of(
            LakeFixture.jdbcCatalog(folder),
            LakeFixture.IDENTITY,
            LakeOptions.of(Map.of(), Map.of()).withMaxRowGroupBytes(maxRowGroupBytes))) {
      fixture.lake.create(TABLE);
      StagedDataFile file =
          (StagedDataFile)
              fixture.lake.stage(TABLE, "a.parquet", LakeFixture.rows(range(0, 20_000)));
      assertThat(file.rows()).isEqualTo(20_000);
      return file.dataFile().splitOffsets();
    }
  }

  @Test
  void a_file_of_more_than_the_cap_has_several_row_groups() {
    List<Long> offsets = rowGroups(CAP);

    assertThat(offsets).hasSizeGreaterThan(3);
    for (int i = 1; i < offsets.size(); i++) {
      assertThat(offsets.get(i) - offsets.get(i - 1)).isLessThan(CAP + CAP / 10);
    }
  }

  @Test
  void without_a_cap_it_has_one() {
    assertThat(rowGroups(Long.MAX_VALUE)).hasSize(1);
  }

  @Test
  void the_cap_lowers_defaults_and_properties_and_raises_none() {
    Map<String, String> properties = new HashMap<>(Map.of(PAGE, "1000", DICTIONARY, "9000000"));

    new ParquetMemory(16 << 20).cap(properties);

    assertThat(properties)
        .containsOnly(
            Map.entry(ROW_GROUP, "16777216"),
            Map.entry(PAGE, "1000"),
            Map.entry(DICTIONARY, "131072"));
  }
}
