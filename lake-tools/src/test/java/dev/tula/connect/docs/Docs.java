package dev.tula.connect.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The project's documentation, as files below its root. */
final class Docs {
  private static final Pattern FENCE = Pattern.compile("(?ms)^```(\\w*)\\R(.*?)^```");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");

  private Docs() {}

  /** The project's root: the nearest folder upwards that has the documentation. */
  static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.exists(folder.resolve("docs/README.md"))) {
      folder = folder.getParent();
    }
    if (folder == null) {
      throw new IllegalStateException("no folder above this one has docs/README.md");
    }
    return folder;
  }

  /** Every page: the README, docs, and what the zips carry. */
  static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(root().resolve("README.md")));
    pages.addAll(filesBelow(root().resolve("docs"), "**.md"));
    try (Stream<Path> modules = Files.list(root())) {
      modules
          .map(module -> module.resolve("src/main/plugin/doc/README.md"))
          .filter(Files::exists)
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }

  /** The sources of every module that fit a glob. */
  static List<Path> sources(String glob) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path parent : List.of(root(), root().resolve("testbed"))) {
      try (Stream<Path> modules = Files.list(parent)) {
        for (Path source : modules.map(module -> module.resolve("src")).sorted().toList()) {
          if (Files.isDirectory(source)) {
            sources.addAll(filesBelow(source, glob));
          }
        }
      }
    }
    return sources;
  }

  /** The files below a folder that fit a glob. */
  static List<Path> filesBelow(Path folder, String glob) throws IOException {
    var matcher = folder.getFileSystem().getPathMatcher("glob:" + glob);
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).filter(matcher::matches).sorted().toList();
    }
  }

  static String read(Path page) throws IOException {
    return Files.readString(page, StandardCharsets.UTF_8);
  }

  static String read(String page) throws IOException {
    return read(root().resolve(page));
  }

  /** The contents of the fenced blocks of a language. */
  static List<String> blocks(String text, String language) {
    return FENCE
        .matcher(text)
        .results()
        .filter(block -> block.group(1).equals(language))
        .map(block -> block.group(2))
        .toList();
  }

  /** What a link to a page may name after #. */
  static Set<String> anchors(String text) {
    String prose = FENCE.matcher(text).replaceAll("");
    Set<String> anchors = new TreeSet<>();
    HEADING.matcher(prose).results().map(heading -> slug(heading.group(1))).forEach(anchors::add);
    ANCHOR.matcher(prose).results().map(anchor -> anchor.group(1)).forEach(anchors::add);
    return anchors;
  }

  /** A heading's anchor, as GitHub makes it. */
  private static String slug(String heading) {
    return heading
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
        .replace(' ', '-');
  }

  /** Every match of a pattern's first group, outside and inside of code. */
  static Set<String> matches(String text, Pattern pattern) {
    Set<String> found = new TreeSet<>();
    pattern.matcher(text).results().map(match -> match.group(1)).forEach(found::add);
    return found;
  }
}
