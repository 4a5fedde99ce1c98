package dev.tula.connect.refnode.cluster;

/** One node, as the cluster sees it. The cluster's lock guards what changes. */
final class Node {
  private final int number;
  private final String id;
  private String address = "";
  private boolean up;
  private long lagBatches;
  private long cutOffTerm;
  private long cutOffHead;

  Node(int number) {
    this.number = number;
    this.id = "node-" + (number + 1);
  }

  int number() {
    return number;
  }

  String id() {
    return id;
  }

  String address() {
    return address;
  }

  void address(String newAddress) {
    address = newAddress;
  }

  boolean isUp() {
    return up;
  }

  void up(boolean isUp) {
    up = isUp;
  }

  long lagBatches() {
    return lagBatches;
  }

  void lagBatches(long batches) {
    lagBatches = batches;
  }

  /** Whether it is cut off, and leads on in a term that is over. */
  boolean isCutOff() {
    return cutOffTerm > 0;
  }

  /** The term that it believes in while it is cut off. */
  long cutOffTerm() {
    return cutOffTerm;
  }

  /** The last batch that it has while it is cut off. */
  long cutOffHead() {
    return cutOffHead;
  }

  /** From here on it sees nothing of the others. */
  void cutOff(long term, long head) {
    cutOffTerm = term;
    cutOffHead = head;
  }

  /** It sees the others again. */
  void reconnect() {
    cutOffTerm = 0;
  }
}
