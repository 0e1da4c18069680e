// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.CUhostFn;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The one function that the driver calls in this program, and the table of tasks: {@code userData} is the number of the
 * entry. All tasks share one stub, because freeing a stub that the driver still has to call would crash the process.
 */
public final class HostFunctions {
    private record Entry(Object owner, Runnable task) {}

    private static final Map<Long, Entry> ENTRIES = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong(1);
    private static final long ADDRESS = stub();

    /** How long the JVM waits with its end. A function that the driver calls later ends the process by a signal. */
    private static final long PATIENCE_NANOS = 2_000_000_000L;

    private static final long PAUSE_NANOS = 1_000_000;

    static {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(HostFunctions::awaitCalls, "rdma4j-cuda-callbacks"));
        } catch (IllegalStateException e) {
            // The JVM is already shutting down.
        }
    }

    private HostFunctions() {}

    private static void awaitCalls() {
        long start = System.nanoTime();
        while (!ENTRIES.isEmpty() && System.nanoTime() - start < PATIENCE_NANOS) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static long stub() {
        assert CUhostFn.descriptor().argumentLayouts().size() == 1;
        try {
            return Linker.nativeLinker()
                    .upcallStub(
                            MethodHandles.lookup()
                                    .findStatic(
                                            HostFunctions.class, "call", MethodType.methodType(void.class, long.class)),
                            FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG),
                            Arena.global())
                    .address();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Called by a thread of the driver. An exception that leaves it would end the process. */
    private static void call(long id) {
        Entry entry = ENTRIES.get(id);
        if (entry != null) {
            entry.task.run();
            ENTRIES.remove(id);
        }
    }

    /** {@return the address of the function, a {@code CUhostFn}} */
    public static long address() {
        return ADDRESS;
    }

    /**
     * Adds an entry, which is used once.
     *
     * @param owner for {@link #forget}
     * @param task what to do; it throws nothing
     * @return its number, for {@code userData}
     */
    public static long add(Object owner, Runnable task) {
        long id = NEXT.getAndIncrement();
        ENTRIES.put(id, new Entry(owner, task));
        return id;
    }

    /**
     * Removes an entry that the driver does not know.
     *
     * @param id its number
     */
    public static void remove(long id) {
        ENTRIES.remove(id);
    }

    /**
     * Whether entries of a context have not been called yet.
     *
     * @param owner as it was given
     * @return whether there are such
     */
    public static boolean isAwaitedBy(Object owner) {
        return ENTRIES.values().stream().anyMatch(entry -> entry.owner == owner);
    }

    /**
     * Removes the entries of a context that is destroyed, or has failed: such a one never calls them.
     *
     * @param owner as it was given
     */
    public static void forget(Object owner) {
        ENTRIES.values().removeIf(entry -> entry.owner == owner);
    }

    /** {@return how many there are that were not called yet} */
    static int pending() {
        return ENTRIES.size();
    }
}
