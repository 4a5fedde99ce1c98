package dev.tula.connect.queryport;

import dev.tula.connect.model.wire.Message;

/**
 * Whom a client reads from, as of its last answer.
 *
 * @param node the node
 * @param term the term that it answered in
 * @param role what it said it was when the connection was made
 */
public record Leadership(NodeAddress node, long term, Message.Role role) {}
