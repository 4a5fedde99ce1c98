package dev.tula.connect.sink.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the files in a table's folders that nothing leads to any more and nothing ever will: files
 * with rows that were staged under a claim below the table's own (C28), and metadata that the table
 * does not know. The order of the steps is what makes it safe beside a writer: what a writer below
 * that claim ever committed is among the references, as these are read last.
 *
 * <p>For one thread.
 *
 * @param <T> a table as one load showed it
 * @param <F> a file in its folders
 */
public final class OrphanSearch<T, F> {
  private final String table;
  private final Folders<T, F> folders;

  /** A table and the folders that its files lie in. */
  public interface Folders<T, F> {
    /** The table as it is now. */
    T load();

    /** What that load shows. */
    TableView view(T loaded);

    /** The files in its data folder that are old enough to go. */
    List<F> data(T loaded);

    /** The same of its metadata folder, as far as they are metadata. */
    List<F> metadata(T loaded);

    /** A file's name: the last part of its location. */
    String name(F file);

    /** Takes out what the table's metadata leads to. */
    void removeReferenced(T loaded, Map<String, List<F>> byName);
  }

  /**
   * @param table the table's logical name, which is in the names of its files
   * @param folders where they lie
   */
  public OrphanSearch(String table, Folders<T, F> folders) {
    this.table = table;
    this.folders = folders;
  }

  /**
   * Finds them.
   *
   * @throws LakeException if the table was replaced meanwhile
   */
  public List<F> find() {
    T before = folders.load();
    WriterClaim claim = folders.view(before).property().orElseThrow().claim();
    Map<String, List<F>> candidates = new HashMap<>();
    for (F file : folders.data(before)) {
      if (isDead(folders.name(file), claim)) {
        add(file, candidates);
      }
    }
    folders.metadata(before).forEach(file -> add(file, candidates));
    if (candidates.isEmpty()) {
      return List.of();
    }
    T now = folders.load();
    if (!folders.view(now).uuid().equals(folders.view(before).uuid())) {
      throw LakeException.lasting(
          "table " + table + " was replaced while its files were listed; nothing is deleted", null);
    }
    folders.removeReferenced(now, candidates);
    return candidates.values().stream().flatMap(List::stream).toList();
  }

  private void add(F file, Map<String, List<F>> candidates) {
    candidates.computeIfAbsent(folders.name(file), any -> new ArrayList<>()).add(file);
  }

  private boolean isDead(String fileName, WriterClaim claim) {
    return StagedFileName.claim(fileName, table).filter(claim::isNewerThan).isPresent();
  }
}
