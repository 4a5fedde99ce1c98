package dev.tula.connect.sink.engine;

import java.math.BigInteger;
import java.util.Optional;

/**
 * One table's part of a range that was cut.
 *
 * @param table the logical name
 * @param rows its rows; at least one, for a table without rows gets no commit (C18)
 * @param amountSum the sum of their amounts; absent for change logs
 */
public record SealedTable(String table, long rows, Optional<BigInteger> amountSum) {}
