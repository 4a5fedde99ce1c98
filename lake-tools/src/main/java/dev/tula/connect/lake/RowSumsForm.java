package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.sink.lake.RowSums;
import java.util.Optional;

/** What rows add up to, the same in every command's answer. */
final class RowSumsForm {
  private RowSumsForm() {}

  /** Amounts are strings: a JSON number of this size would be rounded by most readers. */
  static ObjectNode json(RowSums sums) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("rows", sums.rows());
    sums.amountSum().ifPresent(sum -> node.put("amount_sum", sum.toString()));
    return node;
  }

  /** A cell of CSV. */
  static String rows(Optional<RowSums> sums) {
    return Format.cell(sums.map(RowSums::rows));
  }

  /** A cell of CSV. */
  static String amounts(Optional<RowSums> sums) {
    return Format.cell(sums.flatMap(RowSums::amountSum));
  }
}
