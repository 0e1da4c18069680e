// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * What a test asks of the kernel that seems to have an mlx5 adapter ({@code src/test/c/mlx5-kernel}); in a JVM that was
 * started on it.
 */
public final class Mlx5StandIn {
    /** The device that is there. */
    public static final String DEVICE = "mlx5_0";

    private static final SymbolLookup LIBRARY =
            SymbolLookup.libraryLookup(Path.of(System.getenv("LD_PRELOAD")), Arena.global());
    private static final MethodHandle PAIR = function("standin_pair", ADDRESS);
    private static final MethodHandle QUEUE = function("standin_queue", ADDRESS);
    private static final MethodHandle COMPLETE = function("standin_complete", ADDRESS);
    private static final MethodHandle EVENT = Linker.nativeLinker()
            .downcallHandle(LIBRARY.findOrThrow("standin_event"), FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

    private static final MethodHandle OBJECTS = Linker.nativeLinker()
            .downcallHandle(LIBRARY.findOrThrow("standin_objects"), FunctionDescriptor.of(JAVA_INT));

    private static final MethodHandle REFUSE_IOCTLS = Linker.nativeLinker()
            .downcallHandle(LIBRARY.findOrThrow("standin_refuse_ioctls"), FunctionDescriptor.ofVoid(JAVA_INT));

    private static final MethodHandle SET = Linker.nativeLinker()
            .downcallHandle(LIBRARY.findOrThrow("standin_set"), FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));

    private static final int PAIR_WORDS = 10;
    private static final int QUEUE_WORDS = 6;

    private Mlx5StandIn() {}

    /**
     * Where libmlx5 keeps the rings of a queue pair.
     *
     * @param sends the send queue's blocks
     * @param receives the receive queue's elements
     * @param receiveBytes of an element
     * @param doorbell both counters
     * @param register both halves
     * @param number of the queue pair
     * @param userIndex by which libmlx5 knows it in completions
     * @param flags that the kernel was asked for it with, {@code MLX5_QP_FLAG_…}
     */
    record Pair(
            MemorySegment sends,
            MemorySegment receives,
            int receiveBytes,
            MemorySegment doorbell,
            MemorySegment register,
            int number,
            int userIndex,
            int flags) {}

    /**
     * Where libmlx5 keeps a completion queue.
     *
     * @param entries all of them
     * @param entryBytes of one
     * @param doorbell the consumer's index, and the arming
     * @param arming the register for it
     */
    record Queue(MemorySegment entries, int entryBytes, MemorySegment doorbell, MemorySegment arming) {}

    private static MethodHandle function(String name, MemoryLayout second) {
        return Linker.nativeLinker()
                .downcallHandle(LIBRARY.findOrThrow(name), FunctionDescriptor.of(JAVA_INT, JAVA_LONG, second));
    }

    private static void call(MethodHandle function, long handle, MemorySegment memory) {
        try {
            if ((int) function.invokeExact(handle, memory) == 0) {
                throw new AssertionError("the stand-in knows no object 0x%x".formatted(handle));
            }
        } catch (Error | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    static Pair of(QueuePair pair) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment told = arena.allocate(JAVA_LONG, PAIR_WORDS);
            call(PAIR, pair.handle(), told);
            long[] words = told.toArray(JAVA_LONG);
            int receiveBytes = 1 << words[4];
            return new Pair(
                    at(words[0], words[1] * 64),
                    at(words[2], words[3] * receiveBytes),
                    receiveBytes,
                    at(words[5], 8),
                    at(words[6], 512),
                    (int) words[7],
                    (int) words[8],
                    (int) words[9]);
        }
    }

    static Queue of(CompletionQueue queue) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment told = arena.allocate(JAVA_LONG, QUEUE_WORDS);
            call(QUEUE, queue.handle(), told);
            long[] words = told.toArray(JAVA_LONG);
            return new Queue(at(words[0], words[1] * words[2]), (int) words[2], at(words[3], 8), at(words[5], 8));
        }
    }

    /**
     * Writes a completion as the adapter does.
     *
     * @param queue where
     * @param entry all its bytes; the bit that says whose it is need not be right
     */
    static void complete(CompletionQueue queue, byte[] entry) {
        try (Arena arena = Arena.ofConfined()) {
            call(COMPLETE, queue.handle(), arena.allocateFrom(JAVA_BYTE, entry));
        }
    }

    /** Makes an event in the queue's channel. */
    static void event(CompletionQueue queue) {
        try {
            if ((int) EVENT.invokeExact(queue.handle()) == 0) {
                throw new AssertionError("the stand-in has no channel of " + queue);
            }
        } catch (Error | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** {@return how many objects the kernel has} */
    public static int objects() {
        try {
            return (int) OBJECTS.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Chooses how the kernel refuses commands that are ioctls.
     *
     * @param errno ENOTTY if nobody has chosen
     */
    static void refuseIoctls(int errno) {
        try {
            REFUSE_IOCTLS.invokeExact(errno);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Gives one of the stand-in's settings another value.
     *
     * @param name of the environment variable, behind {@code RDMA4J_MLX5_}
     * @param value a number
     */
    public static void set(String name, int value) {
        try (Arena arena = Arena.ofConfined()) {
            SET.invokeExact(arena.allocateFrom("RDMA4J_MLX5_" + name), arena.allocateFrom(Integer.toString(value)));
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
