// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/** A function that a library exports, looked up when it is first called, and called by {@link ColdCalls}. */
final class ExportedFunction {
    private final String library;
    private final String symbol;
    /** Null before the first call. */
    private MemorySegment address;

    /**
     * A function.
     *
     * @param library as {@link NativeLibraries} names it
     * @param symbol its name there
     */
    ExportedFunction(String library, String symbol) {
        this.library = library;
        this.symbol = symbol;
    }

    String symbol() {
        return symbol;
    }

    /** As {@link ColdCalls#pointer} does it. */
    MemorySegment pointer(MemorySegment... arguments) {
        return ColdCalls.pointer(address(), arguments);
    }

    /** As {@link ColdCalls#number} does it. */
    int number(MemorySegment... arguments) {
        return ColdCalls.number(address(), arguments);
    }

    /** As {@link ColdCalls#call} does it. */
    long call(MemorySegment... arguments) {
        return ColdCalls.call(address(), arguments);
    }

    /** Two threads may look it up at once, and find the same. A segment's fields are final. */
    MemorySegment address() {
        MemorySegment found = address;
        if (found == null) {
            found = NativeLibraries.find(library, symbol)
                    .orElseThrow(() -> new IllegalStateException("the installed " + library + " has no " + symbol));
            address = found;
        }
        return found;
    }
}
