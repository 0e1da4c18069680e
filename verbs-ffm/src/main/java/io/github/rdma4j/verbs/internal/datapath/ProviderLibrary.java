// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.internal.NativeTrace;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Which library drives a device: whose rings they are is known by the functions that would serve them. */
final class ProviderLibrary {
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

    private static String file(MemoryMap map, MemorySegment function) {
        return map.region(function.address(), 1)
                .filter(region -> region.path().startsWith("/"))
                .map(region -> Path.of(region.path()).getFileName().toString())
                .orElse("");
    }
}
