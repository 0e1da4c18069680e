// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** A soft limit of this process (setrlimit(2)), which can be set slightly above its usage, and restored. */
final class ResourceLimit {
    private static final int NOFILE = 7;
    private static final int MEMLOCK = 8;
    private static final long PART = 32 << 10;
    private static final MethodHandle GETRLIMIT = handle("getrlimit");
    private static final MethodHandle SETRLIMIT = handle("setrlimit");

    private final int resource;
    private final long used;
    private final long step;
    private final long original;
    private final long hard;

    private ResourceLimit(int resource, long used, long step) {
        this.resource = resource;
        this.used = used;
        this.step = step;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(JAVA_LONG, 2);
            call(GETRLIMIT, resource, pair);
            original = pair.getAtIndex(JAVA_LONG, 0);
            hard = pair.getAtIndex(JAVA_LONG, 1);
        }
    }

    /** @param used how many are open */
    static ResourceLimit files(long used) {
        return new ResourceLimit(NOFILE, used, 1);
    }

    static ResourceLimit lockedMemory() {
        return new ResourceLimit(MEMLOCK, 0, PART);
    }

    /** @param more in addition to the usage of an idle process */
    void set(long more) {
        soft(used + more);
    }

    /** As it was. */
    void release() {
        soft(original);
    }

    /** {@return the next width of a sweep} */
    long next(long more) {
        return more + step;
    }

    private void soft(long value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pair = arena.allocate(JAVA_LONG, 2);
            pair.setAtIndex(JAVA_LONG, 0, value);
            pair.setAtIndex(JAVA_LONG, 1, hard);
            call(SETRLIMIT, resource, pair);
        }
    }

    private static MethodHandle handle(String name) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    }

    private static void call(MethodHandle function, int resource, MemorySegment pair) {
        int result;
        try {
            result = (int) function.invokeExact(resource, pair);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result != 0) {
            throw new IllegalStateException("the limit " + resource + " cannot be set");
        }
    }
}
