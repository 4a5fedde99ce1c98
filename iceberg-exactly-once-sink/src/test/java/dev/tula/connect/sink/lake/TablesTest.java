package dev.tula.connect.sink.lake;

import static dev.tula.connect.sink.engine.TableNames.WATERMARK;
import static dev.tula.connect.sink.lake.LakeFixture.IDENTITY;
import static dev.tula.connect.sink.lake.LakeFixture.NAMESPACE;
import static dev.tula.connect.sink.lake.LakeFixture.TABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.Lake.IdentityLookup;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableRows;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How tables are made and found. */
class TablesTest {
  @TempDir Path folder;
  private Catalog catalog;

  @BeforeEach
  void open() {
    catalog = LakeFixture.jdbcCatalog(folder);
  }

  private static PipelineIdentity identity(int generation, int partitionCount) {
    return new PipelineIdentity(
        "cluster-1",
        "payments",
        generation,
        partitionCount,
        Layout.BY_TYPE,
        true,
        false,
        28,
        PipelineIdentity.FORMAT);
  }

  private IcebergLake lake(PipelineIdentity identity, int partition) {
    return new IcebergLake(
        catalog, NAMESPACE, identity, partition, LakeOptions.of(Map.of(), Map.of()));
  }

  @Test
  @DisplayName("C2: identity is written as properties at creation, and once")
  void identity_is_created_once_with_its_properties() {
    IcebergLake lake = lake(identity(1, 2), 0);
    assertThat(lake.lookUpIdentity())
        .isEqualTo(new IdentityLookup(Optional.empty(), Optional.empty()));

    assertThat(lake.createIdentity(identity(1, 2))).isTrue();
    assertThat(lake.createIdentity(identity(1, 3))).isFalse();

    Map<String, String> properties = lake.lookUpIdentity().properties().orElseThrow();
    assertThat(identity(1, 2).differencesFrom(properties)).isEmpty();
    assertThat(identity(1, 3).differencesFrom(properties)).hasSize(1);
    Table table = catalog.loadTable(TableIdentifier.of(NAMESPACE, "tula_pipeline"));
    assertThat(table.schema().columns()).extracting(NestedField::name).containsExactly("pipeline");
    assertThat(table.currentSnapshot()).isNull();
  }

  @Test
  @DisplayName("C2: a note beside the identity takes no part in it")
  void a_note_stands_beside_the_identity() {
    IcebergLake lake = lake(identity(1, 2), 0);
    assertThatThrownBy(() -> lake.noteWithIdentity("tula.reseed", "x"))
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("there is no such table");
    lake.createIdentity(identity(1, 2));

    lake.noteWithIdentity("tula.reseed", "first");
    lake.noteWithIdentity("tula.reseed", "second");

    Map<String, String> properties = lake.lookUpIdentity().properties().orElseThrow();
    assertThat(properties).containsEntry("tula.reseed", "second");
    assertThat(identity(1, 2).differencesFrom(properties)).isEmpty();
  }

  @Test
  @DisplayName("C2: a watermark table is found under any N, and only of its own generation")
  void watermark_table_of_another_partition_count_is_found() {
    lake(identity(9, 1), 0).createIdentity(identity(9, 1));
    assertThat(lake(identity(1, 4), 0).lookUpIdentity().watermarkTable()).isEmpty();

    lake(identity(2, 1), 0).create(WATERMARK);
    assertThat(lake(identity(1, 4), 0).lookUpIdentity().watermarkTable()).isEmpty();
    assertThat(lake(identity(2, 4), 0).lookUpIdentity().watermarkTable()).contains("watermark_g2");

    lake(identity(1, 4), 3).create(WATERMARK);
    for (int partitionCount : new int[] {1, 2, 4}) {
      assertThat(lake(identity(1, partitionCount), 0).lookUpIdentity().watermarkTable())
          .contains("watermark_p3");
    }
    assertThat(lake(identity(3, 1), 0).lookUpIdentity().watermarkTable()).isEmpty();

    lake(identity(1, 1), 0).createIdentity(identity(1, 1));
    assertThat(lake(identity(1, 1), 0).lookUpIdentity().watermarkTable())
        .as("not looked for beside an identity")
        .isEmpty();
  }

