package dev.tula.connect.lake.doctor;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ARN of a table bucket, as the user guide of Amazon S3 has it for the Iceberg REST endpoint.
 *
 * @param region the bucket's region
 */
record S3TablesArn(String region) {
  private static final Pattern FORM =
      Pattern.compile(
          "arn:aws[a-z-]*:s3tables:([a-z0-9-]+):[0-9]{12}:bucket/[a-z0-9][a-z0-9-]{1,61}[a-z0-9]");
  private static final Pattern MEANT = Pattern.compile("arn:aws[a-z-]*:s3tables:.*");

  /** Whether somebody meant one, rightly written or not. */
  static boolean isMeant(String warehouse) {
    return MEANT.matcher(warehouse).matches();
  }

  static Optional<S3TablesArn> parse(String warehouse) {
    Matcher matcher = FORM.matcher(warehouse);
    return matcher.matches() ? Optional.of(new S3TablesArn(matcher.group(1))) : Optional.empty();
  }
}
