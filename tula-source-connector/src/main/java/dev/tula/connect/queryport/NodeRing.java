package dev.tula.connect.queryport;

import java.util.List;
import java.util.Optional;

/**
 * Which node comes next: the one a hint named, or else the next of the list. A hint to an address
 * outside the list is followed only over TLS with host names verified, where the node has to prove
 * who it is.
 *
 * <p>Not thread-safe.
 */
final class NodeRing {
  private final List<NodeAddress> nodes;
  private final boolean followUnlisted;
  private int index;
  private int asked;
  private NodeAddress hinted;

  NodeRing(List<NodeAddress> nodes, boolean followUnlisted) {
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("no node is given");
    }
    this.nodes = List.copyOf(nodes);
    this.followUnlisted = followUnlisted;
  }

  int size() {
    return nodes.size();
  }

  NodeAddress current() {
    return hinted != null ? hinted : nodes.get(index);
  }

  /**
   * A node of the list other than the current one, another one each time; empty if there is none.
   */
  Optional<NodeAddress> another() {
    for (int step = 0; step < nodes.size(); step++) {
      asked = (asked + 1) % nodes.size();
      if (!nodes.get(asked).equals(current())) {
        return Optional.of(nodes.get(asked));
      }
    }
    return Optional.empty();
  }

  /** Moves on. */
  void next() {
    if (hinted == null) {
      index = (index + 1) % nodes.size();
    }
    hinted = null;
  }

  /**
   * Moves to the address in {@code hint}, or on, if that can't be followed or leads nowhere new.
   */
  void follow(String hint) {
    NodeAddress before = current();
    next();
    NodeAddress address = parsed(hint);
    if (address == null || address.equals(before)) {
      return;
    }
    int listed = nodes.indexOf(address);
    if (listed >= 0) {
      index = listed;
    } else if (followUnlisted) {
      hinted = address;
    }
  }

  private static NodeAddress parsed(String hint) {
    try {
      return NodeAddress.parse(hint);
    } catch (IllegalArgumentException e) {
      // A node that does not know the leader's address properly is as good as one that has no hint.
      return null;
    }
  }

  @Override
  public String toString() {
    return nodes.toString();
  }
}
