// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Asks libnccl for its version: step 8 of scripts/gpu-evidence. The library has no API for it, so this calls it itself.
 */
final class EvidenceLibrary {
    private EvidenceLibrary() {}

    public static void main(String[] arguments) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup symbols = SymbolLookup.libraryLookup(Path.of(arguments[0]), arena);
            System.exit(nccl(symbols, arena));
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
}
