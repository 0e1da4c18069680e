// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/** A function that a library exports, looked up when it is first called, and called by {@link ColdCalls}. */
final class ExportedFunction {
    private final String library;
    private final String symbol;
    /** The version of rdma-core that introduced it; 0 if the oldest supported version has it. */
    private final int version;
    /** Null before the first call. */
    private MemorySegment address;

    /**
     * Creates a function.
     *
     * @param library as {@link NativeLibraries} names it
     * @param symbol its name there
     */
    ExportedFunction(String library, String symbol) {
        this(library, symbol, 0);
    }

    /**
     * Creates a function that only later versions of rdma-core have.
     *
     * @param library as {@link NativeLibraries} names it
     * @param symbol its name there
     * @param version the version of rdma-core that introduced it
     */
    ExportedFunction(String library, String symbol, int version) {
        this.library = library;
        this.symbol = symbol;
        this.version = version;
    }

    /** Returns whether the installed library has it. */
    boolean isPresent() {
        return address != null || NativeLibraries.find(library, symbol).isPresent();
    }

    String symbol() {
        return symbol;
    }

    int version() {
        return version;
    }

    /** Calls it by {@link ColdCalls#pointer}. */
    MemorySegment pointer(MemorySegment... arguments) {
        return ColdCalls.pointer(address(), arguments);
    }

    /** Calls it by {@link ColdCalls#number}. */
    int number(MemorySegment... arguments) {
        return ColdCalls.number(address(), arguments);
    }

    /** Calls it by {@link ColdCalls#call}. */
    long call(MemorySegment... arguments) {
        return ColdCalls.call(address(), arguments);
    }

    /** Returns the address. Two threads may look it up at once, and find the same. A segment's fields are final. */
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
