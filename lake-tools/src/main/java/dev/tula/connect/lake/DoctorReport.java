package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.doctor.CatalogKind;
import dev.tula.connect.lake.doctor.Finding;
import dev.tula.connect.lake.doctor.Verdict;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What {@code doctor} shows.
 *
 * @param catalog the kind of catalog
 * @param findings what the checks found, in their order
 */
record DoctorReport(CatalogKind catalog, List<Finding> findings) implements Report {
  /** Copies the list. */
  DoctorReport {
    findings = List.copyOf(findings);
  }

  int exitCode() {
    return count(Verdict.FAIL) == 0 ? ExitCode.OK : ExitCode.FAIL;
  }

  private long count(Verdict verdict) {
    return findings.stream().filter(finding -> finding.verdict() == verdict).count();
  }

  @Override
  public void printTable(PrintWriter out) {
    TextTable table = TextTable.of("", "CHECK", "KEY", "FOUND");
    for (Finding each : findings) {
      table.row(each.verdict().word(), each.check(), each.key(), each.seen());
    }
    table.print(out, "");
    out.println();
    Stream.of(Verdict.FAIL, Verdict.WARN, Verdict.SKIPPED)
        .forEach(verdict -> printAdvice(verdict, out));
    out.println(summary());
  }

  /** The same advice for several keys is given once. */
  private void printAdvice(Verdict verdict, PrintWriter out) {
    Map<String, List<String>> keys = new LinkedHashMap<>();
    findings.stream()
        .filter(each -> each.verdict() == verdict)
        .forEach(
            each ->
                keys.computeIfAbsent(each.advice(), advice -> new ArrayList<>()).add(each.key()));
    keys.forEach(
        (advice, of) -> out.println(verdict.word() + "  " + String.join(", ", of) + ": " + advice));
    if (!keys.isEmpty()) {
      out.println();
    }
  }

  private String summary() {
    return "Catalog: "
        + catalog.words()
        + ". "
        + count(Verdict.FAIL)
        + " FAIL, "
        + count(Verdict.WARN)
        + " warn, "
        + count(Verdict.SKIPPED)
        + " skipped, "
        + count(Verdict.OK)
        + " ok.";
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("verdict", exitCode() == ExitCode.OK ? "PASS" : "FAIL");
    node.put("catalog", catalog.words());
    ArrayNode array = node.putArray("findings");
    for (Finding each : findings) {
      ObjectNode finding = array.addObject();
      finding.put("check", each.check());
      finding.put("key", each.key());
      finding.put("verdict", each.verdict().word());
      finding.put("seen", each.seen());
      finding.put("advice", each.advice());
    }
    return node;
  }

  @Override
  public List<String> csvHeader() {
    return List.of("check", "key", "verdict", "seen", "advice");
  }

  @Override
  public List<List<String>> csvRows() {
    return findings.stream()
        .map(
            each ->
                List.of(
                    each.check(), each.key(), each.verdict().word(), each.seen(), each.advice()))
        .toList();
  }
}
