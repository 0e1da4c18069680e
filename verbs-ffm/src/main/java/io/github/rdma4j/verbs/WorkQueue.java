// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_wq;
import io.github.rdma4j.verbs.bindings.ibv_wq_attr;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.datapath.ReceiveFunctions;
import io.github.rdma4j.verbs.internal.explain.RegistrationFailures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A receive work queue without a queue pair ({@code struct ibv_wq}, ibv_create_wq(3)). A {@link ReceiveWorkQueueTable}
 * distributes the packets of one queue pair over several work queues, each of which can be polled by another thread. A
 * work queue is created in the state RESET.
 *
 * <p>Thread safety: all methods may be called from any thread; a {@link ReceiveBatch} is for the thread that started
 * it.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class WorkQueue extends Resource {
    /** The length of every Ethernet frame fits into 32 bits; the adapter checks its own limit. */
    private static final long MAX_MESSAGE = 0xffff_ffffL;

    private final ProtectionDomain domain;
    private final MemorySegment queue;
    private final int depth;
    private final Arena requestArena = Arena.ofShared();
    private final ReceiveQueue receiveQueue;

    WorkQueue(ProtectionDomain domain, CompletionQueue completionQueue, WorkQueueConfig config) {
        super(domain, completionQueue);
        completionQueue.requireOpen();
        config.fitCompletionQueue(completionQueue);
        this.depth = config.maxWorkRequests();
        this.domain = domain;
        DeviceContext context = domain.context();
        String operation = "ibv_create_wq(%s, %s)".formatted(context.device().name(), config);
        boolean complete = false;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment created = ExtendedVerb.CREATE_WQ.create(
                    operation,
                    context.segment(),
                    context.segment(),
                    config.write(domain, completionQueue, arena),
                    errno -> RegistrationFailures.ofQueue(
                            operation, errno, "ask for a shorter queue", "close unused queues"));
            try {
                this.queue = created.reinterpret(ibv_wq.sizeof());
                initialize(queue);
                this.receiveQueue = new ReceiveQueue(
                        this, domain, requestArena, config.maxWorkRequests(), config.maxScatterGather(), MAX_MESSAGE);
                receiveQueue.nativeQueue(new ReceiveFunctions(
                        ibv_wq.post_recv(queue), context.driver().postsInUserSpace(), queue.address()));
                complete = true;
            } finally {
                if (!complete) {
                    ExtendedVerb.DESTROY_WQ.call(context.segment(), created);
                }
            }
        } finally {
            if (!complete) {
                requestArena.close();
            }
        }
    }

    /**
     * Does what the inline function does to the structure. All zero is the value of PTHREAD_MUTEX_INITIALIZER and
     * PTHREAD_COND_INITIALIZER on Linux.
     */
    private static void initialize(MemorySegment queue) {
        ibv_wq.wq_context(queue, MemorySegment.NULL);
        ibv_wq.events_completed(queue, 0);
        ibv_wq.mutex(queue).fill((byte) 0);
        ibv_wq.cond(queue).fill((byte) 0);
    }

    int depth() {
        return depth;
    }

    /** {@return the protection domain of the queue} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** {@return the number that adapters and tools use for the queue} */
    public int number() {
        return locked(() -> ibv_wq.wq_num(queue));
    }

    /** {@return the state, as far as the library knows} */
    public WorkQueueState state() {
        return locked(() -> WorkQueueState.ofCode(ibv_wq.state(queue)));
    }

    /**
     * Moves the queue to another state (ibv_modify_wq(3)): RESET to READY, any to ERROR, ERROR to RESET. Waits for
     * threads that post to the queue, or poll its completion queue by a cursor.
     *
     * @param state the next state
     * @throws IllegalArgumentException if it is {@link WorkQueueState#UNKNOWN}
     * @throws VerbsException if the device refuses
     * @throws IllegalStateException if the calling thread has started the {@link CompletionCursor} of its completion
     *     queue and not ended it, or another thread does not end it within ten seconds; or if the queue is closed
     */
    public void modify(WorkQueueState state) {
        if (Objects.requireNonNull(state, "state") == WorkQueueState.UNKNOWN) {
            throw new IllegalArgumentException("a work queue cannot be moved to " + state);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_wq_attr.allocate(arena);
            ibv_wq_attr.attr_mask(attributes, RdmaHeaders.IBV_WQ_ATTR_STATE());
            ibv_wq_attr.wq_state(attributes, state.ordinal());
            // In the transition from RESET, libmlx5 cleans the completion queue and restarts its count of receives.
            undisturbedByCursors(() -> locked(() -> {
                int entry = receiveQueue.enter();
                try {
                    modify("state=" + state, attributes);
                } finally {
                    receiveQueue.exit(entry);
                }
                return null;
            }));
        }
    }

    /**
     * Changes how packets are handled (ibv_modify_wq(3)).
     *
     * @param changed the flags that change
     * @param set the flags among them to set; the others are cleared
     * @throws IllegalArgumentException if a flag is set that does not change
     * @throws VerbsException if the device refuses
     */
    public void modifyFlags(Set<WorkQueueFlag> changed, Set<WorkQueueFlag> set) {
        changed.forEach(flag -> Objects.requireNonNull(flag, "changed flag"));
        set.forEach(flag -> Objects.requireNonNull(flag, "set flag"));
        if (!changed.containsAll(set)) {
            throw new IllegalArgumentException(
                    "flags to set %s are not all among those to change %s".formatted(set, changed));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_wq_attr.allocate(arena);
            ibv_wq_attr.attr_mask(attributes, RdmaHeaders.IBV_WQ_ATTR_FLAGS());
            ibv_wq_attr.flags(attributes, WorkQueueFlag.mask(set));
            ibv_wq_attr.flags_mask(attributes, WorkQueueFlag.mask(changed));
            modify("flags=%s of %s".formatted(set, changed), attributes);
        }
    }

    private void modify(String what, MemorySegment attributes) {
        locked(() -> {
            Failures.check(
                    "ibv_modify_wq(%s)".formatted(what),
                    ExtendedVerb.MODIFY_WQ.call(domain.context().segment(), queue, attributes));
            return null;
        });
    }

    /**
     * Posts a receive, which is a buffer for one packet (ibv_post_wq_recv(3)).
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if the region is not of this queue's protection domain or not writable
     * @throws IllegalStateException if the queue or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostReceive(long workRequestId, MemorySlice local) {
        return receiveQueue.post(workRequestId, local);
    }

    /**
     * Posts a receive that scatters the packet over several slices, filled in order (ibv_post_wq_recv(3)).
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; the regions need {@link AccessFlag#LOCAL_WRITE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if a region is not of this queue's protection domain or not writable, or the
     *     queue takes fewer slices
     * @throws IllegalStateException if the queue or a region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostReceive(long workRequestId, SliceList local) {
        return receiveQueue.post(workRequestId, local);
    }

    /**
     * Prepares a receive that is posted many times.
     *
     * @param local the buffer; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @return the receive, not posted yet
     * @throws IllegalArgumentException if the region is not of this queue's protection domain or not writable
     * @throws IllegalStateException if the queue or the region is closed
     */
    public PreparedReceive prepareReceive(MemorySlice local) {
        return receiveQueue.prepare(local);
    }

    /**
     * Prepares the receives of many buffers, which are posted many times.
     *
     * @param firstWorkRequestId identifies the receive of the first buffer in its completion; each further buffer has
     *     the next number
     * @param buffers 1 to 131072 buffers; their regions need {@link AccessFlag#LOCAL_WRITE}
     * @return the receives, not posted yet
     * @throws IllegalArgumentException if a region is not of this queue's protection domain or not writable, or there
     *     are no buffers, or too many
     * @throws IllegalStateException if the queue or a region is closed
     */
    public PreparedReceives prepareReceives(long firstWorkRequestId, List<MemorySlice> buffers) {
        return receiveQueue.prepare(firstWorkRequestId, buffers);
    }

    /**
     * Starts a batch of receives. Each thread has one per queue, which is reused; starting it drops the requests that
     * the thread has not posted.
     *
     * @return the calling thread's batch, empty
     */
    public ReceiveBatch startReceiveBatch() {
        return receiveQueue.startBatch();
    }

    MemorySegment segment() {
        return queue;
    }

    @Override
    public long handle() {
        requireOpen();
        return queue.address();
    }

    @Override
    void release() {
        receiveQueue.close();
        Failures.check(
                "ibv_destroy_wq()",
                ExtendedVerb.DESTROY_WQ.call(domain.context().segment(), queue));
    }

    @Override
    void reopen() {
        receiveQueue.reopen();
    }

    @Override
    void afterRelease() {
        closeMemory(requestArena);
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "work queue of " + domain.context().device().name();
    }
}
