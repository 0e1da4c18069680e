// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

/**
 * The queue pairs that complete into a queue, by their numbers: an open hash table that is at most half full. For one
 * thread at a time.
 */
final class Mlx5Members {
    private static final int SMALLEST = 8;

    private Mlx5SendRing[] table = new Mlx5SendRing[SMALLEST];
    private int count;

    /** {@return the queue pair of a number; null if there is none} */
    Mlx5SendRing find(int number) {
        int mask = table.length - 1;
        for (int place = number & mask; ; place = place + 1 & mask) {
            Mlx5SendRing member = table[place];
            if (member == null || member.number() == number) {
                return member;
            }
        }
    }

    void add(Mlx5SendRing member) {
        if (++count * 2 > table.length) {
            rebuild(table.length * 2, null);
        }
        put(table, member);
    }

    void remove(Mlx5SendRing member) {
        count--;
        rebuild(table.length, member);
    }

    private void rebuild(int length, Mlx5SendRing without) {
        Mlx5SendRing[] old = table;
        table = new Mlx5SendRing[length];
        for (Mlx5SendRing member : old) {
            if (member != null && member != without) {
                put(table, member);
            }
        }
    }

    private static void put(Mlx5SendRing[] table, Mlx5SendRing member) {
        int mask = table.length - 1;
        int place = member.number() & mask;
        while (table[place] != null) {
            place = place + 1 & mask;
        }
        table[place] = member;
    }
}
