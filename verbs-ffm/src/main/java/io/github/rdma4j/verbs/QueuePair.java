// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.bindings.ibv_qp_cap;
import io.github.rdma4j.verbs.bindings.ibv_qp_init_attr;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.UseGuard;
import io.github.rdma4j.verbs.internal.VerbsCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A connected queue pair ({@code struct ibv_qp}); {@link PreparedQueuePair#connect} gives it.
 *
 * <p>The posting methods return at once: the transfer is done when its completion is polled, and until then the local memory
 * belongs to the adapter (except with {@link SendFlags#INLINE}). They return 0, or the errno of the refusal:
 * {@link #QUEUE_FULL} means that completions must be polled first. Nothing is thrown for a full queue, and nothing is lost.
 * A mistake in the arguments is an exception. They allocate nothing.
 *
 * <p>Thread safety: posting sends is for one thread at a time, and so is posting receives; which thread may change. (Two that
 * post at once may mix up the parts of their requests: wrong data to a wrong place, or a broken connection.) All other methods, {@link #close()} too, may be called from any thread.
 */
public final class QueuePair extends Resource {
    /** What posting returns when the queue has no room (ENOMEM): poll completions, and post again. */
    public static final int QUEUE_FULL = Errno.ENOMEM;

    private static final int MAX_BATCH = 256;

    private final ProtectionDomain domain;
    private final MemorySegment postSendFunction;
    private final MemorySegment postReceiveFunction;
    private final boolean criticalPost;
    private final MemorySegment queuePair;
    private final long queuePairAddress;
    private final int number;
    private final int maxInlineData;
    private final long maxMessageSize;
    private final UseGuard sendGuard = new UseGuard();
    private final UseGuard receiveGuard = new UseGuard();
    private final Arena requestArena = Arena.ofShared();
    private final SendRequests request;
    private final ReceiveRequest receiveRequest;
    private final SendBatch batch;

    QueuePair(ProtectionDomain domain, QueuePairConfig config) {
        super(domain, config.sendCompletionQueue(), config.receiveCompletionQueue());
        this.domain = domain;
        DeviceContext context = domain.context();
        config.sendCompletionQueue().requireOpen();
        config.receiveCompletionQueue().requireOpen();
        this.maxMessageSize = context.port(config.port()).maxMessageSize();
        this.postSendFunction = context.postSendFunction();
        this.postReceiveFunction = context.postReceiveFunction();
        this.criticalPost = context.criticalPost();
        // The device may give more than was asked for; what nobody asked for needs no room.
        this.maxInlineData = config.maxInlineData();
        // All memory before the native object: what failed behind its creation would lose it.
        this.request = new SendRequests(requestArena, 1, maxInlineData);
        this.receiveRequest = new ReceiveRequest(requestArena);
        this.batch = new SendBatch(
                this, new SendRequests(requestArena, Math.min(MAX_BATCH, config.maxSendWorkRequests()), maxInlineData));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_init_attr.allocate(arena);
            ibv_qp_init_attr.send_cq(attributes, config.sendCompletionQueue().segment());
            ibv_qp_init_attr.recv_cq(attributes, config.receiveCompletionQueue().segment());
            ibv_qp_init_attr.qp_type(attributes, config.type().code());
            ibv_qp_init_attr.sq_sig_all(attributes, config.signalAll() ? 1 : 0);
            MemorySegment capabilities = ibv_qp_init_attr.cap(attributes);
            ibv_qp_cap.max_send_wr(capabilities, config.maxSendWorkRequests());
            ibv_qp_cap.max_recv_wr(capabilities, config.maxReceiveWorkRequests());
            ibv_qp_cap.max_send_sge(capabilities, 1);
            ibv_qp_cap.max_recv_sge(capabilities, 1);
            ibv_qp_cap.max_inline_data(capabilities, config.maxInlineData());
            MemorySegment created = VerbsCalls.createQp(domain.segment(), attributes);
            if (created.address() == 0) {
                requestArena.close();
                throw refused(config, NativeCalls.lastErrno());
            }
            this.queuePair = created.reinterpret(ibv_qp.sizeof());
            this.queuePairAddress = queuePair.address();
            this.number = ibv_qp.qp_num(queuePair);
        }
    }

    private static VerbsException refused(QueuePairConfig config, int errno) {
        String operation = "ibv_create_qp(%s, max_send_wr=%d, max_recv_wr=%d, max_inline_data=%d)"
                .formatted(
                        config.type(),
                        config.maxSendWorkRequests(),
                        config.maxReceiveWorkRequests(),
                        config.maxInlineData());
        return switch (errno) {
            case Errno.EINVAL ->
                Failures.of(
                        operation,
                        errno,
                        "the device does not grant these sizes together",
                        "ask for less inline data or shorter queues");
            case Errno.ENOMEM ->
                Failures.of(
                        operation,
                        errno,
                        "the device has no room left",
                        "ask for shorter queues, or close queue pairs that are not used");
            default -> Failures.of(operation, errno);
        };
    }

    /** {@return the queue pair number, 24 bits} */
    public int number() {
        return number;
    }

    /** {@return the most bytes that a request can carry inline, 0 if none were asked for} */
    public int maxInlineData() {
        return maxInlineData;
    }

    /**
     * Where the queue pair stands now (ibv_query_qp(3)).
     *
     * @return the state
     * @throws VerbsException if the query fails
     */
    public QueuePairState state() {
        return locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_qp_attr.allocate(arena);
                MemorySegment initial = ibv_qp_init_attr.allocate(arena);
                Failures.check(
                        "ibv_query_qp(0x%06x)".formatted(number),
                        LibIbVerbs.ibv_query_qp(queuePair, attributes, RdmaHeaders.IBV_QP_STATE(), initial));
                return QueuePairState.ofCode(ibv_qp_attr.qp_state(attributes));
            }
        });
    }

    /**
     * Moves the queue pair to the error state (ibv_modify_qp(3)), so that everything still posted completes, with
     * {@link WorkCompletionStatus#WR_FLUSH_ERR}: the way to get all buffers back before closing. Closing alone drops what is
     * posted without completions. Does nothing in the error state.
     *
     * @throws VerbsException if the device refuses
     */
    public void toError() {
        QueuePairTransitions.toError(this);
    }

    /**
     * Posts an RDMA write ({@code IBV_WR_RDMA_WRITE}): local memory goes to the peer's, which does not notice.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write, of any length up to the port's {@link PortAttributes#maxMessageSize()}
     * @param remote where to; at least as long
     * @param flags of {@link SendFlags}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postWrite(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        checkOneSided(local, remote, flags);
        return post(SendRequests.RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), flags);
    }

    /**
     * Posts an RDMA read ({@code IBV_WR_RDMA_READ}): the peer's memory comes here, and the peer does not notice.
     *
     * @param workRequestId comes back in the completion
     * @param local where to; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote what to read; at least as long
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postRead(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        checkRead(local, remote, flags);
        return post(SendRequests.RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), flags);
    }

    /**
     * Posts a send ({@code IBV_WR_SEND}): the message goes into the oldest receive that the peer has posted.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param flags of {@link SendFlags}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postSend(long workRequestId, MemorySlice local, int flags) {
        checkSend(local, flags);
        return post(SendRequests.SEND, workRequestId, local, 0, 0, flags);
    }

    private int post(int opcode, long workRequestId, MemorySlice local, long remoteAddress, int remoteKey, int flags) {
        long source = request.source(0, local, flags);
        enterSend();
        try {
            request.fill(0, opcode, workRequestId, source, local, remoteAddress, remoteKey, flags);
            return Math.abs(HotCalls.post(
                    postSendFunction, criticalPost, queuePairAddress, request.address(), request.badRequestAddress()));
        } finally {
            sendGuard.exit();
        }
    }

    /**
     * Posts a receive (ibv_post_recv(3)): room for one message.
     *
     * @param workRequestId comes back in the completion
     * @param local the room; its region needs {@link AccessFlag#LOCAL_WRITE}. A longer message breaks the connection
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the region is not of this queue pair's protection domain or not writable
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postReceive(long workRequestId, MemorySlice local) {
        if (Checks.ENABLED) {
            Checks.local(local, domain, maxMessageSize);
            Checks.writable(local);
        }
        if (!receiveGuard.enter()) {
            throw closedException();
        }
        try {
            receiveRequest.fill(workRequestId, local);
            return Math.abs(HotCalls.post(
                    postReceiveFunction,
                    criticalPost,
                    queuePairAddress,
                    receiveRequest.address(),
                    receiveRequest.badRequestAddress()));
        } finally {
            receiveGuard.exit();
        }
    }

    /**
     * Starts a batch: many requests, one call into the adapter's library, one doorbell. There is one batch per queue pair, used
     * again and again; starting drops what was not posted.
     *
     * @return the batch, empty
     */
    public SendBatch startBatch() {
        batch.clear();
        return batch;
    }

    void checkOneSided(MemorySlice local, RemoteMemory remote, int flags) {
        if (Checks.ENABLED) {
            checkSend(local, flags);
            Checks.remote(local, remote);
        }
    }

    void checkRead(MemorySlice local, RemoteMemory remote, int flags) {
        if (Checks.ENABLED) {
            if ((flags & SendFlags.INLINE) != 0) {
                throw new IllegalArgumentException("a read cannot be inline");
            }
            checkOneSided(local, remote, flags);
            Checks.writable(local);
        }
    }

    void checkSend(MemorySlice local, int flags) {
        if (Checks.ENABLED) {
            Checks.flags(flags, maxInlineData, local.length());
            Checks.local(local, domain, maxMessageSize);
        }
    }

    /** Must be followed by {@link #exitSend()}. */
    void enterSend() {
        if (!sendGuard.enter()) {
            throw closedException();
        }
    }

    void exitSend() {
        sendGuard.exit();
    }

    /** Posts the first requests of a list; for {@link SendBatch}, which has entered. */
    int postList(SendRequests requests) {
        requests.forgetBadRequest();
        return Math.abs(HotCalls.post(
                postSendFunction, criticalPost, queuePairAddress, requests.address(), requests.badRequestAddress()));
    }

    ProtectionDomain domain() {
        return domain;
    }

    MemorySegment segment() {
        return queuePair;
    }

    @Override
    public long handle() {
        requireOpen();
        return queuePairAddress;
    }

    @Override
    void release() {
        sendGuard.close();
        receiveGuard.close();
        int result = LibIbVerbs.ibv_destroy_qp(queuePair);
        if (result != 0) {
            sendGuard.reopen();
            receiveGuard.reopen();
            throw Failures.of("ibv_destroy_qp(0x%06x)".formatted(number), result);
        }
        requestArena.close();
    }

    /** {@return number and device} */
    @Override
    public String toString() {
        return "queue pair 0x%06x of %s"
                .formatted(number, domain.context().device().name());
    }
}
