// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Checks that a function pointer belongs to the library that drives a device. */
public final class ProviderLibrary {
    private ProviderLibrary() {}

    /**
     * Returns whether a pointer in a provider's structure is one of its functions. Some providers neither set the
     * pointers of missing functions nor clear the memory before.
     *
     * @param pointer the pointer
     * @param known a function of the same provider
     * @return whether both are code of one file; if the kernel does not report that, whether the pointer is not null
     */
    public static boolean hasFunction(MemorySegment pointer, MemorySegment known) {
        if (pointer.address() == 0) {
            return false;
        }
        try {
            MemoryMap map = MemoryMap.read();
            return code(map, pointer)
                    .filter(code(map, known).orElse("")::equals)
                    .isPresent();
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }

    private static Optional<String> code(MemoryMap map, MemorySegment pointer) {
        return map.region(pointer.address(), 1)
                .filter(region -> region.access().startsWith("x", 2))
                .map(MemoryMap.Region::path);
    }
}
