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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
