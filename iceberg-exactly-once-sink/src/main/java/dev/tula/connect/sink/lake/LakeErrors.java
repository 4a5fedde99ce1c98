package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.fencing.LeaseLostException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.AccessDeniedException;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchIcebergTableException;
import org.apache.iceberg.exceptions.NoSuchWarehouseException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.exceptions.UnprocessableEntityException;
import org.apache.iceberg.exceptions.ValidationException;

/**
 * Sorts what catalogs and object stores throw into what may pass with time and what will not. An
 * unknown failure counts as passing: retries are bounded, and giving up at once on a hiccup is the
 * worse mistake.
 */
final class LakeErrors {
  private static final int MAX_CAUSES = 16;

  /**
   * What AWS services and their like answer, with 403 or 400, while they are asked too often, as
   * the AWS SDK's {@code AwsErrorCode} lists it; and the reasons that Google's APIs give with a 403
   * for that.
   */
  private static final Set<String> THROTTLING_CODES =
      Set.of(
          "BandwidthLimitExceeded",
          "EC2ThrottledException",
          "LimitExceededException",
          "PriorRequestNotComplete",
          "ProvisionedThroughputExceededException",
          "RequestLimitExceeded",
          "RequestThrottled",
          "RequestThrottledException",
          "SlowDown",
          "ThrottledException",
          "Throttling",
          "ThrottlingException",
          "TooManyRequestsException",
          "TransactionInProgressException",
          "rateLimitExceeded",
          "userRateLimitExceeded",
          "quotaExceeded",
          "RATE_LIMIT_EXCEEDED");

  /** Credentials that are being renewed. */
  private static final Set<String> EXPIRED_CODES = Set.of("ExpiredToken", "ExpiredTokenException");

  /** The codes that the AWS SDK takes as certain signs of a wrong clock. */
  private static final Set<String> SKEW_CODES =
      Set.of("RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture");

  /**
   * A wrong clock under the code of a wrong signature, or in a REST catalog's 403, shows in the
   * text alone.
   */
  private static final List<String> SKEW_MESSAGES =
      List.of("Signature expired", "Signature not yet current", "RequestTimeTooSkewed");

  /** Refusals that some services, such as Glue, answer with 400. */
  private static final Set<String> REFUSED_CODES =
      Set.of(
          "AccessDenied",
          "AccessDeniedException",
          "AuthFailure",
          "IncompleteSignature",
          "IncompleteSignatureException",
          "InvalidAccessKeyId",
          "InvalidClientTokenId",
          "InvalidSignatureException",
          "MissingAuthenticationToken",
          "MissingAuthenticationTokenException",
          "SignatureDoesNotMatch",
          "UnrecognizedClientException");

  /** What Iceberg says of a commit whose time is before the last one's, by where it notices. */
  private static final List<String> CLOCK_MESSAGES =
      List.of(
          "Invalid update timestamp",
          "Expected sorted snapshot log",
          "Expected sorted previous metadata log");

  private LakeErrors() {}

  /**
   * The failure as the engine takes it; what is not the lake's own failure comes back as it is.
   *
   * @param what what was being done, and to which table
   */
  static RuntimeException translate(String what, RuntimeException failure) {
    if (failure instanceof LakeException
        || failure instanceof MalformedStateException
        || failure instanceof LeaseLostException) {
      return failure;
    }
    if (isClock(failure)) {
      return LakeException.passing(
          what
              + ": this machine's clock is more than a minute behind the table's last commit; "
              + "set the clocks of all writers (NTP): "
              + failure.getMessage(),
          failure);
    }
    List<Throwable> causes = causes(failure);
    if (causes.stream().anyMatch(LakeErrors::isSkewed)) {
      return LakeException.passing(
          what
              + ": this machine's clock differs from the service's by more than signed requests may; "
              + "set the clock (NTP): "
              + message(causes),
          failure);
    }
    if (isRefused(causes)) {
      return LakeException.lasting(
          what
              + ": the catalog or the object store refused these credentials, or they lack the "
              + "permission; check iceberg.catalog.* and the rights of that user: "
              + message(causes),
          failure);
    }
    if (isWrongSetting(failure)) {
      return LakeException.lasting(
          what
              + ": the catalog does not accept the request; check iceberg.catalog.* and the "
              + "table's properties: "
              + message(causes),
          failure);
    }
    return LakeException.passing(what + " failed: " + message(causes), failure);
  }

