package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.lake.LakeFixture.IDENTITY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TableState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

abstract class RoundTripCases extends LakeCases {
  static List<LogicalTable> tables() {
    return IDENTITY.tables();
  }

  @ParameterizedTest
  @MethodSource("tables")
  @DisplayName("I7, I8: what is read is byte for byte what was staged, for every kind of record")
  void rows_of_every_kind_come_back_as_the_same_canonical_bytes(LogicalTable table) {
    fixture.lake.create(table.name());
    fixture.claim(table.name(), LakeFixture.claim(1));
    Position from = Position.ORIGIN;
    for (long seed : new long[] {1, 2, System.nanoTime()}) {
      List<CanonicalRow> rows = new RandomRows(seed, 28).rows(table, from, 300);
      Range range = new Range(from, rows.get(rows.size() - 1).position().endOfBatch());
      commit(table, range, LakeFixture.rows(rows));

      assertThat(fixture.lake.read(table.name(), range, rows.size()))
          .as("seed %d", seed)
          .isEqualTo(rows);
      from = range.to();
    }
    assertThat(fixture.view(table.name()).totalRecords()).isEqualTo(900);
  }

  private void commit(LogicalTable table, Range range, TableRows rows) {
    TableState before = fixture.view(table.name()).property().orElseThrow();
    String fileName = StagedFileName.of(before.claim(), table.name(), range.to());
    StagedFile file = fixture.lake.stage(table.name(), fileName, rows);
    CommitReply reply =
        fixture.lake.commit(
            new TableCommit(
                table.name(),
                fixture.view(table.name()).uuid(),
                Optional.of(before),
                LakeFixture.ranged(before, table, range, rows),
                new Change.Append(List.of(file)),
                Map.of()));
    assertThat(reply).isInstanceOf(CommitReply.Landed.class);
  }
}
