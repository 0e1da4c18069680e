// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Converts bit masks of verbs.h to sets of enum constants; unknown bits are left out. */
public final class Flags {
    private Flags() {}

    /**
     * Returns the constants whose bits are all set.
     *
     * @param type the enum
     * @param bit the bit of a constant
     * @param mask the mask from the library
     */
    public static <E extends Enum<E>> Set<E> of(Class<E> type, ToLongFunction<E> bit, long mask) {
        EnumSet<E> set = EnumSet.noneOf(type);
        for (E constant : type.getEnumConstants()) {
            long wanted = bit.applyAsLong(constant);
            if ((mask & wanted) == wanted) {
                set.add(constant);
            }
        }
        return Collections.unmodifiableSet(set);
    }

    /** Returns the mask of a set. */
    public static <E extends Enum<E>> long mask(Iterable<E> set, ToLongFunction<E> bit) {
        long mask = 0;
        for (E constant : set) {
            mask |= bit.applyAsLong(constant);
        }
        return mask;
    }
}
