package dev.tula.connect.sink.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A rule of the commit protocol, broken by edits to one source file. Its description is a file:
 *
 * <pre>
 * rule: C14
 * breaks: what the mutant does wrong
 * file: the source file, from the repository's root
 * caught-by: simulation | explorer CASE | test CLASS#METHOD, the class after dev.tula.connect
 * sample: true
 *
 * &lt;&lt;&lt;&lt; text that the source holds exactly once
 * ====
 * what stands there instead
 * &gt;&gt;&gt;&gt;
 * </pre>
 *
 * Each {@code caught-by} must catch it. What is marked as {@code sample} runs in every build.
 *
 * @param name of the description's file, without its ending
 * @param rule the rule
 * @param breaks what it does wrong
 * @param file the source file, from the repository's root
 * @param catchers what must catch it
 * @param sample whether it is one of the few that run in every build
 * @param edits what is changed
 */
record Mutant(
    String name,
    String rule,
    String breaks,
    Path file,
    List<String> catchers,
    boolean sample,
    List<Edit> edits) {
  private static final String ENDING = ".mutant";
  private static final String FIND = "<<<<";
  private static final String REPLACE = "====";
  private static final String END = ">>>>";

  /** One change: both of whole lines. */
  record Edit(String find, String replace) {}

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
    while (rest.hasNext()) {
      String line = rest.next();
      if (line.equals(FIND)) {
        edits.add(new Edit(upTo(REPLACE, rest), upTo(END, rest)));
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
        Path.of(one("file", head)),
        all("caught-by", head),
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

  private static String one(String key, List<String> head) {
    List<String> values = all(key, head);
    if (values.size() != 1) {
      throw new IllegalArgumentException("it has " + values.size() + " lines \"" + key + ":\"");
    }
    return values.get(0);
  }

  /**
   * The source file with its edits made.
   *
   * @throws IllegalStateException if a text to be changed is not there exactly once
   */
  String source(Path root) {
    try {
      return edited(Files.readString(root.resolve(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String edited(String source) {
    String edited = source;
    for (Edit edit : edits) {
      int at = edited.indexOf(edit.find());
      if (edit.find().isBlank() || at < 0 || edited.indexOf(edit.find(), at + 1) >= 0) {
        throw new IllegalStateException(
            "mutant "
                + name
                + ": this text is "
                + (at < 0 ? "not" : "more than once")
                + " in "
                + file
                + ":\n"
                + edit.find());
      }
      edited =
          edited.substring(0, at) + edit.replace() + edited.substring(at + edit.find().length());
    }
    return edited;
  }

  @Override
  public String toString() {
    return name;
  }
}
