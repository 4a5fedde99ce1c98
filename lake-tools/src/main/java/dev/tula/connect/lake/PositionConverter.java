package dev.tula.connect.lake;

import dev.tula.connect.model.Position;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads positions: {@code gbs:idx}, or a batch's number alone for the end of that batch. So a
 * watermark can be given as it is shown, and 0 is before everything.
 */
final class PositionConverter implements ITypeConverter<Position> {
  @Override
  public Position convert(String text) {
    try {
      return text.indexOf(':') >= 0
          ? Position.parse(text)
          : Position.batchEnd(Long.parseLong(text));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "\"" + text + "\" is no position: write a batch's number, as 42, or 42:7");
    }
  }
}
