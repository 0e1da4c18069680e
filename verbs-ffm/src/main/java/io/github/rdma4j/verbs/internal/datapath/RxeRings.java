// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_cq;
import io.github.rdma4j.verbs.bindings.ibv_cq_ex;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_qp_ex;
import io.github.rdma4j.verbs.bindings.ibv_srq;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Finds the rings of SoftRoCE's queues. librxe has mapped them, and stores their addresses in private structures: its
 * {@code struct verbs_qp}, {@code verbs_cq} or {@code verbs_srq} is followed by a {@code struct mminfo} and the
 * pointer, for a queue pair first for the receives and then for the sends. This is not a public interface. So each
 * address is only a guess, for the versions of rdma-core that were checked, and {@link RxeQueue#at} lets the kernel
 * confirm it before it is used; otherwise it throws a {@link RingRefusal}.
 */
public final class RxeRings {
    private static final String LIBRARY = "librxe-rdmav";
    /** The library whose function arms librxe's completion queues, by a command to the kernel. */
    private static final String COMMANDS = "libibverbs.so";

    /** {@code comp_mask} and {@code xrcd} after the queue pair in {@code struct verbs_qp}. */
    private static final long VERBS_QP_REST = 16;
    /** {@code srq_type}, {@code xrcd}, {@code cq} and {@code srq_num} in {@code struct verbs_srq}. */
    private static final long VERBS_SRQ_REST = 32;
    /** The rest of {@code struct rxe_wq}: the pointer, a lock and two sizes. */
    private static final long RXE_WQ_BYTES = 24;
    /** {@code wr_flush} in {@code struct ibv_qp_ex}, since rdma-core 45. */
    private static final long LATER_FUNCTIONS = 8;

    private static final long QUEUE_PAIR = ibv_qp_ex.sizeof() + VERBS_QP_REST;
    private static final long COMPLETION_QUEUE = ibv_cq_ex.sizeof();
    private static final long SHARED_QUEUE = ibv_srq.sizeof() + VERBS_SRQ_REST;

    private final int commandDescriptor;
    private final ProviderFunctions functions;

    /** Finds a ring again; it moves when the length of its queue changes. */
    interface Finder {
        RxeQueue find() throws RingRefusal;
    }

    /**
     * Creates the rings of one device context.
     *
     * @param context the {@code struct ibv_context}
     * @param functions its current functions: a tool that observes or disturbs calls may have replaced them
     * @throws RingRefusal if they are not librxe's
     */
    public RxeRings(MemorySegment context, ProviderFunctions functions) throws RingRefusal {
        this.commandDescriptor = ibv_context.cmd_fd(context);
        this.functions = functions;
        ProviderLibrary.requireNoTrace();
        library(ProviderLibrary.map());
    }

    /** Returns the file that contains all functions of the hot path, if it is librxe. */
    private String library(MemoryMap map) throws RingRefusal {
        String library = ProviderLibrary.of(map, functions);
        if (!library.startsWith(LIBRARY)) {
            throw new RingRefusal(
                    ("the device is driven by %s, and only SoftRoCE's (%s*.so) and libmlx5 have rings that this library"
                                    + " knows")
                            .formatted(library.isEmpty() ? "functions of no file" : library, LIBRARY));
        }
        return library;
    }

    /**
     * Returns the ring of a completion queue.
     *
     * @param queue the {@code struct ibv_cq}
     * @param armFunction the current arming function of the context
     * @return its ring
     * @throws RingRefusal if it was not found
     */
    public CompletionPath completions(MemorySegment queue, MemorySegment armFunction) throws RingRefusal {
        return new RxeCompletionRing(
                () -> find("completion queue", RxeLayout.COMPLETION_BYTES, queue.address() + COMPLETION_QUEUE),
                commandDescriptor,
                ibv_cq.handle(queue),
                ProviderLibrary.isOf(COMMANDS, armFunction));
    }

    /**
     * Returns the ring of a queue pair's sends.
     *
     * @param queuePair the {@code struct ibv_qp}
     * @param arena an arena that is closed when no thread can be posting
     * @param maxEntries the maximum number of entries of a request
     * @param maxInlineData the maximum number of bytes of inline data
     * @param datagrams the path of a datagram with an address handle whose number is not known yet; null for a queue
     *     pair that is connected
     * @return its ring
     * @throws RingRefusal if it was not found
     */
    public SendPath sends(
            MemorySegment queuePair, Arena arena, int maxEntries, int maxInlineData, SendFunctions datagrams)
            throws RingRefusal {
        long data = Math.max(maxEntries * RxeLayout.ENTRY_BYTES, maxInlineData);
        long place = queuePair.address() + QUEUE_PAIR + RxeLayout.MAPPING_BYTES + RXE_WQ_BYTES;
        RxeQueue queue = find("send queue", RxeLayout.SEND_BYTES + data, place, place + LATER_FUNCTIONS);
        RxeDoorbell doorbell = new RxeDoorbell(arena, commandDescriptor, queuePair);
        return datagrams == null
                ? new RxeSendRing(queue, doorbell, false)
                : new RxeDatagramRing(new RxeSendRing(queue, doorbell, true), datagrams);
    }

    /**
     * Returns the ring of a queue pair's receives.
     *
     * @param queuePair the {@code struct ibv_qp}
     * @param maxEntries the maximum number of entries of a receive
     * @return its ring
     * @throws RingRefusal if it was not found
     */
    public ReceivePath receives(MemorySegment queuePair, int maxEntries) throws RingRefusal {
        long place = queuePair.address() + QUEUE_PAIR;
        return new RxeReceiveRing(
                () -> find("receive queue", receiveBytes(maxEntries), place, place + LATER_FUNCTIONS),
                queuePair.address() + ibv_qp.state$offset());
    }

    /**
     * Returns the ring of a shared receive queue.
     *
     * @param queue the {@code struct ibv_srq}
     * @param maxEntries the maximum number of entries of a receive
     * @return its ring
     * @throws RingRefusal if it was not found
     */
    public ReceivePath sharedReceives(MemorySegment queue, int maxEntries) throws RingRefusal {
        return new RxeReceiveRing(
                () -> find("shared receive queue", receiveBytes(maxEntries), queue.address() + SHARED_QUEUE), 0);
    }

    private static long receiveBytes(int maxEntries) {
        return RxeLayout.RECEIVE_BYTES + maxEntries * RxeLayout.ENTRY_BYTES;
    }

    private RxeQueue find(String what, long minElement, long... places) throws RingRefusal {
        MemoryMap map = ProviderLibrary.map();
        String library = library(map);
        for (long place : places) {
            Optional<RxeQueue> queue = RxeQueue.at(map, place, minElement);
            if (queue.isPresent()) {
                return queue.get();
            }
        }
        throw new RingRefusal(
                "the ring of a %s is not where %s of rdma-core 44 to 65 keeps it".formatted(what, library));
    }

    /** Returns the exception for a ring that is not found after its queue has changed its length. */
    static VerbsException lost(RingRefusal cause) {
        return new VerbsException(
                "giving a queue another length", 0, cause.getMessage(), "close the queue: it can no longer be used");
    }
}
