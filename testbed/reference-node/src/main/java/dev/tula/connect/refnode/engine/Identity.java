package dev.tula.connect.refnode.engine;

/** What tells one transaction from another. */
record Identity(int ledgerId, int sourceId, String currency, Id128 txnId) {
  private static final long TRANSFER = 0x5443_0001L;
  private static final long RESOLUTION = 0x5443_0002L;

  static Identity of(TransferRequest request) {
    return new Identity(
        request.ledgerId(), request.sourceId(), request.currency(), request.txnId());
  }

  /** The fingerprint of the record that opened the transaction, or of the one that resolved it. */
  long fingerprint(boolean ofResolution) {
    long hash = Mix.mix(txnId.high() + (ofResolution ? RESOLUTION : TRANSFER));
    hash = Mix.mix(hash ^ txnId.low());
    hash = Mix.mix(hash + ((long) ledgerId << 32 | sourceId & 0xffff_ffffL));
    return Mix.mix(hash + currency.hashCode());
  }
}
