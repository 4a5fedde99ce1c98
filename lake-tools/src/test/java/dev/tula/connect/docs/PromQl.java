package dev.tula.connect.docs;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names in an expression of Prometheus's query language: enough of it to tell metrics from
 * labels, functions and words of the language. What it does not know as one of these counts as a
 * metric.
 *
 * @param metrics names of metrics
 * @param labels names of labels, in selectors and in groupings
 */
record PromQl(Set<String> metrics, Set<String> labels) {
  private static final Pattern TEXT = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern SELECTOR = Pattern.compile("\\{([^}]*)}");
  private static final Pattern MATCHER = Pattern.compile("(\\w+) *(?:=~|!~|!=|=)");
  private static final Pattern RANGE = Pattern.compile("\\[\\d+[smhdw]]");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|without|on|ignoring)\\b *\\(([^()]*)\\)");
  private static final Pattern CALL = Pattern.compile("([A-Za-z_]\\w*) *\\(");
  private static final Pattern NAME = Pattern.compile("[A-Za-z_:][\\w:]*");
  private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool");

  private static final Set<String> FUNCTIONS =
      Set.of(
          "absent",
          "changes",
          "count",
          "histogram_quantile",
          "increase",
          "max",
          "max_over_time",
          "min",
          "predict_linear",
          "rate",
          "sum",
          "time",
          "vector");

  /** Reads an expression; fails if its brackets don't match or it calls what is not known. */
  static PromQl of(String expression) {
    String rest = TEXT.matcher(expression).replaceAll("");
    requireBalanced(expression, rest);
    Set<String> labels = new TreeSet<>();
    for (MatchResult selector : SELECTOR.matcher(rest).results().toList()) {
      labels.addAll(Docs.matches(selector.group(1), MATCHER));
    }
    rest = RANGE.matcher(SELECTOR.matcher(rest).replaceAll("")).replaceAll("");
    for (MatchResult grouping : GROUPING.matcher(rest).results().toList()) {
      NAME.matcher(grouping.group(1)).results().forEach(name -> labels.add(name.group()));
    }
    rest = GROUPING.matcher(rest).replaceAll("");
    // "sum by (x) (y)" is "sum (y)" by now, and "a and (b)" no call.
    Set<String> called = new TreeSet<>(Docs.matches(rest, CALL));
    called.removeAll(WORDS);
    if (!FUNCTIONS.containsAll(called)) {
      throw new AssertionError(called + " of " + expression + " are not known as functions");
    }
    Set<String> metrics = new TreeSet<>();
    Matcher names = NAME.matcher(rest);
    while (names.find()) {
      metrics.add(names.group());
    }
    metrics.removeAll(called);
    metrics.removeAll(WORDS);
    return new PromQl(metrics, labels);
  }

  private static void requireBalanced(String expression, String rest) {
    for (String pair : Set.of("()", "[]", "{}")) {
      long opened = rest.chars().filter(each -> each == pair.charAt(0)).count();
      long closed = rest.chars().filter(each -> each == pair.charAt(1)).count();
      if (opened != closed) {
        throw new AssertionError(pair + " don't match in " + expression);
      }
    }
  }
}
