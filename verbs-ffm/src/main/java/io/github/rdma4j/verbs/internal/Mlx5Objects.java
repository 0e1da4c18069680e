// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.Arrays;

/**
 * Queries the rings of libmlx5's objects (mlx5dv_init_obj(3)), for programs that read and write them directly. Only for
 * objects of a device whose provider is {@linkplain Mlx5Calls#isProviderOf this library}. The layouts are written by
 * hand, as in {@link Mlx5Calls}, and a test compares them with the C compiler's.
 */
public final class Mlx5Objects {
    static final StructLayout QUEUE_PAIR = MemoryLayout.structLayout(
                    JAVA_LONG.withName("dbrec"),
                    ring("sq"),
                    ring("rq"),
                    MemoryLayout.structLayout(
                                    JAVA_LONG.withName("reg"), JAVA_INT.withName("size"), MemoryLayout.paddingLayout(4))
                            .withName("bf"),
                    JAVA_LONG.withName("comp_mask"),
                    JAVA_LONG.withName("uar_mmap_offset"),
                    JAVA_INT.withName("tirn"),
                    JAVA_INT.withName("tisn"),
                    JAVA_INT.withName("rqn"),
                    JAVA_INT.withName("sqn"),
                    JAVA_LONG.withName("tir_icm_addr"))
            .withName("mlx5dv_qp");

    static final StructLayout COMPLETION_QUEUE = MemoryLayout.structLayout(
                    JAVA_LONG.withName("buf"),
                    JAVA_LONG.withName("dbrec"),
                    JAVA_INT.withName("cqe_cnt"),
                    JAVA_INT.withName("cqe_size"),
                    JAVA_LONG.withName("cq_uar"),
                    JAVA_INT.withName("cqn"),
                    MemoryLayout.paddingLayout(4),
                    JAVA_LONG.withName("comp_mask"))
            .withName("mlx5dv_cq");

    /** For each kind of object, a pointer to it, and a pointer to its description. */
    static final StructLayout OBJECTS = MemoryLayout.structLayout(
                    object("qp"), object("cq"), object("srq"), object("rwq"), object("dm"), object("ah"), object("pd"))
            .withName("mlx5dv_obj");

    /** {@code MLX5DV_OBJ_QP}. */
    static final int IS_QUEUE_PAIR = 1;

    /** {@code MLX5DV_OBJ_CQ}. */
    static final int IS_COMPLETION_QUEUE = 1 << 1;

    private static final ExportedFunction INIT_OBJECT = new ExportedFunction("libmlx5.so.1", "mlx5dv_init_obj");

    private Mlx5Objects() {}

    /**
     * The memory of a ring.
     *
     * @param address the address of its first element
     * @param elements a power of two, or 0 if there is no such ring
     * @param stride the distance between elements in bytes
     */
    public record Ring(long address, int elements, int stride) {}

    /**
     * The memory of a queue pair.
     *
     * @param doorbellRecord two big-endian counters of 32 bits: of receives, of blocks of sends
     * @param sends blocks of 64 bytes, of which a request takes one or more
     * @param receives one element for each receive
     * @param register the register that notifies the adapter of requests
     * @param registerBytes how many bytes of a request fit into the register; 0 if none
     */
    public record QueuePairMemory(long doorbellRecord, Ring sends, Ring receives, long register, int registerBytes) {}

    /**
     * The memory of a completion queue.
     *
     * @param completions of 64 or 128 bytes
     * @param doorbellRecord two big-endian words: the consumer's index and the arming
     * @param page the page of the register that notifies the adapter of arming
     * @param number of the queue, 24 bits
     */
    public record CompletionQueueMemory(Ring completions, long doorbellRecord, long page, int number) {}

    private record Told(StructLayout layout, MemorySegment memory) {
        long address(String... path) {
            return memory.get(JAVA_LONG, offset(layout, path));
        }

        int number(String... path) {
            return memory.get(JAVA_INT, offset(layout, path));
        }

        Ring ring(String name) {
            return new Ring(address(name, "buf"), number(name, "wqe_cnt"), number(name, "stride"));
        }
    }

    private static StructLayout ring(String name) {
        return MemoryLayout.structLayout(
                        JAVA_LONG.withName("buf"), JAVA_INT.withName("wqe_cnt"), JAVA_INT.withName("stride"))
                .withName(name);
    }

    private static StructLayout object(String name) {
        return MemoryLayout.structLayout(JAVA_LONG.withName("in"), JAVA_LONG.withName("out"))
                .withName(name);
    }

    /**
     * Queries the memory of a queue pair.
     *
     * @param queuePair the {@code struct ibv_qp}
     * @return its memory
     * @throws io.github.rdma4j.verbs.VerbsException if the library refuses
     */
    public static QueuePairMemory queuePair(MemorySegment queuePair) {
        try (Arena arena = Arena.ofConfined()) {
            Told told = ask(arena, "qp", IS_QUEUE_PAIR, queuePair, QUEUE_PAIR);
            return new QueuePairMemory(
                    told.address("dbrec"),
                    told.ring("sq"),
                    told.ring("rq"),
                    told.address("bf", "reg"),
                    told.number("bf", "size"));
        }
    }

    /**
     * Queries the memory of a completion queue. From then on the library does not remove completions when a queue pair
     * is destroyed or reset: the caller has taken the queue over.
     *
     * @param queue the {@code struct ibv_cq}
     * @return its memory
     * @throws io.github.rdma4j.verbs.VerbsException if the library refuses
     */
    public static CompletionQueueMemory completionQueue(MemorySegment queue) {
        try (Arena arena = Arena.ofConfined()) {
            Told told = ask(arena, "cq", IS_COMPLETION_QUEUE, queue, COMPLETION_QUEUE);
            return new CompletionQueueMemory(
                    new Ring(told.address("buf"), told.number("cqe_cnt"), told.number("cqe_size")),
                    told.address("dbrec"),
                    told.address("cq_uar"),
                    told.number("cqn"));
        }
    }

    private static Told ask(Arena arena, String kind, int bit, MemorySegment object, StructLayout layout) {
        Told told = new Told(layout, arena.allocate(layout));
        MemorySegment objects = arena.allocate(OBJECTS);
        objects.set(JAVA_LONG, offset(OBJECTS, kind, "in"), object.address());
        objects.set(JAVA_LONG, offset(OBJECTS, kind, "out"), told.memory.address());
        Failures.check("mlx5dv_init_obj(%s)".formatted(kind), INIT_OBJECT.number(objects, ColdCalls.word(bit)));
        return told;
    }

    private static long offset(StructLayout layout, String... path) {
        PathElement[] elements = new PathElement[path.length];
        Arrays.setAll(elements, i -> PathElement.groupElement(path[i]));
        return layout.byteOffset(elements);
    }
}
