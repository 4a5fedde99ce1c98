package dev.tula.connect.refnode.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.FieldType;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.truth.TruthReader;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The bytes of the narrower forms, against rows that are encoded anew field by field. */
class RecordCursorTest {
  private static final int ROWS = 5000;

  private static ReferenceCluster cluster;

  @BeforeAll
  static void start() {
    cluster = ReferenceCluster.builder().seed(11).rows(ROWS).start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static List<CanonicalRow> truth(RecordForm form) {
    try (TruthReader truth = cluster.truth(form)) {
      return truth.remaining();
    }
  }

  @Test
  void the_full_form_ends_with_the_sha3_256_of_everything_before_it()
      throws NoSuchAlgorithmException {
    MessageDigest sha3 = MessageDigest.getInstance("SHA3-256");
    RowReader reader = new RowReader();
    for (CanonicalRow row : truth(RecordForm.FULL)) {
      if (row.kind() == RecordKind.TRANSACTION) {
        // All canonical bytes but the digest field: its presence byte and its 32 bytes.
        byte[] before = Arrays.copyOf(row.toByteArray(), row.length() - 33);
        assertThat(reader.wrap(row).hex(RowSchema.DIGEST_HEX))
            .isEqualTo(HexFormat.of().formatHex(sha3.digest(before)));
      }
    }
  }

  @Test
  void with_metadata_alone_the_fields_of_the_full_record_are_absent() {
    List<CanonicalRow> expected =
        truth(RecordForm.FULL).stream().map(row -> reencoded(row, true)).toList();
    assertThat(truth(new RecordForm(true, false))).isEqualTo(expected).hasSize(ROWS);
  }

  @Test
  void without_metadata_the_changes_and_the_reason_codes_are_gone_too() {
    List<CanonicalRow> expected =
        truth(RecordForm.FULL).stream()
            .filter(row -> row.kind() == RecordKind.TRANSACTION)
            .map(row -> reencoded(row, false))
            .toList();
    RowReader reader = new RowReader();
    assertThat(truth(RecordForm.FULL))
        .anyMatch(
            row ->
                row.kind() == RecordKind.TRANSACTION
                    && reader.wrap(row).isPresent(RowSchema.REASON_CODE));
    assertThat(truth(RecordForm.NARROW)).isEqualTo(expected).hasSizeLessThan(ROWS);
  }

  private static CanonicalRow reencoded(CanonicalRow row, boolean withReason) {
    if (row.kind() != RecordKind.TRANSACTION) {
      return row;
    }
    RowReader reader = new RowReader().wrap(row);
    RowWriter writer = new RowWriter().begin(row.kind());
    for (int field = 0; field < RowSchema.FIRST_FULL_RECORD_FIELD; field++) {
      boolean dropped = field == RowSchema.REASON_CODE && !withReason;
      if (dropped || !reader.isPresent(field)) {
        writer.absent();
      } else {
        copy(reader, writer, field);
      }
    }
    return writer.absentToEnd().toRow();
  }

  private static void copy(RowReader reader, RowWriter writer, int field) {
    FieldType type = reader.schema().field(field).type();
    switch (type) {
      case LONG -> writer.putLong(reader.longValue(field));
      case TIMESTAMP -> writer.putTimestamp(reader.longValue(field));
      case INT -> writer.putInt(reader.intValue(field));
      case AMOUNT -> writer.putAmount(reader.amount(field));
      case STRING -> writer.putString(reader.string(field));
      case ID128 -> writer.putHex(reader.hex(field));
      default -> throw new IllegalArgumentException("no transaction has a " + type);
    }
  }
}
