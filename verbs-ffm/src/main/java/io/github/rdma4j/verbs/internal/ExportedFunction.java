// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/** A function that a library exports, looked up when it is first called, and called by {@link ColdCalls}. */
final class ExportedFunction {
    private final String library;
    private final String symbol;
    /** The version of rdma-core that brought it; 0 if the oldest one that the library runs on has it. */
    private final int version;
    /** Null before the first call. */
    private MemorySegment address;

    /**
     * A function.
     *
     * @param library as {@link NativeLibraries} names it
     * @param symbol its name there
     */
    ExportedFunction(String library, String symbol) {
        this(library, symbol, 0);
    }

    /**
     * A function that later versions of rdma-core than the oldest one have.
     *
     * @param library as {@link NativeLibraries} names it
     * @param symbol its name there
     * @param version of rdma-core that brought it
     */
    ExportedFunction(String library, String symbol, int version) {
        this.library = library;
        this.symbol = symbol;
        this.version = version;
    }

    /** Whether the installed library has it. */
    boolean isPresent() {
        return address != null || NativeLibraries.find(library, symbol).isPresent();
    }

    String symbol() {
        return symbol;
    }

    int version() {
        return version;
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
            found = NativeLibraries.find(library, symbol).orElseThrow(this::missing);
            address = found;
        }
        return found;
    }

    private RuntimeException missing() {
        return version > 0
                ? LaterVerbs.missing(symbol, version)
                : new IllegalStateException("the installed " + library + " has no " + symbol);
    }
}
