package dev.tula.connect.refnode.engine;

/** An open reserve. */
final class Reservation {
  private final TransferRequest request;
  private final Id128 transferId;
  private final Legs legs;
  private int listIndex;

  Reservation(TransferRequest request, Id128 transferId, Legs legs) {
    this.request = request;
    this.transferId = transferId;
    this.legs = legs;
  }

  TransferRequest request() {
    return request;
  }

  Id128 transferId() {
    return transferId;
  }

  Legs legs() {
    return legs;
  }

  int listIndex() {
    return listIndex;
  }

  void listIndex(int newIndex) {
    listIndex = newIndex;
  }
}
