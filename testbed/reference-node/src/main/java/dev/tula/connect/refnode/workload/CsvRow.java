package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerMode;
import dev.tula.connect.refnode.engine.TransferRequest;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One line of a file of transfers.
 *
 * @param line its number in the file, from 1
 * @param request what it asks for
 * @param mode the mode of its ledger, should the ledger be new
 * @param exponent the exponent of its currency, should the currency be new
 * @param debitSettlement the settlement account behind the debit account, should that be new
 * @param creditSettlement the settlement account behind the credit account, should that be new
 * @param batch rows next to each other with the same one share a batch; empty for none
 * @param recordedAtMicros the commit time of its batch
 */
record CsvRow(
    long line,
    TransferRequest request,
    LedgerMode mode,
    int exponent,
    Optional<Id128> debitSettlement,
    Optional<Id128> creditSettlement,
    String batch,
    OptionalLong recordedAtMicros) {}
