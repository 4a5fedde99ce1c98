package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of the data files that are written under a claim: {@code <epoch>-<n>-<writer
 * id>-<table>-<to>}, something that tells files of one name apart, and {@code .parquet}. A tool may
 * take a file for dead only if its claim is below the table's own (C28).
 */
public final class StagedFileName {
  /** What all of them end with. */
  public static final String SUFFIX = ".parquet";

  private static final int MAX_DIGITS = 18;
  private static final String NUMBER = "([0-9]{1," + MAX_DIGITS + "})";

  private StagedFileName() {}

  /** The name of a file with a table's rows up to a position. */
  public static String of(WriterClaim claim, String table, Position to) {
    return of(claim, table, to, "");
  }

  /**
   * The same, with something random behind it.
   *
   * @param random letters, digits and dashes
   */
  public static String of(WriterClaim claim, String table, Position to, String random) {
    return claim.epoch()
        + "-"
        + claim.number()
        + "-"
        + claim.writerId()
        + "-"
        + table
        + "-"
        + to.globalBatchSeq()
        + "."
        + to.arrayIndex()
        + (random.isEmpty() ? "" : "-" + random)
        + SUFFIX;
  }

  /**
   * The claim under which a file was written; absent if the name is not that of a file that this
   * software staged for that table.
   *
   * @param table the table's logical name
   */
  public static Optional<WriterClaim> claim(String fileName, String table) {
    Matcher matcher =
        Pattern.compile(
                NUMBER
                    + "-"
                    + NUMBER
                    + "-(.+)-"
                    + Pattern.quote(table)
                    + "-[0-9]+\\.[0-9]+(?:-[0-9A-Za-z-]+)?(?:\\.[0-9]+)?"
                    + Pattern.quote(SUFFIX))
            .matcher(fileName);
    return matcher.matches()
        ? Optional.of(
            new WriterClaim(
                Long.parseLong(matcher.group(1)),
                Long.parseLong(matcher.group(2)),
                matcher.group(3)))
        : Optional.empty();
  }
}