  @Test
  void tables_carry_generation_and_partition_in_their_names() {
    lake(identity(2, 3), 1).create("transactions_reserve");

    assertThat(catalog.listTables(NAMESPACE))
        .extracting(TableIdentifier::name)
        .containsExactly("transactions_reserve_g2_p1");
  }

  @Test
  void every_table_has_the_columns_of_the_format_by_id_and_with_comments() {
    IcebergLake lake = lake(identity(1, 1), 0);
    for (LogicalTable logical : identity(1, 1).tables()) {
      lake.create(logical.name());
      Table table = catalog.loadTable(TableIdentifier.of(NAMESPACE, logical.name()));
      Schema schema = table.schema();
      List<NestedField> columns = schema.columns();
      for (int i = 0; i < columns.size(); i++) {
        assertThat(columns.get(i).fieldId()).isEqualTo(i + 1);
        assertThat(columns.get(i).doc()).as(columns.get(i).name()).isNotBlank();
      }
      assertThat(schema.asStruct()).isEqualTo(LakeSchemas.of(logical, 28).asStruct());
      assertThat(table.spec().isUnpartitioned()).isTrue();
      assertThat(table.sortOrder().isUnsorted()).isTrue();
    }
  }

  @Test
  @DisplayName("lake-format.md: columns 1 to 23 without, 1 to 30 with full records")
  void full_records_add_the_last_seven_columns() {
    assertThat(
            LakeSchemas.of(new LogicalTable("t", LakeFixture.TRANSACTIONS.kind(), false), 28)
                .columns())
        .hasSize(23);
    assertThat(
            LakeSchemas.of(new LogicalTable("t", LakeFixture.TRANSACTIONS.kind(), true), 28)
                .columns())
        .hasSize(30);
  }

  @Test
  void table_defaults_are_there_and_can_be_overridden() {
    IcebergLake lake =
        new IcebergLake(
            catalog,
            NAMESPACE,
            IDENTITY,
            0,
            LakeOptions.of(Map.of("write.parquet.compression-codec", "snappy"), Map.of()));
    lake.create(TABLE);

    assertThat(catalog.loadTable(TableIdentifier.of(NAMESPACE, TABLE)).properties())
        .containsEntry("write.parquet.compression-codec", "snappy")
        .containsEntry("write.metadata.delete-after-commit.enabled", "true")
        .containsEntry("write.metadata.metrics.column.transfer_id", "full")
        .containsEntry("write.metadata.metrics.column.credit_account_id", "full");
  }

  @Test
  void creating_a_table_that_is_there_changes_nothing() {
    IcebergLake lake = lake(IDENTITY, 0);
    lake.create(TABLE);
    String uuid = lake.load(TABLE).orElseThrow().uuid();

    lake.create(TABLE);

    assertThat(lake.load(TABLE).orElseThrow().uuid()).isEqualTo(uuid);
  }

  @Test
  void missing_namespaces_are_created_level_by_level() {
    Namespace deep = Namespace.of("bank", "ledger");
    IcebergLake lake =
        new IcebergLake(catalog, deep, IDENTITY, 0, LakeOptions.of(Map.of(), Map.of()));
    assertThat(lake.load(TABLE)).isEmpty();
    assertThat(lake.lookUpIdentity().properties()).isEmpty();

    lake.create(TABLE);

    assertThat(((SupportsNamespaces) catalog).namespaceExists(deep)).isTrue();
    assertThat(lake.load(TABLE)).isPresent();
  }

  @Test
  void table_that_the_layout_lacks_is_a_callers_mistake() {
    IcebergLake lake = lake(IDENTITY, 0);

    assertThatThrownBy(() -> lake.load("transactions_reserve"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lake.stage("nonsense", "f.parquet", new TableRows()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
