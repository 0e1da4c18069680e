// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Asks libcufile or libnccl for its version, and opens cuFile's driver: steps 7 and 8 of scripts/gpu-evidence. The
 * library has no API for them, so this calls them itself.
 */
final class EvidenceLibrary {
    /** CUfileError_t: what cuFile says, and what CUDA says. */
    private static final MemoryLayout CUFILE_ERROR =
            MemoryLayout.structLayout(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);

    private EvidenceLibrary() {}

    public static void main(String[] arguments) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup symbols = SymbolLookup.libraryLookup(Path.of(arguments[0]), arena);
            System.exit(arguments[1].equals("cufile") ? cuFile(symbols, arena) : nccl(symbols, arena));
        }
    }

    private static int nccl(SymbolLookup symbols, Arena arena) throws Throwable {
        MemorySegment version = arena.allocate(ValueLayout.JAVA_INT);
        int result = (int) Linker.nativeLinker()
                .downcallHandle(
                        symbols.findOrThrow("ncclGetVersion"),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS))
                .invoke(version);
        System.out.printf("ncclGetVersion: result %d, version %d%n", result, version.get(ValueLayout.JAVA_INT, 0));
        return result == 0 ? 0 : 1;
    }

    private static int cuFile(SymbolLookup symbols, Arena arena) throws Throwable {
        MemorySegment result = (MemorySegment) Linker.nativeLinker()
                .downcallHandle(symbols.findOrThrow("cuFileDriverOpen"), FunctionDescriptor.of(CUFILE_ERROR))
                .invoke((SegmentAllocator) arena);
        int error = result.get(ValueLayout.JAVA_INT, 0);
        System.out.printf(
                "cuFileDriverOpen: %s (cuFile %d, CUDA %d)%n",
                error == 0 ? "works" : "refused", error, result.get(ValueLayout.JAVA_INT, 4));
        // A refusal is an answer: nothing of rdma4j depends on it.
        return 0;
    }
}
