package dev.tula.connect.local;

/**
 * A column of the lake, as the format documents it.
 *
 * @param name its name
 * @param type what it holds
 * @param required whether every row has a value
 */
record LakeColumn(String name, Type type, boolean required) {
  /** What a column holds: its type in Iceberg, its form in the canonical bytes and in DuckDB. */
  enum Type {
    LONG("long", "BIGINT", 8),
    INT("int", "INTEGER", 4),
    TIME("timestamptz", "BIGINT", 8),
    AMOUNT("decimal", "HUGEINT", 16),
    ID("string", "VARCHAR", 16),
    HASH("string", "VARCHAR", 32),
    TEXT("string", "VARCHAR", -1),
    TEXTS("list<string>", "VARCHAR[]", -1);

    private final String icebergType;
    private final String sqlType;
    private final int width;

    Type(String icebergType, String sqlType, int width) {
      this.icebergType = icebergType;
      this.sqlType = sqlType;
      this.width = width;
    }

    /** The Iceberg type's name, without an amount's precision. */
    String icebergType() {
      return icebergType;
    }

    /** The type in which both sides are compared: times as µs, amounts as whole numbers. */
    String sqlType() {
      return sqlType;
    }

    /** Bytes of a canonical value; −1 where a length precedes it. */
    int width() {
      return width;
    }
  }

  /** Reads the lake's column into the type of the comparison. */
  String sqlFromLake() {
    return switch (type) {
      case TIME -> "epoch_us(" + quoted() + ")";
      case AMOUNT -> "CAST(" + quoted() + " AS HUGEINT)";
      default -> quoted();
    };
  }

  /** The name as SQL takes it. */
  String quoted() {
    return '"' + name + '"';
  }
}
