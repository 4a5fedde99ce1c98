package dev.tula.connect.lake.maintain;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.lake.IcebergLake;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class OrphansTest {
  /** As a REST catalog may answer that leaves the location out. */
  private static Table withoutMetadataLocation() {
    TableMetadata metadata =
        TableMetadata.newTableMetadata(
            new Schema(Types.NestedField.required(1, "global_batch_seq", Types.LongType.get())),
            PartitionSpec.unpartitioned(),
            "memory://lake/transactions",
            Map.of());
    TableOperations operations =
        (TableOperations)
            Proxy.newProxyInstance(
                OrphansTest.class.getClassLoader(),
                new Class<?>[] {TableOperations.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("current")) {
                    return metadata;
                  }
                  throw new UnsupportedOperationException(method.getName());
                });
    return new BaseTable(operations, "transactions");
  }

  @Test
  void a_table_whose_catalog_does_not_name_its_metadata_file_is_refused() {
    IcebergLake.Contents contents = new IcebergLake.Contents(null, withoutMetadataLocation());
    Orphans orphans = new Orphans("transactions", "ledger.transactions", Instant.now());

    assertThatThrownBy(() -> orphans.find(() -> contents))
        .isInstanceOf(ToolException.class)
        .hasMessageContaining("table ledger.transactions: the catalog does not say where")
        .hasMessageContaining("without --orphans");
  }
}
