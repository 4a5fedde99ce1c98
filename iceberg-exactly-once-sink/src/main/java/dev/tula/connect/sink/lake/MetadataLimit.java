package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.LakeException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.RESTException;

/**
 * BigLake's limit on a table's metadata file. Snapshots make the file grow until commits are
 * refused; the answer need not say why, so a refusal of a file of about that size is taken for it.
 */
final class MetadataLimit {
  /** The most that BigLake takes. */
  static final int BIGLAKE_BYTES = 1 << 20;

  private static final int ABOUT_BYTES = BIGLAKE_BYTES / 10 * 9;
  private static final Pattern WORDS =
      Pattern.compile(
          "metadata.*(limit|large|exceed)|(limit|large|exceed).*metadata",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private MetadataLimit() {}

  /**
   * The refusal as a failure that says what to do, if it is about the size of the metadata.
   *
   * @param refused the metadata that was not taken
   * @param answer what the catalog answered
   */
  static Optional<RuntimeException> explain(TableMetadata refused, RuntimeException answer) {
    boolean said = answer.getMessage() != null && WORDS.matcher(answer.getMessage()).find();
    if (!isRefusal(answer, said)) {
      return Optional.empty();
    }
    int bytes = TableMetadataParser.toJson(refused).getBytes(StandardCharsets.UTF_8).length;
    if (!said && bytes < ABOUT_BYTES) {
      return Optional.empty();
    }
    return Optional.of(
        LakeException.lasting(
            "the catalog refused a commit to the table at "
                + refused.location()
                + ", whose metadata file would have "
                + bytes
                + " bytes; BigLake takes 1 MB ("
                + BIGLAKE_BYTES
                + " bytes) at the most. Nothing was lost: expire snapshots with tula-lake cleanup,"
                + " then restart the connector. The catalog's answer: "
                + answer.getMessage(),
            answer));
  }

  /** 400, or a status that Iceberg has no name for, such as 413, if the words say what it is. */
  private static boolean isRefusal(RuntimeException answer, boolean said) {
    return answer instanceof BadRequestException
        || said && answer.getClass() == RESTException.class;
  }
}
