// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.NativeTrace;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/** Identifies the library that drives a device, by the functions of its hot path. Rings belong to that library. */
public final class ProviderLibrary {
    private ProviderLibrary() {}

    static void requireNoTrace() throws RingRefusal {
        if (NativeTrace.ON) {
            throw new RingRefusal(
                    "the trace of native calls (%s) is on, and sees no ring".formatted(NativeTrace.PROPERTY));
        }
    }

    static MemoryMap map() throws RingRefusal {
        try {
            return MemoryMap.read();
        } catch (IOException | RuntimeException e) {
            // Also for a line that cannot be parsed: the caller has created the queue, and would leak it.
            throw new RingRefusal("/proc/self/maps, by which pointers are checked, cannot be read: " + e);
        }
    }

    /**
     * Returns the name of the file that contains all functions of the hot path.
     *
     * @param functions the current functions: a tool that observes or disturbs calls may have replaced them
     * @return the name; empty if they are in no file
     * @throws RingRefusal if they are in several files
     */
    static String of(MemoryMap map, ProviderFunctions functions) throws RingRefusal {
        String poll = file(map, functions.pollCompletions());
        for (MemorySegment function :
                new MemorySegment[] {functions.postSend(), functions.postReceive(), functions.postSharedReceive()}) {
            if (!file(map, function).equals(poll)) {
                throw new RingRefusal("not all functions of the device are of " + poll);
            }
        }
        return poll;
    }

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

    /**
     * Returns whether a function belongs to a library, so no tool that observes or disturbs calls has replaced it.
     *
     * @param library the prefix of its file name
     */
    static boolean isOf(String library, MemorySegment function) throws RingRefusal {
        return file(map(), function).startsWith(library);
    }

    private static Optional<String> code(MemoryMap map, MemorySegment pointer) {
        return map.region(pointer.address(), 1)
                .filter(region -> region.access().startsWith("x", 2))
                .map(MemoryMap.Region::path);
    }

    private static String file(MemoryMap map, MemorySegment function) {
        return map.region(function.address(), 1)
                .filter(region -> region.path().startsWith("/"))
                .map(region -> Path.of(region.path()).getFileName().toString())
                .orElse("");
    }
}
