package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.TableRows;
import java.util.ArrayList;
import java.util.List;

/** A data file: its rows, and where it lies. */
public record SimFile(String location, List<CanonicalRow> contents) implements StagedFile {
  /** Copies the list. */
  public SimFile {
    contents = List.copyOf(contents);
  }

  static SimFile of(String location, TableRows rows) {
    List<CanonicalRow> contents = new ArrayList<>();
    rows.forEach(contents::add);
    return new SimFile(location, contents);
  }

  @Override
  public long rows() {
    return contents.size();
  }
}
