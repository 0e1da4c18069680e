// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.NativeTrace;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/** Which library drives a device: whose rings they are is known by the functions that would serve them. */
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
            // Of a line that is not understood, too: whoever asks has made the queue, and would lose it.
            throw new RingRefusal("/proc/self/maps, by which pointers are checked, cannot be read: " + e);
        }
    }

    /**
     * The name of the file that all functions of the hot path are of.
     *
     * @param functions now: a program that watches or disturbs calls may have put others there
     * @return the name; empty if they are of none
     * @throws RingRefusal if they are of several
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
     * Whether a pointer in a structure that a provider has made is one of its functions. Not every provider fills in
     * what it does not have, or clears the memory before.
     *
     * @param pointer that would be called
     * @param known a function of the same provider
     * @return whether both are code of one file; where the kernel does not tell, whether there is a pointer
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
     * Whether a function is a library's: nobody who watches or disturbs calls has put another one there.
     *
     * @param library how the name of its file begins
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
