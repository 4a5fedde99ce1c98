package dev.tula.connect.refnode.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The open reservations, by identity and by number. The numbering depends only on the order of
 * additions and removals, so that a replayed history leads to the same one. Not thread-safe.
 */
final class Reservations {
  private final Map<Identity, Reservation> byIdentity = new HashMap<>();
  private final List<Reservation> list = new ArrayList<>();

  int size() {
    return list.size();
  }

  Reservation get(int number) {
    return list.get(number);
  }

  Reservation find(Identity identity) {
    return byIdentity.get(identity);
  }

  void add(Identity identity, Reservation reservation) {
    reservation.listIndex(list.size());
    list.add(reservation);
    byIdentity.put(identity, reservation);
  }

  void remove(Identity identity) {
    Reservation removed = byIdentity.remove(identity);
    Reservation last = list.remove(list.size() - 1);
    if (last != removed) {
      last.listIndex(removed.listIndex());
      list.set(removed.listIndex(), last);
    }
  }
}
