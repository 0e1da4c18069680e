// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.endpoint.TransportMove;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** When an endpoint with failover moved, and to which transport. Any thread may add and read. */
final class Moves {
    /**
     * One.
     *
     * @param atMillis on the clock of the conversation
     * @param to where to
     * @param reason the endpoint's
     */
    record Move(long atMillis, Transport to, String reason) {
        String word() {
            return to + "@" + atMillis + " " + reason.replaceAll("[\\s|]+", " ");
        }

        static Move ofWord(String word) {
            int at = word.indexOf('@');
            int end = word.indexOf(' ', at);
            return new Move(
                    Long.parseLong(word.substring(at + 1, end)),
                    Transport.valueOf(word.substring(0, at)),
                    word.substring(end + 1));
        }
    }

    /** Not the event itself, which refers to its endpoint and would keep it reachable. */
    private record Seen(long nanoTime, Transport to, String reason) {}

    private final List<Seen> seen = new ArrayList<>();

    synchronized void add(TransportMove move) {
        seen.add(new Seen(System.nanoTime(), move.to(), move.reason()));
    }

    /** @param begun of the clock, as {@link System#nanoTime} had it */
    synchronized List<Move> since(long begun) {
        return seen.stream()
                .map(one -> new Move((one.nanoTime() - begun) / 1_000_000, one.to(), one.reason()))
                .toList();
    }

    /** {@return when the first move to TCP was, from a moment on} */
    static OptionalLong toTcp(List<Move> moves, long sinceMillis) {
        return moves.stream()
                .filter(move -> move.to() == Transport.TCP && move.atMillis() >= sinceMillis)
                .mapToLong(Move::atMillis)
                .min();
    }
}
