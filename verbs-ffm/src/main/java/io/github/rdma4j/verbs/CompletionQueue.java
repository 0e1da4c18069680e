// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.ibv_cq;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.UseGuard;
import io.github.rdma4j.verbs.internal.VerbsCalls;
import java.lang.foreign.MemorySegment;

/**
 * A completion queue ({@code struct ibv_cq}): where work requests report that they are done.
 *
 * <p>Thread safety: all methods may be called from any thread; polling is fastest from the thread that polled first. It is the
 * user's part to size the queue for all the requests that can complete into it: an overrun breaks the queue pairs.
 */
public final class CompletionQueue extends Resource {
    private final DeviceContext context;
    private final MemorySegment pollFunction;
    private final boolean criticalPoll;
    private final MemorySegment queue;
    private final long queueAddress;
    private final int capacity;
    private final UseGuard guard = new UseGuard();

    CompletionQueue(DeviceContext context, int minEntries) {
        super(context);
        this.context = context;
        this.pollFunction = context.pollFunction();
        this.criticalPoll = context.criticalPoll();
        MemorySegment created = VerbsCalls.createCq(context.segment(), minEntries);
        if (created.address() == 0) {
            int errno = NativeCalls.lastErrno();
            throw Failures.of(
                    "ibv_create_cq(%s, cqe=%d)".formatted(context.device().name(), minEntries),
                    errno,
                    "",
                    errno == Errno.ENOMEM ? "ask for fewer entries, or close completion queues that are not used" : "");
        }
        this.queue = created.reinterpret(ibv_cq.sizeof());
        this.queueAddress = queue.address();
        this.capacity = ibv_cq.cqe(queue);
    }

    /** {@return the number of completions that it can hold, at least what was asked for} */
    public int capacity() {
        return capacity;
    }

    /** {@return the device that it belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Fetches completions (ibv_poll_cq(3)). Never blocks, allocates nothing.
     *
     * @param completions where they go, overwriting what was there
     * @return how many were fetched, 0 if there are none
     * @throws IllegalStateException if the queue is closed
     * @throws VerbsException if the queue itself has failed
     */
    public int poll(WorkCompletions completions) {
        if (!guard.enter()) {
            throw closedException();
        }
        int count;
        try {
            count = HotCalls.poll(
                    pollFunction, criticalPoll, queueAddress, completions.capacity(), completions.address());
        } finally {
            guard.exit();
        }
        if (count < 0) {
            throw pollFailed(context.device().name(), count);
        }
        completions.size(count);
        return count;
    }

    /** What drivers return then is no errno: -1 or -2, whatever the cause. */
    static VerbsException pollFailed(String device, int result) {
        return new VerbsException(
                "ibv_poll_cq(" + device + ")",
                0,
                "the driver returned %d: it found a completion that it does not understand, and the queue cannot be used any more"
                        .formatted(result),
                "close the queue pairs that use it, and look into the kernel log");
    }

    MemorySegment segment() {
        return queue;
    }

    @Override
    public long handle() {
        requireOpen();
        return queueAddress;
    }

    @Override
    void release() {
        guard.close();
        int result = LibIbVerbs.ibv_destroy_cq(queue);
        if (result != 0) {
            guard.reopen();
        }
        Failures.check("ibv_destroy_cq(" + context.device().name() + ")", result);
    }

    /** {@return capacity and device} */
    @Override
    public String toString() {
        return "completion queue of %d entries on %s"
                .formatted(capacity, context.device().name());
    }
}
