package dev.tula.connect.refnode.engine;

/**
 * A member of the cluster, as the ledger itself records it.
 *
 * @param id the member's id
 * @param address its address, by name
 * @param role {@code leader} or {@code follower}
 * @param term the term in which it has that role
 */
public record ClusterMember(String id, String address, String role, long term) {}
