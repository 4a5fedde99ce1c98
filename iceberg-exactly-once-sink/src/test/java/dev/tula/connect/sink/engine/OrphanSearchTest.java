package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A table in whose folder lie the files of two writers, and what happens to it between two looks.
 */
@DisplayName("C28: which files of a table are dead")
class OrphanSearchTest {
  private static final String TABLE = "t";
  private static final WriterClaim OLD = new WriterClaim(1, 1, "old");
  private static final WriterClaim NEW = new WriterClaim(1, 2, "new");

  private final Set<String> folder = new HashSet<>();
  private final Set<String> references = new HashSet<>();
  private final List<String> metadata = new ArrayList<>();
  private final Deque<Runnable> afterEachLoad = new ArrayDeque<>();
  private WriterClaim claim = OLD;
  private String uuid = "uuid";

  /** What a load shows. */
  private record Loaded(TableView view, Set<String> references) {}

  private final class Folders implements OrphanSearch.Folders<Loaded, String> {
    @Override
    public Loaded load() {
      Optional<TableState> state =
          Optional.of(TableState.first(Bench.STREAM, claim, false, Optional.empty()));
      Loaded loaded =
          new Loaded(
              new TableView(
                  uuid, state, state, OptionalLong.of(1), 0, Optional.empty(), Map.of(), Set.of()),
              Set.copyOf(references));
      if (!afterEachLoad.isEmpty()) {
        afterEachLoad.remove().run();
      }
      return loaded;
    }

    @Override
    public TableView view(Loaded loaded) {
      return loaded.view();
    }

    @Override
    public List<String> data(Loaded loaded) {
      return List.copyOf(folder);
    }

    @Override
    public List<String> metadata(Loaded loaded) {
      return metadata;
    }

    @Override
    public String name(String file) {
      return file;
    }

    @Override
    public void removeReferenced(Loaded loaded, Map<String, List<String>> byName) {
      loaded.references().forEach(byName::remove);
    }
  }

  private List<String> dead() {
    return new OrphanSearch<>(TABLE, new Folders()).find();
  }

  private String staged(WriterClaim by) {
    String name = StagedFileName.of(by, TABLE, Position.batchEnd(7));
    folder.add(name);
    return name;
  }

  @Test
  void what_was_staged_under_an_older_claim_and_never_committed_is_dead() {
    String dead = staged(OLD);
    staged(NEW);
    claim = NEW;

    assertThat(dead()).containsExactly(dead);
  }

  @Test
  void what_was_staged_under_the_claim_that_the_table_has_may_yet_be_committed() {
    staged(OLD);

    assertThat(dead()).isEmpty();
  }

  @Test
  void what_was_committed_before_the_newer_claim_stays() {
    String committed = staged(OLD);
    String dead = staged(new WriterClaim(1, 0, "older"));
    afterEachLoad.add(
        () -> {
          references.add(committed);
          claim = NEW;
        });

    assertThat(dead()).containsExactly(dead);
  }

  @Test
  void what_is_committed_before_a_newer_claim_stays_though_both_come_after_the_last_look() {
    String committed = staged(OLD);
    String dead = staged(new WriterClaim(1, 0, "older"));
    afterEachLoad.add(() -> {});
    afterEachLoad.add(
        () -> {
          references.add(committed);
          claim = NEW;
        });

    assertThat(dead()).containsExactly(dead);
  }

  @Test
  void metadata_that_is_committed_after_the_first_look_stays() {
    metadata.addAll(List.of("newer.avro", "unknown.avro"));
    afterEachLoad.add(() -> references.add("newer.avro"));

    assertThat(dead()).containsExactly("unknown.avro");
  }

  @Test
  void files_of_other_engines_and_tables_are_not_judged() {
    folder.add("00000-5-3f9c2a2e.parquet");
    folder.add(StagedFileName.of(OLD, "another", Position.batchEnd(7)));
    claim = NEW;

    assertThat(dead()).isEmpty();
  }

  @Test
  void metadata_that_the_table_does_not_know_is_dead_whoever_has_claimed_it() {
    metadata.addAll(List.of("known.avro", "unknown.avro"));
    references.add("known.avro");

    assertThat(dead()).containsExactly("unknown.avro");
  }

  @Test
  void nothing_of_a_table_that_was_replaced_meanwhile_is_dead() {
    staged(OLD);
    claim = NEW;
    afterEachLoad.add(() -> uuid = "another");

    assertThatThrownBy(this::dead)
        .isInstanceOf(LakeException.class)
        .hasMessageContaining("replaced");
  }
}
