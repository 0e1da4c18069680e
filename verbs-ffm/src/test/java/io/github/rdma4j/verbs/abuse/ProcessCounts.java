// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.abuse;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The resources of this process that no garbage collector frees.
 *
 * @param fileDescriptors open now, by what they are
 * @param nativeBytes allocated by malloc and not freed, the JVM's own among them
 * @param rdmaResources by kind, as {@code rdma resource} counts them on all devices
 */
record ProcessCounts(Map<String, Integer> fileDescriptors, long nativeBytes, Map<String, Integer> rdmaResources) {
    /** {@code struct mallinfo2}: ten numbers, of which the eighth is the bytes in use. */
    private static final StructLayout MALLOC_STATISTICS =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10, JAVA_LONG));

    private static final long BYTES_IN_USE = 7 * Long.BYTES;
    /** The second number, of memory that malloc took by mmap, is the sixth. */
    private static final long BYTES_MAPPED = 5 * Long.BYTES;

    private static final MethodHandle MALLINFO2 = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("mallinfo2"),
                    FunctionDescriptor.of(MALLOC_STATISTICS));
    private static final Pattern RESOURCE = Pattern.compile("(pd|cq|qp|cm_id|mr|ctx|srq) (\\d+)");

    /** {@return the counts now, behind a garbage collection} */
    static ProcessCounts now() {
        System.gc();
        return new ProcessCounts(openFileDescriptors(), bytesInUse(), resources());
    }

    private static Map<String, Integer> openFileDescriptors() {
        Map<String, Integer> counts = new TreeMap<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            for (Path file : files.toList()) {
                try {
                    counts.merge(Files.readSymbolicLink(file).toString().replaceAll(":\\[\\d+]", ""), 1, Integer::sum);
                } catch (NoSuchFileException e) {
                    // The one that the listing itself used.
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return counts;
    }

    private static long bytesInUse() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statistics = (MemorySegment) MALLINFO2.invokeExact((SegmentAllocator) arena);
            return statistics.get(JAVA_LONG, BYTES_IN_USE) + statistics.get(JAVA_LONG, BYTES_MAPPED);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static Map<String, Integer> resources() {
        Map<String, Integer> counts = new TreeMap<>();
        try {
            Process rdma = new ProcessBuilder("rdma", "resource")
                    .redirectErrorStream(true)
                    .start();
            String output = new String(rdma.getInputStream().readAllBytes());
            if (rdma.waitFor() != 0) {
                throw new AssertionError("rdma resource: " + output);
            }
            Matcher matcher = RESOURCE.matcher(output);
            while (matcher.find()) {
                counts.merge(matcher.group(1), Integer.parseInt(matcher.group(2)), Integer::sum);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
        return counts;
    }
}
