// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Finds the owner of a queue pair by its number, without allocation: a hash table with open addressing and linear
 * probing.
 */
final class MemberTable<T> {
    private static final int LEAST = 16;
    /** Spreads consecutive numbers, and numbers that differ by a power of two. */
    private static final int SPREAD = 0x9e3779b9;

    private int[] numbers = new int[LEAST];
    private Object[] owners = new Object[LEAST];
    private int size;

    int size() {
        return size;
    }

    private int start(int number) {
        return number * SPREAD >>> Integer.numberOfLeadingZeros(owners.length - 1);
    }

    private int find(int number) {
        int at = start(number);
        while (owners[at] != null && numbers[at] != number) {
            at = at + 1 & owners.length - 1;
        }
        return at;
    }

    /** {@return the owner; null if there is none} */
    @SuppressWarnings("unchecked")
    T get(int number) {
        return (T) owners[find(number)];
    }

    /** Calls an action with each owner. */
    @SuppressWarnings("unchecked")
    void forEach(Consumer<T> action) {
        for (Object owner : owners) {
            if (owner != null) {
                action.accept((T) owner);
            }
        }
    }

    /** Adds a number that is not in the table. */
    void put(int number, T owner) {
        if (2 * (size + 1) > owners.length) {
            grow();
        }
        int at = find(number);
        if (owners[at] != null) {
            throw new AssertionError("queue pair 0x%06x is there already".formatted(number));
        }
        numbers[at] = number;
        owners[at] = owner;
        size++;
    }

    private void grow() {
        int[] oldNumbers = numbers;
        Object[] oldOwners = owners;
        numbers = Arrays.copyOf(numbers, 2 * numbers.length);
        owners = new Object[numbers.length];
        for (int i = 0; i < oldOwners.length; i++) {
            if (oldOwners[i] != null) {
                int at = find(oldNumbers[i]);
                numbers[at] = oldNumbers[i];
                owners[at] = oldOwners[i];
            }
        }
    }

    /**
     * Removes a number. Returns false if it is not in the table, or belongs to another owner. Entries behind it move
     * up, so that probing still finds them.
     */
    boolean remove(int number, T owner) {
        int hole = find(number);
        if (owners[hole] != owner) {
            return false;
        }
        size--;
        int next = hole;
        while (true) {
            owners[hole] = null;
            do {
                next = next + 1 & owners.length - 1;
                if (owners[next] == null) {
                    return true;
                }
            } while (isBetween(hole, start(numbers[next]), next));
            numbers[hole] = numbers[next];
            owners[hole] = owners[next];
            hole = next;
        }
    }

    /** Whether an index lies behind the hole and not behind the end, with wrap-around. */
    private static boolean isBetween(int hole, int place, int end) {
        return hole <= end ? hole < place && place <= end : hole < place || place <= end;
    }
}
