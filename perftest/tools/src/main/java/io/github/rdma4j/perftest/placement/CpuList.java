// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.util.BitSet;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A set of CPU numbers, in the syntax of the kernel and the C tools: numbers and ranges, "0-3,8". Sysfs writes lists of
 * NUMA nodes in the same syntax, so this class also reads them. Immutable.
 */
public final class CpuList {
    /** No kernel is built for more. */
    static final int MOST = 8192;

    /** No CPU at all. */
    public static final CpuList NONE = new CpuList(new BitSet());

    private static final Pattern PART = Pattern.compile("\\s*(\\d{1,9})(?:\\s*-\\s*(\\d{1,9}))?\\s*");

    private final BitSet numbers;

    private CpuList(BitSet numbers) {
        this.numbers = numbers;
    }

    /**
     * Reads a list, into a set of at most {@value #MOST} numbers.
     *
     * @param text numbers and ranges, ascending or not, separated by commas; empty for none
     * @throws IllegalArgumentException when it is something else; the message names the part that cannot be read
     */
    public static CpuList parse(String text) {
        BitSet numbers = new BitSet();
        if (text.isBlank()) {
            return NONE;
        }
        for (String part : text.split(",", -1)) {
            Matcher matcher = PART.matcher(part);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("'" + part.strip() + "' is no number and no range like 0-3");
            }
            int first = Integer.parseInt(matcher.group(1));
            int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
            if (last < first) {
                throw new IllegalArgumentException("the range '" + part.strip() + "' ends before it begins");
            }
            if (last >= MOST) {
                throw new IllegalArgumentException(last + " is more than a kernel can count, " + (MOST - 1));
            }
            numbers.set(first, last + 1);
        }
        return new CpuList(numbers);
    }

    /** Returns the set with one number. */
    public static CpuList of(int number) {
        BitSet numbers = new BitSet();
        numbers.set(Objects.checkIndex(number, MOST));
        return new CpuList(numbers);
    }

    /** Returns whether it contains none. */
    public boolean isEmpty() {
        return numbers.isEmpty();
    }

    /** Returns how many numbers there are. */
    public int size() {
        return numbers.cardinality();
    }

    /** Returns whether the number is among them. */
    public boolean contains(int number) {
        return number >= 0 && numbers.get(number);
    }

    /** Returns the lowest number; -1 when there is none. */
    public int first() {
        return numbers.nextSetBit(0);
    }

    /** The numbers in ascending order. */
    public int[] toArray() {
        return numbers.stream().toArray();
    }

    /** Returns the numbers that are in both. */
    public CpuList and(CpuList other) {
        BitSet both = (BitSet) numbers.clone();
        both.and(other.numbers);
        return new CpuList(both);
    }

    /** Returns the numbers that are not in the other. */
    public CpuList without(CpuList other) {
        BitSet rest = (BitSet) numbers.clone();
        rest.andNot(other.numbers);
        return new CpuList(rest);
    }

    /** Returns a mask for system calls, in which bit n % 64 of word n / 64 represents CPU n; empty for an empty set. */
    long[] toMask() {
        return numbers.toLongArray();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CpuList list && numbers.equals(list.numbers);
    }

    @Override
    public int hashCode() {
        return numbers.hashCode();
    }

    /** Returns the kernel's syntax: "0-3,8". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int first = numbers.nextSetBit(0); first >= 0; ) {
            int last = numbers.nextClearBit(first) - 1;
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (last > first) {
                text.append('-').append(last);
            }
            first = numbers.nextSetBit(last + 1);
        }
        return text.toString();
    }
}