  /** Whether this is Iceberg's refusal of a commit older than the last by a minute (C23). */
  static boolean isClock(RuntimeException failure) {
    for (Throwable cause : causes(failure)) {
      String text = cause.getMessage();
      if (text != null && CLOCK_MESSAGES.stream().anyMatch(text::contains)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the catalog answered a commit with a refusal, so that it was not carried out. To be
   * asked only after a reload has shown that it wasn't.
   */
  static boolean isDefiniteRefusal(RuntimeException answer) {
    return isClock(answer)
        || answer instanceof LakeException explained && !explained.isRetriable()
        || answer instanceof BadRequestException
        || answer instanceof UnprocessableEntityException
        || isRefused(causes(answer));
  }

  private static List<Throwable> causes(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    Throwable next = failure;
    while (next != null && causes.size() < MAX_CAUSES) {
      causes.add(next);
      next = next.getCause();
    }
    return causes;
  }

  private static String message(List<Throwable> causes) {
    Throwable first = causes.get(0);
    Throwable root = causes.get(causes.size() - 1);
    return first == root ? first.toString() : first + " (" + root + ")";
  }

  /** Whether a signed request's time was too far from the service's (C23). */
  private static boolean isSkewed(Throwable cause) {
    String text = cause.getMessage();
    return SKEW_CODES.contains(errorCode(cause))
        || text != null && SKEW_MESSAGES.stream().anyMatch(text::contains);
  }

  /** A code that is sure to pass counts more than the status that it came with. */
  private static boolean isRefused(List<Throwable> causes) {
    return causes.stream().noneMatch(LakeErrors::isPassingRefusal)
        && causes.stream().anyMatch(LakeErrors::isRefusedCredential);
  }

  private static boolean isPassingRefusal(Throwable cause) {
    String code = errorCode(cause);
    return THROTTLING_CODES.contains(code) || EXPIRED_CODES.contains(code) || isSkewed(cause);
  }

  private static boolean isRefusedCredential(Throwable cause) {
    return cause instanceof NotAuthorizedException
        || cause instanceof ForbiddenException
        || cause instanceof AccessDeniedException
        || cause instanceof SQLInvalidAuthorizationSpecException
        || cause instanceof SQLException sql && isRefusedState(sql.getSQLState())
        || isRefusedByStore(cause);
  }

  /** Class 28 is invalid authorization, 42501 insufficient privilege. */
  private static boolean isRefusedState(String state) {
    return state != null && (state.startsWith("28") || state.equals("42501"));
  }

  private static boolean isWrongSetting(Throwable cause) {
    return cause instanceof BadRequestException
        || cause instanceof UnprocessableEntityException
        || cause instanceof NoSuchWarehouseException
        || cause instanceof NoSuchIcebergTableException
        || cause instanceof ValidationException
        || cause instanceof IllegalArgumentException
        || cause instanceof UnsupportedOperationException;
  }

  /** The stores' SDKs are there at run time only, so their exceptions go by shape. */
  private static boolean isRefusedByStore(Throwable cause) {
    if (cause instanceof IOException && cause.getClass().getName().startsWith("java.")) {
      return false;
    }
    int status = number(cause, "statusCode", "getCode", "getStatusCode");
    return status == 401 || status == 403 || REFUSED_CODES.contains(errorCode(cause));
  }

  private static int number(Throwable cause, String... accessors) {
    for (String accessor : accessors) {
      if (call(cause, accessor) instanceof Integer number) {
        return number;
      }
    }
    return 0;
  }

  /** An AWS error's code, or the reason of a Google one; empty if it has none. */
  private static String errorCode(Throwable cause) {
    Object code = call(call(cause, "awsErrorDetails"), "errorCode");
    if (code == null) {
      code = call(cause, "getReason");
    }
    if (code == null && call(call(cause, "getDetails"), "getErrors") instanceof List<?> errors) {
      code = errors.isEmpty() ? null : call(errors.get(0), "getReason");
    }
    return code == null ? "" : code.toString();
  }

  private static Object call(Object target, String method) {
    if (target == null) {
      return null;
    }
    try {
      Method accessor = target.getClass().getMethod(method);
      return accessor.invoke(target);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null; // not an exception of that shape
    }
  }
}
