// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_srq;
import io.github.rdma4j.verbs.bindings.ibv_srq_attr;
import io.github.rdma4j.verbs.bindings.ibv_srq_init_attr;
import io.github.rdma4j.verbs.bindings.ibv_srq_init_attr_ex;
import io.github.rdma4j.verbs.bindings.ibv_tm_cap;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.internal.ColdCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.ExtendedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.SharedReceiveCalls;
import io.github.rdma4j.verbs.internal.datapath.ReceiveFunctions;
import io.github.rdma4j.verbs.internal.explain.RegistrationFailures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * A shared receive queue ({@code struct ibv_srq}): its receives serve all of its queue pairs, so many connections need
 * only as many buffers as messages arrive at once. A queue pair uses it if {@link QueuePairConfig#sharedReceiveQueue}
 * names it. A message completes in the receive completion queue of its queue pair, and the completion has that queue
 * pair's number.
 *
 * <p>Thread safety: all methods may be called from any thread; a {@link ReceiveBatch} is for the thread that started
 * it.
 *
 * @since 0.1.0
 */
public final class SharedReceiveQueue extends Resource {
    private final ProtectionDomain domain;
    private final SharedReceiveQueueType type;
    private final MemorySegment queue;
    private final Arena arena = Arena.ofShared();
    private final ReceiveQueue receiveQueue;
    /** Null without tag matching. */
    private final TagList tagList;

    private final long tagCompletions;
    /** Changed with the tree's lock held. */
    private int depth;

    SharedReceiveQueue(ProtectionDomain domain, SharedReceiveQueueConfig config) {
        super(parents(domain, config));
        this.domain = domain;
        this.type = config.type();
        config.fitCompletionQueue();
        this.depth = config.maxWorkRequests();
        this.tagCompletions = config.tagCompletions();
        DeviceContext context = domain.context();
        try (Arena temporary = Arena.ofConfined()) {
            this.receiveQueue = new ReceiveQueue(
                    this,
                    domain,
                    arena,
                    config.maxWorkRequests(),
                    config.maxScatterGather(),
                    context.port(1).maxMessageSize());
            this.tagList = type == SharedReceiveQueueType.TAG_MATCHING
                    ? new TagList(this, receiveQueue, arena, config.maxScatterGather())
                    : null;
            this.queue = create(domain, config, temporary).reinterpret(ibv_srq.sizeof());
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
        receiveQueue.nativeQueue(new ReceiveFunctions(
                context.functions().postSharedReceive(), context.driver().postsInUserSpace(), queue.address()));
    }

    private static Resource[] parents(ProtectionDomain domain, SharedReceiveQueueConfig config) {
        List<Resource> parents = new ArrayList<>(List.of(domain));
        if (config.completionQueue() != null) {
            config.completionQueue().requireOpen();
            parents.add(config.completionQueue());
        }
        if (config.xrcDomain() != null) {
            config.xrcDomain().requireOpen();
            parents.add(config.xrcDomain());
        }
        return parents.toArray(Resource[]::new);
    }

    private static MemorySegment create(ProtectionDomain domain, SharedReceiveQueueConfig config, Arena arena) {
        String operation = "ibv_create_srq(%s, max_wr=%d, max_sge=%d)"
                .formatted(config.type(), config.maxWorkRequests(), config.maxScatterGather());
        if (config.type() == SharedReceiveQueueType.BASIC) {
            MemorySegment attributes = ibv_srq_init_attr.allocate(arena);
            sizes(ibv_srq_init_attr.attr(attributes), config);
            MemorySegment created = SharedReceiveCalls.create(domain.segment(), attributes);
            if (created.address() == 0) {
                throw refused(operation, NativeCalls.lastErrno());
            }
            return created;
        }
        MemorySegment attributes = ibv_srq_init_attr_ex.allocate(arena);
        sizes(ibv_srq_init_attr_ex.attr(attributes), config);
        int mask = RdmaHeaders.IBV_SRQ_INIT_ATTR_TYPE()
                | RdmaHeaders.IBV_SRQ_INIT_ATTR_PD()
                | RdmaHeaders.IBV_SRQ_INIT_ATTR_CQ();
        ibv_srq_init_attr_ex.srq_type(attributes, config.type().code());
        ibv_srq_init_attr_ex.pd(attributes, domain.segment());
        ibv_srq_init_attr_ex.cq(attributes, config.completionQueue().segment());
        if (config.type() == SharedReceiveQueueType.XRC) {
            mask |= RdmaHeaders.IBV_SRQ_INIT_ATTR_XRCD();
            ibv_srq_init_attr_ex.xrcd(attributes, config.xrcDomain().segment());
        } else {
            mask |= RdmaHeaders.IBV_SRQ_INIT_ATTR_TM();
            MemorySegment tags = ibv_srq_init_attr_ex.tm_cap(attributes);
            ibv_tm_cap.max_num_tags(tags, config.maxTags());
            ibv_tm_cap.max_ops(tags, config.maxTagOperations());
        }
        ibv_srq_init_attr_ex.comp_mask(attributes, mask);
        MemorySegment context = domain.context().segment();
        String extended = operation.replace("ibv_create_srq", "ibv_create_srq_ex");
        return ExtendedVerb.CREATE_SRQ_EX.create(
                extended, context, context, attributes, errno -> refused(extended, errno));
    }

    private static VerbsException refused(String operation, int errno) {
        return RegistrationFailures.ofQueue(operation, errno, "ask for a shorter queue", "close unused queues");
    }

    private static void sizes(MemorySegment attributes, SharedReceiveQueueConfig config) {
        ibv_srq_attr.max_wr(attributes, config.maxWorkRequests());
        ibv_srq_attr.max_sge(attributes, config.maxScatterGather());
    }

    /** {@return the domain in which the regions of its receives must be registered} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** {@return the type of the queue} */
    public SharedReceiveQueueType type() {
        return type;
    }

    /**
     * Posts a receive, which is a buffer for one message of any of the queue pairs (ibv_post_srq_recv(3)). Allocates
     * nothing.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; its region needs {@link AccessFlag#LOCAL_WRITE}. A longer message breaks its connection
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if the region is not of this queue's protection domain or not writable
     * @throws IllegalStateException if the queue or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostReceive(long workRequestId, MemorySlice local) {
        return receiveQueue.post(workRequestId, local);
    }

    /**
     * Posts a receive that scatters the message over several slices, filled in order. Allocates nothing.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; the regions need {@link AccessFlag#LOCAL_WRITE}. A longer message breaks its connection
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if a region is not of this queue's protection domain or not writable, or there
     *     are more slices than {@link SharedReceiveQueueConfig#maxScatterGather} allowed
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
     * @throws IllegalStateException if the queue is closed
     */
    public ReceiveBatch startReceiveBatch() {
        return receiveQueue.startBatch();
    }

    /**
     * Returns the list of tags.
     *
     * @return the list, the same object each time
     * @throws IllegalStateException if the queue does not match tags
     */
    public TagList tagList() {
        if (tagList == null) {
            throw new IllegalStateException(
                    this + " does not match tags: it was created without SharedReceiveQueueConfig.tagMatching");
        }
        return tagList;
    }

    /**
     * Queries the attributes of the queue (ibv_query_srq(3)).
     *
     * @return the attributes
     * @throws VerbsException if the query fails
     */
    public SharedReceiveQueueAttributes attributes() {
        return locked(() -> {
            try (Arena temporary = Arena.ofConfined()) {
                MemorySegment attributes = ibv_srq_attr.allocate(temporary);
                Failures.check("ibv_query_srq(" + this + ")", ExportedVerb.QUERY_SRQ.number(queue, attributes));
                return new SharedReceiveQueueAttributes(
                        ibv_srq_attr.max_wr(attributes),
                        ibv_srq_attr.max_sge(attributes),
                        ibv_srq_attr.srq_limit(attributes));
            }
        });
    }

    /**
     * Requests an {@link AsyncEventType#SRQ_LIMIT_REACHED} event when fewer receives than the limit are left
     * (ibv_modify_srq(3)). The event is reported once; then the limit must be set again.
     *
     * @param limit less than or equal to the queue's size; 0 for no event
     * @throws IllegalArgumentException if the limit is negative or above the queue's size; the message has both numbers
     * @throws VerbsException if the device refuses
     */
    public void modifyLimit(int limit) {
        int size = attributes().maxWorkRequests();
        if (limit < 0 || limit > size) {
            throw new IllegalArgumentException("a limit of %d receives: %s allows 0..%d".formatted(limit, this, size));
        }
        modify(0, limit, RdmaHeaders.IBV_SRQ_LIMIT(), "srq_limit=" + limit);
    }

    /**
     * Changes the length of the queue (ibv_modify_srq(3)), which keeps its receives.
     *
     * @param maxWorkRequests the minimum number of receives that it holds, from 1 to the device's
     *     {@link DeviceAttributes#maxSharedReceiveQueueWorkRequests()}
     * @throws IllegalArgumentException if the number is out of range, or exceeds the free entries of a completion queue
     *     of its receives; the message has both numbers
     * @throws UnsupportedVerbException if the device reports that it does not support this
     * @throws VerbsException if the device refuses, because more receives are posted, or the limit is higher; mlx5
     *     always refuses
     */
    public void resize(int maxWorkRequests) {
        SharedReceiveQueueConfig.checkWorkRequests(domain.context(), maxWorkRequests);
        locked(() -> {
            CompletionBudget.requireGrowth(this, maxWorkRequests - depth);
            modify(maxWorkRequests, 0, RdmaHeaders.IBV_SRQ_MAX_WR(), "max_wr=" + maxWorkRequests);
            depth = maxWorkRequests;
            return null;
        });
    }

    /** Returns the number of receives that it was created for; called with the tree's lock held. */
    int depth() {
        return depth;
    }

    /** Returns the maximum number of completions of its list of tags. */
    long tagCompletions() {
        return tagCompletions;
    }

    private void modify(int maxWorkRequests, int limit, int mask, String what) {
        locked(() -> {
            try (Arena temporary = Arena.ofConfined()) {
                MemorySegment attributes = ibv_srq_attr.allocate(temporary);
                ibv_srq_attr.max_wr(attributes, maxWorkRequests);
                ibv_srq_attr.srq_limit(attributes, limit);
                IntSupplier modify = () -> ExportedVerb.MODIFY_SRQ.number(queue, attributes, ColdCalls.word(mask));
                int errno = Math.abs(maxWorkRequests == 0 ? modify.getAsInt() : receiveQueue.resize(modify));
                String operation = "ibv_modify_srq(%s, %s)".formatted(this, what);
                if (errno == Errno.EINVAL && maxWorkRequests > 0) {
                    throw Failures.of(
                            operation,
                            errno,
                            "more receives than that are posted, its limit is above that, or the device does not resize"
                                    + " shared receive queues, as mlx5 does not",
                            "let receives be used up and lower the limit first, or create the queue as long as needed");
                }
                Failures.check(operation, errno);
                return null;
            }
        });
    }

    /**
     * Returns the number by which senders of its XRC domain name it (ibv_get_srq_num(3)).
     *
     * @return 24 bits
     * @throws UnsupportedVerbException if the queue is not of an XRC domain, or the device has no such numbers
     * @throws VerbsException if the query fails
     */
    public int number() {
        return locked(() -> {
            try (Arena temporary = Arena.ofConfined()) {
                MemorySegment number = temporary.allocate(ValueLayout.JAVA_INT);
                Failures.check(
                        "ibv_get_srq_num(" + this + ")",
                        ExtendedVerb.GET_SRQ_NUM.call(domain.context().segment(), queue, number));
                return number.get(ValueLayout.JAVA_INT, 0);
            }
        });
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
        Failures.check("ibv_destroy_srq(" + this + ")", ExportedVerb.DESTROY_SRQ.number(queue));
    }

    @Override
    void reopen() {
        receiveQueue.reopen();
    }

    @Override
    void afterRelease() {
        closeMemory(arena);
    }

    /** {@return type and device} */
    @Override
    public String toString() {
        return "%s shared receive queue of %s"
                .formatted(
                        switch (type) {
                            case BASIC -> "basic";
                            case XRC -> "XRC";
                            case TAG_MATCHING -> "tag-matching";
                        },
                        domain.context().device().name());
    }
}
