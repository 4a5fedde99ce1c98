package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.MalformedStateException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.AccessDeniedException;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LakeErrorsTest {
  /** As the AWS SDK's, which is there at run time only. */
  public static final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int status;
    private final String code;

    StoreException(int status, String code) {
      super("status " + status);
      this.status = status;
      this.code = code;
    }

    public int statusCode() {
      return status;
    }

    public Details awsErrorDetails() {
      return new Details(code);
    }
  }

  /**
   * @param errorCode as S3 names it
   */
  public record Details(String errorCode) {}

  /** As Google's storage client's. */
  public static final class GoogleException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int code;
    private final String reason;

    GoogleException(int code, String reason) {
      super("code " + code);
      this.code = code;
      this.reason = reason;
    }

    public int getCode() {
      return code;
    }

    public String getReason() {
      return reason;
    }
  }

  /** As the one below it, whose reasons are further in. */
  public static final class GoogleResponseException extends IOException {
    private static final long serialVersionUID = 1L;
    private final int status;
    private final String reason;

    GoogleResponseException(int status, String reason) {
      super("status " + status);
      this.status = status;
      this.reason = reason;
    }

    public int getStatusCode() {
      return status;
    }

    public GoogleDetails getDetails() {
      return new GoogleDetails(reason);
    }
  }

  /**
   * @param reason as Google's JSON has it
   */
  public record GoogleDetails(String reason) {
    public List<GoogleDetails> getErrors() {
      return List.of(this);
    }

    public String getReason() {
      return reason;
    }
  }

  static Stream<RuntimeException> lasting() {
    return Stream.of(
        new NotAuthorizedException("token"),
        new ForbiddenException("role"),
        new BadRequestException("malformed"),
        new ValidationException("Cannot find column"),
        new IllegalArgumentException("bad property"),
        new UnsupportedOperationException("read-only"),
        new RuntimeIOException(new AccessDeniedException("/warehouse"), "write"),
        new UncheckedSQLException(new SQLInvalidAuthorizationSpecException("no"), "login"),
        new UncheckedSQLException(new SQLException("no", "28P01"), "login"),
        new UncheckedSQLException(new SQLException("no", "42501"), "rights"),
        new RuntimeIOException(
            new IOException(new StoreException(403, "AccessDenied")), "S3 says no"),
        new StoreException(401, "InvalidToken"));
  }

  @ParameterizedTest
  @MethodSource("lasting")
  void what_only_a_person_can_cure_is_lasting_and_says_what_to_do(RuntimeException failure) {
    RuntimeException translated = LakeErrors.translate("loading table t", failure);

    assertThat(translated).isInstanceOf(LakeException.class);
    assertThat(((LakeException) translated).isRetriable()).isFalse();
    assertThat(translated).hasMessageContainingAll("loading table t", "check").hasCause(failure);
  }

  static Stream<RuntimeException> passing() {
    return Stream.of(
        new ServiceFailureException("500"),
        new ServiceUnavailableException("503"),
        new RESTException(new SocketTimeoutException("read"), "POST"),
        new RuntimeIOException(new IOException("reset"), "read"),
        new UncheckedSQLException(new SQLTransientConnectionException("pool"), "connect"),
        new UncheckedSQLException(new SQLException("busy", "HY000"), "busy"),
        new StoreException(503, "SlowDown"),
        new StoreException(400, "RequestTimeout"),
        new StoreException(403, "ExpiredToken"),
        new IllegalStateException("anything that nobody thought of"));
  }

  @ParameterizedTest
  @MethodSource("passing")
  void what_may_pass_is_passing(RuntimeException failure) {
    RuntimeException translated = LakeErrors.translate("loading table t", failure);

    assertThat(translated).isInstanceOf(LakeException.class).hasCause(failure);
    assertThat(((LakeException) translated).isRetriable()).isTrue();
  }

  private enum Sort {
    REFUSED("credentials"),
    CLOCK("set the clock (NTP)"),
    PASSING("failed");

    private final String says;

    Sort(String says) {
      this.says = says;
    }
  }

  static Stream<Arguments> codes() {
    Stream.Builder<Arguments> table = Stream.builder();
    for (int status : new int[] {400, 403}) {
      Map.of(
              Sort.CLOCK,
              List.of("RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture"),
              Sort.PASSING,
              List.of(
                  "SlowDown",
                  "Throttling",
                  "ThrottlingException",
                  "RequestLimitExceeded",
                  "BandwidthLimitExceeded",
                  "ProvisionedThroughputExceededException",
                  "TooManyRequestsException",
                  "ExpiredToken",
                  "ExpiredTokenException"),
              Sort.REFUSED,
              List.of(
                  "AccessDenied",
                  "AccessDeniedException",
                  "InvalidAccessKeyId",
                  "SignatureDoesNotMatch",
                  "UnrecognizedClientException"))
          .forEach(
              (sort, names) ->
                  names.forEach(
                      name ->
                          table.add(
                              Arguments.of(
                                  status + " " + name, new StoreException(status, name), sort))));
    }
    for (String reason : List.of("rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded")) {
      google(table, reason, Sort.PASSING);
    }
    for (String reason : List.of("forbidden", "insufficientPermissions", "accountDisabled")) {
      google(table, reason, Sort.REFUSED);
    }
    table.add(Arguments.of("403 alone", new StoreException(403, null), Sort.REFUSED));
    table.add(Arguments.of("403 of others", new StoreException(403, "NoIdea"), Sort.REFUSED));
    table.add(Arguments.of("400 of others", new StoreException(400, "NoIdea"), Sort.PASSING));
    for (String text :
        List.of(
            "Signature expired: 20261201T000000Z is now earlier than 20261201T002000Z",
            "Signature not yet current: 20261201T002000Z is still later than 20261201T000500Z")) {
      table.add(Arguments.of("signed REST", new ForbiddenException("%s", text), Sort.CLOCK));
    }
    return table.build();
  }

  private static void google(Stream.Builder<Arguments> table, String reason, Sort sort) {
    table.add(Arguments.of("outer " + reason, new GoogleException(403, reason), sort));
    RuntimeException wrapped =
        new RuntimeIOException(new GoogleResponseException(403, reason), "storage");
    table.add(Arguments.of("inner " + reason, wrapped, sort));
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("C23: a refusal goes by its code, and a wrong clock is named")
  @MethodSource("codes")
  void a_refusal_goes_by_its_code_before_its_status(
      String name, RuntimeException failure, Sort sort) {
    for (RuntimeException shown :
        List.of(failure, new RuntimeIOException(new IOException(failure), "writing a file"))) {
      RuntimeException translated = LakeErrors.translate("loading table t", shown);

      assertThat(translated).hasMessageContaining(sort.says).hasCause(shown);
      assertThat(((LakeException) translated).isRetriable()).isEqualTo(sort != Sort.REFUSED);
      assertThat(LakeErrors.isDefiniteRefusal(shown)).isEqualTo(sort == Sort.REFUSED);
    }
  }

  @Test
  void what_is_not_the_lakes_failure_stays_as_it_is() {
    RuntimeException malformed = new MalformedStateException("tula.state");
    RuntimeException ours = LakeException.passing("ours", null);

    assertThat(LakeErrors.translate("x", malformed)).isSameAs(malformed);
    assertThat(LakeErrors.translate("x", ours)).isSameAs(ours);
  }

  @Test
  void endless_chain_of_causes_ends() {
    RuntimeException first = new RuntimeException("first");
    RuntimeException second = new RuntimeException("second", first);
    first.initCause(second);

    assertThat(LakeErrors.translate("x", first)).isInstanceOf(LakeException.class);
  }
}
