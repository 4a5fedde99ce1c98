package dev.tula.connect.refnode.cluster;

/** One node, as the cluster sees it. The cluster's lock guards what changes. */
final class Node {
  private final int number;
  private final String id;
  private String address = "";
  private boolean up;
  private long lagBatches;

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
}
