package dev.tula.connect.sink.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A rule of the commit protocol, broken by edits to a source file or two. Its description is a
 * file:
 *
 * <pre>
 * rule: C14
 * breaks: what the mutant does wrong
 * file: the source file, from the repository's root; the changes that follow are of it
 * caught-by: simulation | explorer CASE | test CLASS#METHOD, the class after dev.tula.connect
 * expect: what that must find, such as I1, stuck, 86 for nothing; of several, any
 * sample: true
 *
 * &lt;&lt;&lt;&lt; text that the source holds exactly once
 * ====
 * what stands there instead
 * &gt;&gt;&gt;&gt;
 * </pre>
 *
 * Each {@code caught-by} must catch it, and what it finds must be named by the {@code expect} that
 * follows. A test that names nothing must fail in an assertion. What is marked as {@code sample}
 * runs in every build.
 *
 * @param name of the description's file, without its ending
 * @param rule the rule
 * @param breaks what it does wrong
 * @param catchers what must catch it
 * @param sample whether it is one of the few that run in every build
 * @param edits what is changed
 */
record Mutant(
    String name,
    String rule,
    String breaks,
    List<Catcher> catchers,
    boolean sample,
    List<Edit> edits) {
  private static final String ENDING = ".mutant";
  private static final String FIND = "<<<<";
  private static final String REPLACE = "====";
  private static final String END = ">>>>";

  /** What a test finds whose assertion fails. */
  static final String ASSERTION = "assertion";

  /**
   * What must catch it.
   *
   * @param what {@code simulation}, {@code explorer CASE} or {@code test CLASS#METHOD}
   * @param expected the names of what it may find
   */
  record Catcher(String what, Set<String> expected) {
    boolean isSimulation() {
      return what.equals("simulation");
    }

    boolean isExplorer() {
      return what.startsWith("explorer ");
    }

    boolean isTest() {
      return what.startsWith("test ");
    }
  }

  /** One change to a file: both texts of whole lines. */
  record Edit(Path file, String find, String replace) {}

  /** All that are described in a folder, by rule and name. */
  static List<Mutant> in(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(ENDING))
          .map(Mutant::read)
          .sorted(Comparator.comparingInt(Mutant::ruleNumber).thenComparing(Mutant::name))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int ruleNumber() {
    return Integer.parseInt(rule.substring(1));
  }

  private static Mutant read(Path file) {
    try {
      String name = file.getFileName().toString();
      List<String> lines = Files.readAllLines(file);
      return parse(name.substring(0, name.length() - ENDING.length()), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  static Mutant parse(String name, List<String> lines) {
    List<Edit> edits = new ArrayList<>();
    List<String> head = new ArrayList<>();
    Iterator<String> rest = lines.iterator();
    Path file = Path.of("");
    while (rest.hasNext()) {
      String line = rest.next();
      if (line.equals(FIND) && file.toString().isEmpty()) {
        throw new IllegalArgumentException("it changes something and names no file");
      } else if (line.equals(FIND)) {
        edits.add(new Edit(file, upTo(REPLACE, rest), upTo(END, rest)));
      } else if (line.startsWith("file:")) {
        file = Path.of(line.substring("file:".length()).strip());
      } else if (!line.isBlank()) {
        head.add(line);
      }
    }
    if (edits.isEmpty()) {
      throw new IllegalArgumentException("it changes nothing");
    }
    return new Mutant(
        name,
        one("rule", head),
        one("breaks", head),
        catchers(head),
        all("sample", head).contains("true"),
        edits);
  }

  private static String upTo(String mark, Iterator<String> rest) {
    StringBuilder text = new StringBuilder();
    while (rest.hasNext()) {
      String line = rest.next();
      if (line.equals(mark)) {
        return text.toString();
      }
      text.append(line).append('\n');
    }
    throw new IllegalArgumentException("a change without " + mark);
  }

  private static List<String> all(String key, List<String> head) {
    return head.stream()
        .filter(line -> line.startsWith(key + ":"))
        .map(line -> line.substring(key.length() + 1).strip())
        .toList();
  }

  private static List<Catcher> catchers(List<String> head) {
    List<Catcher> catchers = new ArrayList<>();
    for (String line : head) {
      if (line.startsWith("caught-by:")) {
        String what = line.substring("caught-by:".length()).strip();
        catchers.add(new Catcher(what, what.startsWith("test ") ? Set.of(ASSERTION) : Set.of()));
      } else if (line.startsWith("expect:")) {
        if (catchers.isEmpty()) {
          throw new IllegalArgumentException("\"expect:\" follows no \"caught-by:\"");
        }
        String names = line.substring("expect:".length()).strip();
        Catcher last = catchers.remove(catchers.size() - 1);
        catchers.add(new Catcher(last.what(), Set.of(names.split(", *"))));
      }
    }
    return catchers;
  }

  private static String one(String key, List<String> head) {
    List<String> values = all(key, head);
    if (values.size() != 1) {
      throw new IllegalArgumentException("it has " + values.size() + " lines \"" + key + ":\"");
    }
    return values.get(0);
  }

  /**
   * The source files, from the repository's root, with their edits made.
   *
   * @throws IllegalStateException if a text to be changed is not there exactly once
   */
  Map<Path, String> sources(Path root) {
    Map<Path, String> sources = new LinkedHashMap<>();
    for (Edit edit : edits) {
      sources.put(
          edit.file(),
          edited(sources.getOrDefault(edit.file(), text(root.resolve(edit.file()))), edit));
    }
    return sources;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the classes of the module are that it changes. */
  List<Path> folders(Path root) {
    String path = edits.get(0).file().toString().replace('\\', '/');
    Path target =
        root.resolve(path.substring(0, path.indexOf("/src/main/java/"))).resolve("target");
    return List.of(target.resolve("test-classes"), target.resolve("classes"));
  }

  String edited(String source) {
    String edited = source;
    for (Edit edit : edits) {
      edited = edited(edited, edit);
    }
    return edited;
  }

  private String edited(String source, Edit edit) {
    int at = source.indexOf(edit.find());
    if (edit.find().isBlank() || at < 0 || source.indexOf(edit.find(), at + 1) >= 0) {
      throw new IllegalStateException(
          "mutant "
              + name
              + ": this text is "
              + (at < 0 ? "not" : "more than once")
              + " in "
              + edit.file()
              + ":\n"
              + edit.find());
    }
    return source.substring(0, at) + edit.replace() + source.substring(at + edit.find().length());
  }

  @Override
  public String toString() {
    return name;
  }
}
