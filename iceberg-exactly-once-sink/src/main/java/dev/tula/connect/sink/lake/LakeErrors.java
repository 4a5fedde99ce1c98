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
  private static final Set<String> PASSING_CREDENTIAL_CODES =
      Set.of("ExpiredToken", "ExpiredTokenException", "RequestExpired", "SlowDown");

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
    if (causes.stream().anyMatch(LakeErrors::isRefusedCredential)) {
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
        || causes(answer).stream().anyMatch(LakeErrors::isRefusedCredential);
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
    return (status == 401 || status == 403) && !PASSING_CREDENTIAL_CODES.contains(errorCode(cause));
  }

  private static int number(Throwable cause, String... accessors) {
    for (String accessor : accessors) {
      if (call(cause, accessor) instanceof Integer number) {
        return number;
      }
    }
    return 0;
  }

  private static String errorCode(Throwable cause) {
    Object details = call(cause, "awsErrorDetails");
    Object code = details == null ? null : call(details, "errorCode");
    return code == null ? "" : code.toString();
  }

  private static Object call(Object target, String method) {
    try {
      Method accessor = target.getClass().getMethod(method);
      return accessor.invoke(target);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null; // not an exception of that shape
    }
  }
}
