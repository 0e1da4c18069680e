// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_cq_ex;
import io.github.rdma4j.verbs.bindings.ibv_cq_init_attr_ex;
import io.github.rdma4j.verbs.internal.CursorCalls;
import io.github.rdma4j.verbs.internal.EfaCalls;
import io.github.rdma4j.verbs.internal.Flags;
import io.github.rdma4j.verbs.internal.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * An extended completion queue ({@code struct ibv_cq_ex}). Completions are not copied out, but read in place through
 * the {@link #cursor()}. They have only the requested fields, which can include timestamps that {@link WorkCompletion}
 * does not have.
 *
 * <p>Thread safety: as for {@link CompletionQueue}, but only one thread at a time may poll, by the cursor or by
 * {@link #poll}. Meanwhile, a poll by another thread throws an {@link IllegalStateException}, and so does
 * {@link #resize}: waiting in the driver for a thread that can hold the cursor for long could block the whole JVM. A
 * poll waits while a queue pair that completes here is closed or reset. A thread that has started the cursor and not
 * ended it gets an {@link IllegalStateException} if it arms the queue or waits for events of its channel: with some
 * drivers it would wait for itself.
 *
 * @since 0.1.0
 */
public final class ExtendedCompletionQueue extends CompletionQueue {
    private final Set<WorkCompletionField> fields;
    private final boolean ignoresOverrun;
    private final CompletionCursor cursor;

    private ExtendedCompletionQueue(
            DeviceContext context, ExtendedCompletionQueueConfig config, MemorySegment created, Resource[] parents) {
        super(context, config.basic().channel(), created, true, parents);
        this.fields = config.wantedFields();
        this.ignoresOverrun = config.ignoreOverrun();
        this.cursor = new CompletionCursor(this, created.reinterpret(ibv_cq_ex.sizeof()), fields);
    }

    static ExtendedCompletionQueue create(DeviceContext context, int minEntries, ExtendedCompletionQueueConfig config) {
        CompletionQueueConfig basic = config.basic();
        List<Resource> parents = new ArrayList<>(List.of(parents(context, basic)));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_cq_init_attr_ex.allocate(arena);
            int mask = 0;
            ibv_cq_init_attr_ex.cqe(attributes, minEntries);
            ibv_cq_init_attr_ex.comp_vector(attributes, basic.completionVector());
            ibv_cq_init_attr_ex.wc_flags(attributes, Flags.mask(config.wantedFields(), WorkCompletionField::bit));
            if (basic.channel() != null) {
                ibv_cq_init_attr_ex.channel(attributes, basic.channel().segment());
            }
            if (config.flags() != 0) {
                mask |= RdmaHeaders.IBV_CQ_INIT_ATTR_MASK_FLAGS();
                ibv_cq_init_attr_ex.flags(attributes, config.flags());
            }
            if (config.parentDomain() != null) {
                config.parentDomain().requireOpen();
                mask |= RdmaHeaders.IBV_CQ_INIT_ATTR_MASK_PD();
                ibv_cq_init_attr_ex.parent_domain(
                        attributes, config.parentDomain().segment());
                parents.add(config.parentDomain());
            }
            ibv_cq_init_attr_ex.comp_mask(attributes, mask);
            long efaFields = Flags.mask(config.wantedFields(), WorkCompletionField::efaBit);
            String operation = "%s(%s, cqe=%d, comp_vector=%d, wc_flags=%s, flags=0x%x)"
                    .formatted(
                            efaFields == 0 ? "ibv_create_cq_ex" : "efadv_create_cq",
                            context.device().name(),
                            minEntries,
                            basic.completionVector(),
                            config.wantedFields(),
                            config.flags());
            MemorySegment created;
            if (efaFields == 0) {
                created = CursorCalls.create(context.segment(), attributes);
            } else {
                EfaCalls.require(context.driver(), operation);
                created = EfaCalls.createCompletionQueue(context.segment(), attributes, efaFields);
            }
            if (created.address() == 0) {
                throw refused(operation, NativeCalls.lastErrno());
            }
            ExtendedCompletionQueue queue =
                    new ExtendedCompletionQueue(context, config, created, parents.toArray(Resource[]::new));
            if (basic.channel() != null) {
                basic.channel().add(queue);
            }
            return queue;
        }
    }

    @Override
    boolean ignoresOverrun() {
        return ignoresOverrun;
    }

    /** {@return the fields that the completions of this queue have} */
    public Set<WorkCompletionField> fields() {
        return fields;
    }

    /** {@return the cursor over this queue's completions, the same object each time} */
    public CompletionCursor cursor() {
        return cursor;
    }

    /**
     * Starts the cursor, and sleeps until there is a completion, like {@link #awaitCompletions}.
     *
     * @param timeout how long to wait; zero or less returns at once
     * @return whether the cursor is at a completion; then {@link CompletionCursor#end()} must follow
     * @throws IllegalStateException if the queue is closed, before or during the wait, was created without a channel,
     *     or is being polled
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws VerbsException if the queue or the channel has failed
     */
    public boolean awaitCursor(Duration timeout) {
        return await(() -> cursor.start() ? 1 : 0, timeout) != 0;
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        if (cursor.isHeldByCaller()) {
            throw new IllegalStateException(("arming %s: this thread has started its cursor and not ended it. Call"
                            + " CompletionCursor.end() first")
                    .formatted(this));
        }
        super.requestNotification(solicitedOnly);
    }

    @Override
    public int poll(WorkCompletions completions) {
        cursor.acquire();
        try {
            return super.poll(completions);
        } finally {
            cursor.leave();
        }
    }

    @Override
    public void resize(int minEntries) {
        cursor.acquire();
        try {
            super.resize(minEntries);
        } finally {
            cursor.leave();
        }
    }

    /** Ends the poll of whichever thread, and lets none begin, before this queue and its queue pairs are closed. */
    void endCursor() {
        closeGuard();
        cursor.endForClose();
    }

    /** Allows polls again, if the close did not happen. */
    void allowCursor() {
        reopenGuard();
    }

    @Override
    void beforeDestroy() {
        cursor.endForClose();
    }
}
