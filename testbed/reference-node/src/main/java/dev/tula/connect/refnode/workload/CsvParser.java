package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.Amount;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerMode;
import dev.tula.connect.refnode.engine.RequestType;
import dev.tula.connect.refnode.engine.TransferRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;

/** Reads the lines of a file of transfers; {@link CsvReplay} describes the columns. */
final class CsvParser {
  private static final List<String> REQUIRED =
      List.of(
          "type", "ledger_id", "currency", "txn_id", "debit_account", "credit_account", "amount");
  private static final List<String> OPTIONAL =
      List.of(
          "source_id",
          "reason_code",
          "mode",
          "exponent",
          "debit_settlement_account",
          "credit_settlement_account",
          "batch",
          "recorded_at");
  private static final Map<String, RequestType> TYPES =
      Map.of(
          "transfer", RequestType.SINGLE,
          "reserve", RequestType.RESERVE,
          "commit", RequestType.COMMIT,
          "rollback", RequestType.ROLLBACK,
          "reject", RequestType.REJECT);
  private static final int MAX_EXPONENT = 18;

  private final String file;
  private final Map<String, Integer> columns = new LinkedHashMap<>();

  /**
   * For files with that first line.
   *
   * @throws CsvFormatException if a column is missing, unknown or there twice
   */
  CsvParser(String file, String header) {
    this.file = file;
    List<String> names = split(1, header);
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i).trim();
      if (!REQUIRED.contains(name) && !OPTIONAL.contains(name)) {
        throw fault(1, "column \"" + name + "\" is not known; known are " + REQUIRED + OPTIONAL);
      }
      if (columns.put(name, i) != null) {
        throw fault(1, "column \"" + name + "\" is there twice");
      }
    }
    for (String name : REQUIRED) {
      if (!columns.containsKey(name)) {
        throw fault(1, "column \"" + name + "\" is missing");
      }
    }
  }

  private CsvFormatException fault(long line, String what) {
    return new CsvFormatException(file + ", line " + line + ": " + what);
  }

  /**
   * Reads a line.
   *
   * @throws CsvFormatException naming the line and the column
   */
  CsvRow parse(long line, String text) {
    List<String> values = split(line, text);
    if (values.size() != columns.size()) {
      throw fault(line, "has " + values.size() + " values for " + columns.size() + " columns");
    }
    Values row = new Values(line, values);
    RequestType type = row.value("type", true, CsvParser::type).orElseThrow();
    boolean resolves = type.isResolution();
    LedgerMode mode = row.value("mode", false, LedgerMode::ofText).orElse(LedgerMode.DEFAULT);
    boolean tiered = mode == LedgerMode.POSITION_SETTLEMENT && !resolves;
    TransferRequest request =
        new TransferRequest(
            type,
            row.value("ledger_id", true, Integer::parseInt).orElseThrow(),
            row.value("source_id", false, Integer::parseInt).orElse(1),
            row.value("currency", true, CsvParser::currency).orElseThrow(),
            row.value("txn_id", true, CsvParser::id).orElseThrow(),
            row.value("debit_account", !resolves, CsvParser::id).orElse(Id128.NONE),
            row.value("credit_account", !resolves, CsvParser::id).orElse(Id128.NONE),
            row.value("amount", !resolves, Amount::parse).orElse(Amount.ZERO),
            row.value("reason_code", false, Integer::parseInt)
                .map(OptionalInt::of)
                .orElse(OptionalInt.empty()));
    return new CsvRow(
        line,
        request,
        mode,
        row.value("exponent", false, CsvParser::exponent).orElse(2),
        row.value("debit_settlement_account", tiered, CsvParser::id),
        row.value("credit_settlement_account", tiered, CsvParser::id),
        row.value("batch", false, Function.identity()).orElse(""),
        row.value("recorded_at", false, CsvParser::micros)
            .map(OptionalLong::of)
            .orElse(OptionalLong.empty()));
  }

  /** The values of one line, by column. */
  private final class Values {
    private final long line;
    private final List<String> values;

    Values(long line, List<String> values) {
      this.line = line;
      this.values = values;
    }

    <T> Optional<T> value(String column, boolean required, Function<String, T> read) {
      Integer at = columns.get(column);
      String text = at == null ? "" : values.get(at).trim();
      if (text.isEmpty()) {
        if (required) {
          throw fault(line, column + " is empty");
        }
        return Optional.empty();
      }
      try {
        return Optional.of(read.apply(text));
      } catch (NumberFormatException e) {
        throw fault(line, column + ": \"" + text + "\" is no whole number in range");
      } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
        throw fault(line, column + ": " + e.getMessage());
      }
    }
  }

  private static RequestType type(String text) {
    RequestType type = TYPES.get(text);
    if (type == null) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no type; known are transfer, reserve, commit, rollback, reject");
    }
    return type;
  }

  private static String currency(String text) {
    if (text.length() > TransferRequest.MAX_CURRENCY_LENGTH) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is longer than " + TransferRequest.MAX_CURRENCY_LENGTH);
    }
    return text;
  }

  /** 32 hex digits, with or without the dashes of a UUID. */
  private static Id128 id(String text) {
    return Id128.parse(text.replace("-", ""));
  }

  private static int exponent(String text) {
    int exponent = Integer.parseInt(text);
    if (exponent < 0 || exponent > MAX_EXPONENT) {
      throw new IllegalArgumentException(exponent + " is not between 0 and " + MAX_EXPONENT);
    }
    return exponent;
  }

  private static long micros(String text) {
    Instant instant = Instant.parse(text);
    if (!instant.truncatedTo(ChronoUnit.MICROS).equals(instant)) {
      throw new IllegalArgumentException("\"" + text + "\" is finer than a microsecond");
    }
    return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
  }

  /** Splits at commas; a value in double quotes may hold commas, and two double quotes for one. */
  private List<String> split(long line, String text) {
    List<String> values = new ArrayList<>();
    StringBuilder value = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        boolean escaped = quoted && i + 1 < text.length() && text.charAt(i + 1) == '"';
        if (escaped) {
          value.append(c);
          i++;
        } else {
          quoted = !quoted;
        }
      } else if (c == ',' && !quoted) {
        values.add(value.toString());
        value.setLength(0);
      } else {
        value.append(c);
      }
    }
    if (quoted) {
      throw fault(line, "a double quote is not closed on the line");
    }
    values.add(value.toString());
    return values;
  }
}
