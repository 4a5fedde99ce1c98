package dev.tula.connect.local;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.OptionSpec;

/** The flags that a page names, against those that a command has. */
public final class Flags {
  private static final Pattern FLAG = Pattern.compile("(?<![\\w-])--[a-z][\\w-]*");

  private Flags() {}

  /** All that a text names. */
  public static Set<String> in(String text) {
    Set<String> found = new TreeSet<>();
    FLAG.matcher(text).results().forEach(match -> found.add(match.group()));
    return found;
  }

  /** The names of options, but for those that every command has. */
  public static Set<String> of(Collection<OptionSpec> options) {
    Set<String> names = new TreeSet<>();
    options.stream()
        .filter(option -> !option.usageHelp() && !option.versionHelp())
        .forEach(option -> names.addAll(List.of(option.names())));
    return names;
  }
}
