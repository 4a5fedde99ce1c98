package dev.tula.connect.lake.output;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Numbers and times for people. */
public final class Format {
  private Format() {}

  /** The instant of µs since the epoch. */
  public static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** A whole number with its thousands apart. */
  public static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A whole number of any size with its thousands apart. */
  public static String number(BigInteger value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A whole number with its thousands apart, or a dash where there is none. */
  public static String number(OptionalLong value) {
    return value.isPresent() ? number(value.getAsLong()) : "-";
  }

  /** A cell of CSV, empty where there is no value. */
  public static String cell(Optional<?> value) {
    return value.map(Object::toString).orElse("");
  }

  /** A cell of CSV, empty where there is no number. */
  public static String cell(OptionalLong value) {
    return value.isPresent() ? Long.toString(value.getAsLong()) : "";
  }

  /** A span of time in its two largest units. */
  public static String span(Duration span) {
    if (span.isNegative()) {
      return "-" + span(span.negated());
    }
    if (span.toDays() > 0) {
      return span.toDays() + " d " + span.toHoursPart() + " h";
    }
    if (span.toHours() > 0) {
      return span.toHours() + " h " + span.toMinutesPart() + " min";
    }
    if (span.toMinutes() > 0) {
      return span.toMinutes() + " min " + span.toSecondsPart() + " s";
    }
    return String.format(Locale.ROOT, "%.1f s", span.toMillis() / 1000.0);
  }
}
