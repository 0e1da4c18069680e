// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import java.util.ArrayList;
import java.util.List;

/**
 * The rounds of a round-robin tournament, by the circle method: each pair meets once, and each host is in at most one
 * pair of a round.
 */
final class Rounds {
    private Rounds() {}

    /**
     * Two hosts.
     *
     * @param a the lower number
     * @param b the higher number
     */
    record Pair(int a, int b) {
        static Pair of(int one, int other) {
            return new Pair(Math.min(one, other), Math.max(one, other));
        }
    }

    /**
     * Returns the rounds.
     *
     * @param hosts the numbers of the hosts
     */
    static List<List<Pair>> of(List<Integer> hosts) {
        List<Integer> circle = new ArrayList<>(hosts);
        if (circle.size() % 2 == 1) {
            // The partner of the host that is idle in a round.
            circle.add(null);
        }
        List<List<Pair>> rounds = new ArrayList<>();
        for (int round = 1; round < circle.size(); round++) {
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < circle.size() / 2; i++) {
                Integer one = circle.get(i);
                Integer other = circle.get(circle.size() - 1 - i);
                if (one != null && other != null) {
                    pairs.add(Pair.of(one, other));
                }
            }
            rounds.add(pairs);
            circle.add(1, circle.removeLast());
        }
        return rounds;
    }
}
