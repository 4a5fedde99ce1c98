package dev.tula.connect.sink.lake;

import java.util.Map;

/** What the catalog says about each column. */
final class ColumnDocs {
  private static final Map<String, String> DOCS =
      Map.ofEntries(
          Map.entry("global_batch_seq", "Batch number in the ledger's own order"),
          Map.entry("batch_seq", "Batch number as its leader counted it"),
          Map.entry("array_index", "Index in the batch; with global_batch_seq, the position"),
          Map.entry("timestamp", "The engine's time for this record, UTC"),
          Map.entry(
              "recorded_at", "The engine's commit time of the batch, UTC: the transaction time"),
          Map.entry("transfer_id", "Transfer, 128 bits as 32 hex digits"),
          Map.entry("txn_id", "Transaction, 128 bits as 32 hex digits"),
          Map.entry("ledger_id", "Ledger"),
          Map.entry("source_id", "Source of the transfer"),
          Map.entry("currency", "Currency code"),
          Map.entry("debit_account_id", "Debited account, 128 bits as 32 hex digits"),
          Map.entry("credit_account_id", "Credited account, 128 bits as 32 hex digits"),
          Map.entry("amount", "Amount in minor units"),
          Map.entry("kind", "single_phase, reserve, resolution or rejected"),
          Map.entry("mode", "Ledger mode: default or position_settlement"),
          Map.entry(
              "outcome", "posted, reserved, committed, rolled_back, or what it was rejected for"),
          Map.entry("reason_code", "The caller's reject reason"),
          Map.entry("settlement_id", "Settlement, 128 bits as 32 hex digits"),
          Map.entry("settlement_cycle", "Settlement cycle"),
          Map.entry("settlement_tier", "direct or indirect"),
          Map.entry("debit_settlement_account_id", "Debited settlement account"),
          Map.entry("credit_settlement_account_id", "Credited settlement account"),
          Map.entry("settlement_amount", "Settled amount in minor units"),
          Map.entry("dr_credits_posted", "Debited account's posted credits after this record"),
          Map.entry("dr_debits_posted", "Debited account's posted debits after this record"),
          Map.entry("cr_credits_posted", "Credited account's posted credits after this record"),
          Map.entry("cr_debits_posted", "Credited account's posted debits after this record"),
          Map.entry("dr_available", "Debited account's available balance, signed"),
          Map.entry("cr_available", "Credited account's available balance, signed"),
          Map.entry("digest_hex", "The engine's own SHA3-256 of the record, 64 hex digits"),
          Map.entry("entity_id", "What changed: an account's 32 hex digits, a code or a number"),
          Map.entry("change", "created, updated, closed or seeded"),
          Map.entry("origin", "stream or bootstrap"),
          Map.entry("flags", "Account flags"),
          Map.entry("debit_limit", "Debit limit in minor units"),
          Map.entry("credit_limit", "Credit limit in minor units"),
          Map.entry("parent_id", "Parent account, 128 bits as 32 hex digits"),
          Map.entry("state", "State after the change"),
          Map.entry("name", "Name after the change"),
          Map.entry("currencies", "Currency codes of the ledger"),
          Map.entry("exponent", "Decimal places between minor and major unit"),
          Map.entry("address", "Network address of the member"),
          Map.entry("role", "Role of the member"),
          Map.entry("term", "Leader term"),
          Map.entry("pipeline", "Pipeline name"),
          Map.entry("generation", "Generation of the pipeline"),
          Map.entry("partition", "Export partition"),
          Map.entry("partition_count", "Number of export partitions"),
          Map.entry("closed_through", "The ledger is closed through this time at the watermark"),
          Map.entry("layout", "How records are spread over tables"),
          Map.entry("include_metadata", "Whether metadata changes are exported"),
          Map.entry("full_txn_record", "Whether transactions are full records"),
          Map.entry("writer_epoch", "Epoch of the writer that published the watermark"),
          Map.entry("kafka_topic", "Data topic"),
          Map.entry("kafka_partition", "Partition of the data topic"),
          Map.entry("kafka_offset", "Offset at which reading goes on"),
          Map.entry("updated_at", "When the watermark was published, by the writer's clock"));

  private ColumnDocs() {}

  static String of(String column) {
    return DOCS.get(column);
  }
}
