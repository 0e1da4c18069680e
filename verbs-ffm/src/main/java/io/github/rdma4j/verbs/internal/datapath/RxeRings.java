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
 * Finds the rings of SoftRoCE's queues. librxe has mapped them, and keeps where in structures of its own: behind its
 * {@code struct verbs_qp}, {@code verbs_cq} or {@code verbs_srq} there is a {@code struct mminfo} and the pointer, for
 * a queue pair first of the receives and then of the sends. That is no public interface. So each place is only a guess,
 * made for the versions of rdma-core that were looked at, and {@link RxeQueue#at} has the kernel confirm it before
 * anything is used; what it does not confirm is a {@link RingRefusal}.
 */
public final class RxeRings {
    private static final String LIBRARY = "librxe-rdmav";
    /** Whose function arms librxe's completion queues, by a command to the kernel. */
    private static final String COMMANDS = "libibverbs.so";

    /** {@code comp_mask} and {@code xrcd} behind the queue pair proper in {@code struct verbs_qp}. */
    private static final long VERBS_QP_REST = 16;
    /** {@code srq_type}, {@code xrcd}, {@code cq} and {@code srq_num} in {@code struct verbs_srq}. */
    private static final long VERBS_SRQ_REST = 32;
    /** Of {@code struct rxe_wq}: the pointer, a lock and two sizes. */
    private static final long RXE_WQ_BYTES = 24;
    /** {@code wr_flush} in {@code struct ibv_qp_ex}, from rdma-core 45 on. */
    private static final long LATER_FUNCTIONS = 8;

    private static final long QUEUE_PAIR = ibv_qp_ex.sizeof() + VERBS_QP_REST;
    private static final long COMPLETION_QUEUE = ibv_cq_ex.sizeof();
    private static final long SHARED_QUEUE = ibv_srq.sizeof() + VERBS_SRQ_REST;

    private final int commandDescriptor;
    private final ProviderFunctions functions;

    /** Looks a ring up anew; it moves when its queue gets another length. */
    interface Finder {
        RxeQueue find() throws RingRefusal;
    }

    /**
     * For one device context.
     *
     * @param context the {@code struct ibv_context}
     * @param functions of it now: a program that watches or disturbs calls may have put others there
     * @throws RingRefusal if they are not librxe's
     */
    public RxeRings(MemorySegment context, ProviderFunctions functions) throws RingRefusal {
        this.commandDescriptor = ibv_context.cmd_fd(context);
        this.functions = functions;
        ProviderLibrary.requireNoTrace();
        library(ProviderLibrary.map());
    }

    /** The file that all functions of the hot path are of, if it is librxe. */
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
     * The ring of a completion queue.
     *
     * @param queue the {@code struct ibv_cq}
     * @param armFunction that the context has now
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
     * The ring of a queue pair's sends.
     *
     * @param queuePair the {@code struct ibv_qp}
     * @param arena closed when no thread can be posting any more
     * @param maxEntries the most entries of a request
     * @param maxInlineData the most bytes of inline data
     * @param datagrams the way of a datagram by an address handle whose number is not known yet; null for a queue pair
     *     that is connected
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
     * The ring of a queue pair's receives.
     *
     * @param queuePair the {@code struct ibv_qp}
     * @param maxEntries the most entries of a receive
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
     * The ring of a shared receive queue.
     *
     * @param queue the {@code struct ibv_srq}
     * @param maxEntries the most entries of a receive
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

    /** For a ring that was there before its queue got another length. */
    static VerbsException lost(RingRefusal cause) {
        return new VerbsException(
                "giving a queue another length", 0, cause.getMessage(), "close the queue: it cannot be used any more");
    }
}
