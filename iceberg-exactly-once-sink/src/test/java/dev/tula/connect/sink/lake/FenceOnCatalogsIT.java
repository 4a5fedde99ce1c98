package dev.tula.connect.sink.lake;

import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The same on servers and object stores. */
@ParameterizedClass(name = "{0}")
@EnumSource(mode = Mode.EXCLUDE, names = "SQLITE")
class FenceOnCatalogsIT extends FenceCases {
  @Parameter TestCatalog catalog;

  @Override
  TestCatalog catalog() {
    return catalog;
  }
}
