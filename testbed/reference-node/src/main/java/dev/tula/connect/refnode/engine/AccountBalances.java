package dev.tula.connect.refnode.engine;

/**
 * What is on an account.
 *
 * @param creditsPosted all that was ever credited
 * @param debitsPosted all that was ever debited
 * @param creditsReserved held in its favour
 * @param debitsReserved held against it
 * @param available credits posted less debits posted and held: signed
 * @param state the account's state
 */
public record AccountBalances(
    Amount creditsPosted,
    Amount debitsPosted,
    Amount creditsReserved,
    Amount debitsReserved,
    Amount available,
    EntityState state) {

  /** Whether nothing is on the account, posted or held. */
  public boolean isIdle() {
    return creditsPosted.equals(debitsPosted)
        && creditsReserved.equals(Amount.ZERO)
        && debitsReserved.equals(Amount.ZERO);
  }
}
