package dev.tula.connect.lake;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes: bytes, or {@code 64k}, {@code 512m}, {@code 1g}, by powers of 1024. */
final class BytesConverter implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})([kmg]?)b?");

  @Override
  public Long convert(String text) {
    Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "\"" + text + "\" is no size: write bytes, or 64k, 512m, 1g");
    }
    int shift =
        switch (matcher.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 0;
        };
    return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
  }
}
