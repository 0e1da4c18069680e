// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.bindings;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;

/**
 * The memory layout of a struct or union.
 *
 * @param title the Java class, as a person would name it
 * @param cType the type in C's words
 * @param size in bytes
 * @param alignment in bytes
 * @param fields where each field lies, including the fields of unnamed members
 */
record TypeFacts(String title, String cType, long size, long alignment, SortedMap<String, Extent> fields) {

    /** A field's place, in bytes from the beginning of its struct. */
    record Extent(long offset, long size) {}

    /** Where a later rdma-core may have more in a struct than the one that the bindings are made from. */
    enum Growth {
        NONE,
        AT_THE_END,
        AT_THE_BEGINNING
    }

    /**
     * Compares with the C compiler's facts.
     *
     * @param c the compiler's view of the same type
     * @param growth whether the compiler may see a later, longer version of the type
     * @return one sentence for each difference
     */
    List<String> differencesFrom(TypeFacts c, Growth growth) {
        List<String> differences = new ArrayList<>();
        long grownBy = growth == Growth.NONE ? 0 : Math.max(0, c.size - size);
        compare("size", size + grownBy, c.size, differences);
        compare("alignment", alignment, c.alignment, differences);
        long shift = growth == Growth.AT_THE_BEGINNING ? grownBy : 0;
        fields.forEach((name, ours) -> {
            Extent theirs = c.fields.get(name);
            compare(name, new Extent(ours.offset + shift, ours.size), theirs, differences);
        });
        return differences;
    }

    private void compare(String what, Object ours, Object theirs, List<String> differences) {
        if (!Objects.equals(ours, theirs)) {
            differences.add("%s, %s: the bindings have %s, the C compiler %s".formatted(title, what, ours, theirs));
        }
    }
}
