package dev.tula.connect.sink.engine;

import java.util.Locale;

/** The kinds of disagreement between lake and stream (I6), each with its cure (C25). */
public enum HaltReason {
  /** The watermark table is gone and something says that it was there. */
  WATERMARK_TABLE_MISSING(
      "Set catalog and namespace back to those that were written to, or restore the watermark table"
          + " from the catalog's backup; else open a new generation."),
  /** A data table is gone. */
  TABLE_MISSING("Restore the dropped table from the catalog's backup, or open a new generation."),
  /** The identity table is gone. */
  PIPELINE_TABLE_MISSING("Restore the table tula_pipeline from the catalog's backup."),
  /** Another table stands under the same name. */
  TABLE_REPLACED(
      "Put the original table back under its name, or open a new generation; the table in its place"
          + " must not be written to."),
  /** The witnesses of one table disagree (C7). */
  WITNESSES_DISAGREE(
      "Undo the foreign change: roll the table forward to its newest snapshot of ours, or put the"
          + " rows right with tula-lake repair; tula-lake reconcile shows what differs."),
  /** A table is neither what it was at W nor one range ahead of it (C6). */
  TABLE_NOT_AT_WATERMARK(
      "Roll the named table forward to its newest snapshot of ours; tula-lake reconcile shows what"
          + " differs."),
  /** Tables above W end at different positions (C9). */
  TABLES_APART(
      "Keep the lake as it is and compare the commits topic with the tables: tula-lake reconcile."),
  /** The claim in a table is older than ours, or gone. */
  CLAIM_LOST(
      "The table was set back or restored while a writer was live: roll it forward to its newest"
          + " snapshot."),
  /** The newest checkpoint is above W (C8). */
  LAKE_SET_BACK(
      "The lake was restored from a backup. If Kafka still holds the records after W: tula-lake"
          + " clear-durability-halt --confirm --accept-rewind. Else, if the engine's floor is at or"
          + " below W, alter the source's offsets to W. Else open a new generation."),
  /** The stream skips positions. */
  GAP(
      "Records are missing from the data topic. Remove what removed them, then send the stretch"
          + " again from the watermark."),
  /** No START where the stream must begin. */
  NO_START(
      "The head of the data topic is missing. Send everything again, from START, or open a new"
          + " generation."),
  /** A START that this generation must not have. */
  UNEXPECTED_START(
      "The source's offsets were reset, and it began past the watermark. Send the stretch again"
          + " from the watermark."),
  /** One position, two contents. */
  ROW_DIFFERS(
      "A record of the topic was altered, or comes from another ledger. Find its writer, then send"
          + " the stretch again from the watermark."),
  /** One range, two digests. */
  DIGEST_DIFFERS(
      "A table is ahead of W with other rows than the stream has now. Set back what changed in"
          + " between (a transform, the record mode), then clear the halt."),
  /** Rows decoded and rows in the tables are not the same number (C21). */
  ROWS_UNACCOUNTED("Compare the commits topic with the tables: tula-lake reconcile."),
  /** A record that can't be read. */
  MALFORMED_RECORD(
      "Something other than the source wrote to the data topic, or a transform or converter changed"
          + " a record. Put that right; if the record itself is wrong, send the stretch again from"
          + " the watermark.");

  private final String cure;

  HaltReason(String cure) {
    this.cure = cure;
  }

  /** The short word that events and properties carry. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What a person can do about it, and where that is described step by step. */
  public String cure() {
    return cure + " Step by step: docs/recover.md#" + word();
  }
}
