package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Range;
import java.math.BigInteger;
import java.util.Optional;

/**
 * A range as the commit log has it now.
 *
 * @param range which
 * @param rows its rows
 * @param amountSum the sum of their amounts; absent for change logs
 * @param digest their digest, hex
 * @param first the digest that was committed at first, where the range was repaired since
 */
public record LoggedRange(
    Range range,
    long rows,
    Optional<BigInteger> amountSum,
    String digest,
    Optional<String> first) {}
