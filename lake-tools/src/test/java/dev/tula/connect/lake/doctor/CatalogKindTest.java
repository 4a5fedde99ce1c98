package dev.tula.connect.lake.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CatalogKindTest {
  @ParameterizedTest(name = "{0} {1} {2} {3} {4}: {5}")
  @CsvSource({
    "rest, , https://s3tables.eu-central-1.amazonaws.com/iceberg, , , S3_TABLES",
    "rest, , https://s3tables.cn-north-1.amazonaws.com.cn/iceberg, , , S3_TABLES",
    "rest, , https://proxy.example.com/iceberg, , s3tables, S3_TABLES",
    "rest, , https://proxy.example.com, arn:aws:s3tables:eu-central-1:1:bucket/x, , S3_TABLES",
    "rest, , https://glue.us-east-1.amazonaws.com/iceberg, 111122223333, glue, GLUE_REST",
    "rest, , https://proxy.example.com, , glue, GLUE_REST",
    "rest, , https://biglake.googleapis.com/iceberg/v1/restcatalog, gs://lake, , BIG_LAKE",
    "rest, , https://biglake.europe-west1.rep.googleapis.com/iceberg/v1/restcatalog, , , BIG_LAKE",
    "REST, , https://catalog.example.com, , , REST",
    ", org.apache.iceberg.rest.RESTCatalog, https://catalog.example.com, , , REST",
    "glue, , , s3://lake, , GLUE",
    ", org.apache.iceberg.aws.glue.GlueCatalog, , s3://lake, , GLUE",
    "nessie, , https://nessie.example.com, , , NESSIE",
    "jdbc, , jdbc:postgresql://db/iceberg, , , JDBC",
    "hive, , thrift://hms:9083, , , HIVE",
    "hadoop, , , hdfs://nn/lake, , HADOOP",
    "bigquery, , , , , BIG_QUERY",
    ", com.example.OwnCatalog, , , , OTHER",
    "resst, , https://biglake.googleapis.com/iceberg, , , OTHER",
    ", , , , , OTHER"
  })
  void kind_is_told_by_what_leads_to_the_catalog(
      String type,
      String implementation,
      String uri,
      String warehouse,
      String signingName,
      CatalogKind kind) {
    Map<String, String> catalog = new HashMap<>();
    catalog.put("type", type);
    catalog.put("catalog-impl", implementation);
    catalog.put("uri", uri);
    catalog.put("warehouse", warehouse);
    catalog.put("rest.signing-name", signingName);
    catalog.values().removeIf(value -> value == null);

    assertThat(CatalogKind.of(catalog)).isEqualTo(kind);
  }
}
