// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.CUhostFn;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * The function that the driver calls in this program, and the table of tasks: {@code userData} is the number of the
 * entry. All tasks share one stub, because freeing a stub that the driver still has to call would crash the process.
 */
public final class HostFunctions {
    private record Entry(Object owner, Runnable task) {}

    private static final Map<Long, Entry> ENTRIES = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong(1);
    /** Open contexts that have had entries. */
    private static final Set<Object> OWNERS = ConcurrentHashMap.newKeySet();

    private static final LongConsumer CALL = HostFunctions::call;
    private static final long ADDRESS = stub();

    /** How long the JVM delays its exit. A function that the driver calls after that ends the process with a signal. */
    private static final long EXIT_DELAY_NANOS = 2_000_000_000L;

    private static final long PAUSE_NANOS = 1_000_000;

    /** Keeps the loader of this class from being unloaded while the driver may call; otherwise null. */
    private static Thread hook;

    private HostFunctions() {}

    private static synchronized void addHook() {
        if (hook != null) {
            return;
        }
        Thread added = new Thread(HostFunctions::awaitCalls, "rdma4j-cuda-callbacks");
        try {
            Runtime.getRuntime().addShutdownHook(added);
            hook = added;
        } catch (IllegalStateException e) {
            // The JVM is already shutting down.
        }
    }

    private static synchronized void removeHook() {
        if (hook == null || !OWNERS.isEmpty() || !ENTRIES.isEmpty()) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
            hook = null;
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook is running.
        }
    }

    private static void awaitCalls() {
        long start = System.nanoTime();
        while (!ENTRIES.isEmpty() && System.nanoTime() - start < EXIT_DELAY_NANOS) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /**
     * The stub lives as long as the process, and so does its target. The target consists of the JDK's own handles, and
     * refers to this class by a weak reference, so that the loader of this class can be unloaded.
     */
    private static long stub() {
        assert CUhostFn.descriptor().argumentLayouts().size() == 1;
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodType signature = MethodType.methodType(void.class, LongConsumer.class, long.class);
        try {
            MethodHandle consumer = lookup.findVirtual(Reference.class, "get", MethodType.methodType(Object.class))
                    .bindTo(new WeakReference<>(CALL))
                    .asType(MethodType.methodType(LongConsumer.class));
            MethodHandle isGone = lookup.findStatic(
                            Objects.class, "isNull", MethodType.methodType(boolean.class, Object.class))
                    .asType(MethodType.methodType(boolean.class, LongConsumer.class));
            MethodHandle accept =
                    lookup.findVirtual(LongConsumer.class, "accept", MethodType.methodType(void.class, long.class));
            MethodHandle target = MethodHandles.foldArguments(
                    MethodHandles.guardWithTest(isGone, MethodHandles.empty(signature), accept), consumer);
            return Linker.nativeLinker()
                    .upcallStub(target, FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG), Arena.global())
                    .address();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Called by a thread of the driver. An exception would end the process. */
    private static void call(long id) {
        Entry entry = ENTRIES.get(id);
        if (entry != null) {
            entry.task.run();
            ENTRIES.remove(id);
            if (OWNERS.isEmpty()) {
                removeHook();
            }
        }
    }

    /** {@return the address of the function, a {@code CUhostFn}} */
    public static long address() {
        return ADDRESS;
    }

    /**
     * Adds an entry, which is used once.
     *
     * @param owner for {@link #forget} and {@link #closed}
     * @param task the task, which must not throw
     * @return its number, for {@code userData}
     */
    public static long add(Object owner, Runnable task) {
        if (OWNERS.add(owner)) {
            addHook();
        }
        long id = NEXT.getAndIncrement();
        ENTRIES.put(id, new Entry(owner, task));
        return id;
    }

    /**
     * Removes an entry that was not passed to the driver.
     *
     * @param id its number
     */
    public static void remove(long id) {
        ENTRIES.remove(id);
    }

    /**
     * Returns whether entries of a context have not been called yet.
     *
     * @param owner the owner that was passed to {@link #add}
     * @return whether there are such entries
     */
    public static boolean hasPending(Object owner) {
        return ENTRIES.values().stream().anyMatch(entry -> entry.owner == owner);
    }

    /**
     * Removes the entries of a context that was destroyed or has failed: such a context never calls them.
     *
     * @param owner the owner that was passed to {@link #add}
     */
    public static void forget(Object owner) {
        ENTRIES.values().removeIf(entry -> entry.owner == owner);
    }

    /**
     * Records that a context is closed. Its entries stay: they may still be called if others use the primary context.
     *
     * @param owner the owner that was passed to {@link #add}
     */
    public static void closed(Object owner) {
        if (OWNERS.remove(owner)) {
            removeHook();
        }
    }

    /** {@return how many entries have not been called yet} */
    static int pending() {
        return ENTRIES.size();
    }
}
