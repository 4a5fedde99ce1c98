package dev.tula.connect.source;

import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.LimitedLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what a page's advisory flags mean, each at most once a minute, and once that the engine
 * forms no group where one is wanted. None of it stops the export. Not thread-safe.
 */
final class FlagWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(FlagWarnings.class);

  private final String who;
  private final boolean groupWanted;
  private final LimitedLog notDurable;
  private final LimitedLog released;
  private final LimitedLog noLease;
  private boolean groupMissed;

  /** For one partition; {@code group} if it asks to be a member of one. */
  FlagWarnings(StreamIdentity identity, boolean group, Clock clock) {
    this.groupWanted = group;
    this.who = "Pipeline " + identity.pipeline() + ", partition " + identity.partition() + ": ";
    this.notDurable = new LimitedLog(LOG, clock);
    this.released = new LimitedLog(LOG, clock);
    this.noLease = new LimitedLog(LOG, clock);
  }

  void onPage(Message.Page page) {
    onFlags(page.flags());
    boolean leasesOff = page.flags().noLease() && page.group().count() == 0;
    if (groupWanted && leasesOff && !groupMissed) {
      groupMissed = true;
      LOG.warn(
          "{}the engine forms no group, because export_lease_ttl_ms is 0, so this pipeline's acks"
              + " earn no credit: history is purged by age alone, or not at all with"
              + " history_purge_requires_export",
          who);
    }
  }

  private void onFlags(Message.PageFlags flags) {
    if (flags.leaseNotDurable()) {
      notDurable.warn(
          who + "LEASE_NOT_DURABLE: the engine's hold won't survive a restart of its node");
    }
    if (flags.exportHoldReleased()) {
      released.warn(
          who
              + "EXPORT_HOLD_RELEASED: the engine overrode this pipeline's hold on its history; if it"
              + " falls further behind, the range is lost to it");
    }
    if (flags.noLease()) {
      noLease.warn(
          who
              + "NO_LEASE: the engine grants no lease, because its lease table is full or"
              + " export_lease_ttl_ms is 0; nothing is held for this pipeline");
    }
  }
}
