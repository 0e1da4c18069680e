// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExclusiveGuard;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import io.github.rdma4j.verbs.internal.datapath.ExtendedPosting;
import io.github.rdma4j.verbs.internal.datapath.ReceiveFunctions;
import io.github.rdma4j.verbs.internal.datapath.SendFunctions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A queue pair ({@code struct ibv_qp}): a send queue and a receive queue of an adapter, to which a program posts
 * requests. {@link PreparedQueuePair#connect} and {@link PreparedQueuePair#activate} return a queue pair that can send.
 * {@link ProtectionDomain#createQueuePair} returns a queue pair in the state RESET: move it to RTS with {@link #modify}
 * before you send.
 *
 * <p>The {@code tryPost} methods never wait for the queue, and allocate nothing. On SoftRoCE and siw a post is a system
 * call that does the work of the transfer. {@link #tryPostBindMemoryWindow} may wait for other calls on the device
 * context.
 *
 * <p>A request with {@link SendFlags#SIGNALED} is done when a poll returns its completion. A request without the flag
 * is done when a poll returns the completion of a later signaled request of the same queue. Signal a request now and
 * then: otherwise the queue fills up for good. Until a request is done, do not modify its local memory, except with
 * {@link SendFlags#INLINE}.
 *
 * <p>A full queue is not an error: the method returns {@code false} and does not post the request. Poll completions,
 * and post it again:
 *
 * <pre>{@code
 * WorkCompletions completions = WorkCompletions.allocate(16); // once
 * while (!queuePair.tryPostWrite(1, local, remote, SendFlags.SIGNALED)) {
 *     process(completions, completionQueue.poll(completions)); // your method
 * }
 * }</pre>
 *
 * <p>An invalid argument throws an {@link IllegalArgumentException}, unless the checks are switched off
 * ({@code -Dio.github.rdma4j.verbs.checks=false}). A closed queue pair, and one that is not connected yet, throw
 * an {@link IllegalStateException}. In the error state most drivers accept the request and complete it with
 * {@link WorkCompletionStatus#WR_FLUSH_ERR}. Every other refusal throws a {@link VerbsException}.
 *
 * <p>Thread safety: all methods may be called from any thread; requests of several threads are posted one after the
 * other. Posting is fastest if one thread posts all sends and one thread posts all receives. A {@link SendBatch} or
 * {@link ReceiveBatch} is for the thread that started it.
 *
 * @since 0.1.0
 */
public final class QueuePair extends Resource {
    private static final int MAX_BATCH = SendRequests.MAX_BATCH;

    private final ProtectionDomain domain;
    private final QueuePairType type;
    private final MemorySegment queuePair;
    private final long queuePairAddress;
    private final int number;
    private final Arena requestArena;

    private final ExclusiveGuard sendGuard = new ExclusiveGuard();
    private final boolean hasNoQueues;
    private final PostingChecks checks;
    private final SingleRequests singles;
    private final ThreadBatches<SendBatch> batches;

    /** The operations that it may post with ibv_post_send (basic posting), one bit for each opcode. */
    private final int operations;

    private SendFunctions functions;
    /** Posts with ibv_wr_*; null with basic posting. */
    private ExtendedPosting extended;

    /** Null with a shared receive queue, and if the queue pair has no queues of its own. */
    private final ReceiveQueue receiveQueue;

    /** Null if there is none. */
    private final SharedReceiveQueue sharedReceiveQueue;

    private final MulticastGroups multicastGroups = new MulticastGroups(this);
    private final List<CompletionBudget.Share> completionShares;

    QueuePair(ProtectionDomain domain, QueuePairConfig config) {
        config.parents().forEach(Resource::requireOpen);
        config.fitCompletionQueues();
        DeviceContext context = domain.context();
        PortAttributes port = context.port(config.port());
        super(concat(domain, config.parents().toArray(Resource[]::new)));
        this.domain = domain;
        this.type = config.type();
        this.completionShares = config.completionShares();
        this.sharedReceiveQueue = config.sharedReceiveQueue();
        this.hasNoQueues = config.hasNoQueues();
        this.checks = new PostingChecks(
                config.type(),
                domain,
                // The requested limits. The device may grant more, but each request has memory for this much.
                config.maxInlineData(),
                config.maxSendScatterGather(),
                config.type() == QueuePairType.UD ? port.activeMtu().bytes() : port.maxMessageSize(),
                config.srd() == null ? port.maxMessageSize() : config.srd().maxRdmaSize(),
                config.maxSegmentHeader(),
                config.srd() != null && config.srd().inlineWrites());
        Set<SendOperation> onlyOperations = config.sendOperations();
        this.operations = onlyOperations.isEmpty()
                ? ~SendOpcode.mask(SendOpcode.FLUSH, SendOpcode.ATOMIC_WRITE)
                : onlyOperations.stream()
                        .mapToInt(operation -> 1 << operation.opcode())
                        .sum();
        boolean singleCallSuffices = onlyOperations.isEmpty()
                && !hasNoQueues
                && config.type() != QueuePairType.UD
                && config.type() != QueuePairType.XRC_SEND;
        int maxBatch = Math.min(MAX_BATCH, config.maxSendWorkRequests());
        this.batches = new ThreadBatches<>(user -> newBatch(maxBatch, user));
        this.requestArena = Arena.ofShared();
        QueuePairCreation.Created created;
        // All memory is allocated before the native object exists: a failure after its creation would leak it.
        try {
            this.singles = new SingleRequests(this, requestArena, newBatch(1, null), singleCallSuffices);
            this.receiveQueue = sharedReceiveQueue != null || config.hasNoQueues()
                    ? null
                    : new ReceiveQueue(
                            this,
                            domain,
                            requestArena,
                            config.maxReceiveWorkRequests(),
                            config.maxReceiveScatterGather(),
                            // Not the MTU, even for datagrams: a buffer also receives the header.
                            port.maxMessageSize());
            created = QueuePairCreation.create(domain, config);
        } catch (Throwable e) {
            requestArena.close();
            throw e;
        }
        this.queuePair = created.queuePair();
        this.queuePairAddress = queuePair.address();
        this.number = ibv_qp.qp_num(queuePair);
        boolean inUserSpace = context.driver().postsInUserSpace();
        ProviderFunctions provider = context.functions();
        nativeQueue(new SendFunctions(provider.postSend(), inUserSpace, queuePairAddress), created.extended());
        if (receiveQueue != null) {
            receiveQueue.nativeQueue(new ReceiveFunctions(provider.postReceive(), inUserSpace, queuePairAddress));
        }
    }

    private ReceiveQueue ownReceiveQueue() {
        if (receiveQueue == null) {
            throw new IllegalStateException("%s has no receive queue of its own. Post receives to %s"
                    .formatted(
                            this,
                            sharedReceiveQueue == null
                                    ? "the shared receive queues or work queues that receive for it"
                                    : "its " + sharedReceiveQueue));
        }
        return receiveQueue;
    }

    /** {@return the type of service} */
    public QueuePairType type() {
        return type;
    }

    /** {@return the queue pair number, 24 bits} */
    public int number() {
        return number;
    }

    /**
     * Queries the state of the queue pair (ibv_query_qp(3)).
     *
     * @return the state
     * @throws VerbsException if the query fails
     */
    public QueuePairState state() {
        return QueuePairModification.state(this);
    }

    /**
     * Queries attributes of the queue pair (ibv_query_qp(3)).
     *
     * @param attributes the attributes to query. With no arguments, queries every attribute except
     *     {@link QueuePairAttribute#RATE_LIMIT}, which no driver reports. Some drivers are faster if fewer are queried;
     *     most return all of them
     * @return the attributes; attributes that were not queried may be undefined
     * @throws UnsupportedVerbException if one of them cannot be queried
     * @throws VerbsException if the query fails
     */
    public QueuePairAttributes query(QueuePairAttribute... attributes) {
        return QueuePairModification.query(this, attributes);
    }

    /**
     * Queries the settings that the queue pair was created with (ibv_query_qp(3)).
     *
     * @return the type, the sizes and the other settings
     * @throws VerbsException if the query fails
     */
    public QueuePairInitAttributes queryInitial() {
        return QueuePairModification.queryInitial(this);
    }

    /**
     * Sets attributes, including the state (ibv_modify_qp(3)): {@code modify(a -> a.state(RTS).timeout(14)…)}. Only the
     * attributes that are set go to the driver. {@link PreparedQueuePair#connect} has already made the transitions of a
     * connected queue pair.
     *
     * @param configuration calls the setters
     * @throws IllegalArgumentException if a value is out of range, or above the device's limit; the message has both
     *     numbers
     * @throws ModifyQueuePairException if the driver refuses; it names missing and superfluous attributes, an
     *     impossible transition, invalid values, or what is wrong with the path to the peer. Nothing was modified
     * @throws UnsupportedVerbException if the driver does not support one of the attributes
     */
    public void modify(Consumer<QueuePairAttributesConfig> configuration) {
        QueuePairModification.modify(this, configuration);
    }

    /**
     * Attaches to a multicast group (ibv_attach_mcast(3)): this queue pair receives the group's datagrams that reach
     * the port. On InfiniBand the port must have joined the group before; on RoCE version 2, switches may not forward
     * the group to machines that have not joined. {@link io.github.rdma4j.verbs.cm.ConnectionId#joinMulticast} joins
     * and attaches. Closing the queue pair detaches it.
     *
     * @param group the group's GID ({@link Gid#isMulticast()}), which starts with {@code ff} or is an IPv4 group mapped
     *     into IPv6, as on RoCE version 2
     * @param lid the group's LID, 0xc000 or above; 0 on RoCE
     * @throws IllegalArgumentException if the GID names no group, or the LID has more than 16 bits
     * @throws IllegalStateException if the type is not UD, or it is attached already
     * @throws VerbsException if the device refuses
     */
    public void attachMulticast(Gid group, int lid) {
        multicastGroups.attach(group, lid);
    }

    /**
     * Detaches from a multicast group (ibv_detach_mcast(3)).
     *
     * @param group the group's GID
     * @param lid the group's LID, as in {@link #attachMulticast}
     * @throws IllegalArgumentException if the GID names no group, or the LID has more than 16 bits
     * @throws IllegalStateException if the type is not UD, or it is not attached
     * @throws VerbsException if the device refuses
     */
    public void detachMulticast(Gid group, int lid) {
        multicastGroups.detach(group, lid);
    }

    /**
     * Queries the ECE options of this queue pair (enhanced connection establishment, ibv_query_ece(3)): extensions of
     * the vendor that both sides must accept. Pass the result to the peer's {@link #setEce}. After {@code setEce} and
     * the transition to RTR, these are the accepted options.
     *
     * @return the options
     * @throws UnsupportedVerbException if the provider has no options
     */
    public EnhancedConnectionEstablishment queryEce() {
        return QueuePairTuning.queryEce(this);
    }

    /**
     * Sets the ECE options that the peer offers (ibv_set_ece(3)). Call it before the transition to INIT
     * or RTR.
     *
     * @param wanted the result of the peer's {@link #queryEce}
     * @return the options that this side accepts
     * @throws IllegalArgumentException if the vendor id is 0
     * @throws UnsupportedVerbException if the provider has no options
     * @throws VerbsException if the provider refuses
     */
    public EnhancedConnectionEstablishment setEce(EnhancedConnectionEstablishment wanted) {
        return QueuePairTuning.setEce(this, wanted);
    }

    /**
     * Limits the send rate (ibv_modify_qp_rate_limit(3)).
     *
     * @param limit the limit; 0 kbit/s for none
     * @throws UnsupportedVerbException if the device cannot pace packets
     * @throws VerbsException if the device refuses
     */
    public void modifyRateLimit(QueuePairRateLimit limit) {
        QueuePairTuning.modifyRateLimit(this, limit);
    }

    /**
     * Queries the order in which the data of an operation arrives in this side's memory
     * (ibv_query_qp_data_in_order(3)).
     *
     * @param operation the operation that transfers the data
     * @return the guaranteed order. rdma-core before 36 reports no order, so the result is {@link DataInOrder#NONE};
     *     before 46 it cannot report {@link DataInOrder#ALIGNED_128_BYTES}, so the result is {@code NONE} instead
     */
    public DataInOrder dataInOrder(IncomingOperation operation) {
        return QueuePairTuning.dataInOrder(this, operation);
    }

    /**
     * Moves the queue pair to the error state (ibv_modify_qp(3)). All outstanding requests then complete with
     * {@link WorkCompletionStatus#WR_FLUSH_ERR}. Call it to get all buffers back before a close: the close alone drops
     * outstanding requests without completions. Does nothing in the error state.
     *
     * @throws VerbsException if the device refuses
     */
    public void toError() {
        QueuePairTransitions.toError(this);
    }

    /** {@return the maximum number of bytes that a request can carry inline, 0 if none were requested} */
    public int maxInlineData() {
        return checks.maxInlineData();
    }

    /**
     * Posts an RDMA write ({@code IBV_WR_RDMA_WRITE}), which copies local memory to the peer's memory. The peer is not
     * notified.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write, of any length up to the port's {@link PortAttributes#maxMessageSize()}
     * @param remote the destination, at least as long as {@code local}; its region and the peer's queue pair
     *     ({@link QueuePairConfig#remoteAccess}, by default none) need {@link AccessFlag#REMOTE_WRITE}
     * @param flags a combination of {@link SendFlags}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair or the region is closed, or the queue pair
     *     cannot send yet
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostWrite(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        checks.oneSided(SendOpcode.RDMA_WRITE, local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Posts an RDMA write that notifies the peer ({@code IBV_WR_RDMA_WRITE_WITH_IMM}). It consumes one of the peer's
     * receives, whose completion carries the number.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write
     * @param remote the destination; see {@link #tryPostWrite(long, MemorySlice, RemoteMemory, int)}
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags a combination of {@link SendFlags}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair or the region is closed, or the queue pair
     *     cannot send yet
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostWriteWithImmediate(
            long workRequestId, MemorySlice local, RemoteMemory remote, int immediate, int flags) {
        checks.oneSided(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_WRITE_WITH_IMMEDIATE,
                workRequestId,
                local,
                remote.address(),
                remote.remoteKey(),
                ByteOrders.toNetwork(immediate),
                flags);
    }

    /**
     * Posts an RDMA read ({@code IBV_WR_RDMA_READ}): it copies the peer's memory to local memory. The peer is not
     * notified.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the destination; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote the memory to read, at least as long as {@code local}; its region and the peer's queue pair
     *     ({@link QueuePairConfig#remoteAccess}, by default none) need {@link AccessFlag#REMOTE_READ}
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair or the region is closed, or the queue pair
     *     cannot send yet
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostRead(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        checks.read(local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Posts a send ({@code IBV_WR_SEND}): the message goes into the oldest receive that the peer has posted.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most {@link PortAttributes#maxMessageSize()} bytes. A message longer than the peer's
     *     receive breaks the connection
     * @param flags a combination of {@link SendFlags}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair or the region is closed, or the queue pair
     *     cannot send yet
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostSend(long workRequestId, MemorySlice local, int flags) {
        checks.send(SendOpcode.SEND, local, flags);
        return singles.transfer(SendOpcode.SEND, workRequestId, local, 0, 0, 0, flags);
    }

    /**
     * Posts a send with a number that accompanies the message ({@code IBV_WR_SEND_WITH_IMM}).
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most {@link PortAttributes#maxMessageSize()} bytes. A message longer than the peer's
     *     receive breaks the connection
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags a combination of {@link SendFlags}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair or the region is closed, or the queue pair
     *     cannot send yet
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostSendWithImmediate(long workRequestId, MemorySlice local, int immediate, int flags) {
        checks.send(SendOpcode.SEND_WITH_IMMEDIATE, local, flags);
        return singles.transfer(
                SendOpcode.SEND_WITH_IMMEDIATE, workRequestId, local, 0, 0, ByteOrders.toNetwork(immediate), flags);
    }

    /**
     * Posts a compare-and-swap on eight bytes of the peer, in the byte order of the peer's CPU; see {@link
     * SendBatch#compareAndSwap}.
     *
     * @param workRequestId identifies the request in its completion
     * @param previous the destination of the previous value, eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; its region and the peer's queue pair need
     *     {@link AccessFlag#REMOTE_ATOMIC}
     * @param expected the value to compare with
     * @param newValue the value to store if the comparison holds
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair or the region is closed, or the queue pair
     *     cannot send yet
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostCompareAndSwap(
            long workRequestId, MemorySlice previous, RemoteMemory remote, long expected, long newValue, int flags) {
        return singles.compareAndSwap(workRequestId, previous, remote, expected, newValue, flags);
    }

    /**
     * Posts a fetch-and-add on eight bytes of the peer, in the byte order of the peer's CPU; see {@link
     * SendBatch#fetchAndAdd}.
     *
     * @param workRequestId identifies the request in its completion
     * @param previous the destination of the previous value, eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; its region and the peer's queue pair need
     *     {@link AccessFlag#REMOTE_ATOMIC}
     * @param addend the number to add, wrapping around
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair or the region is closed, or the queue pair
     *     cannot send yet
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostFetchAndAdd(
            long workRequestId, MemorySlice previous, RemoteMemory remote, long addend, int flags) {
        return singles.fetchAndAdd(workRequestId, previous, remote, addend, flags);
    }

    /**
     * Posts the binding of a memory window of type 2; see {@link SendBatch#bindMemoryWindow}.
     *
     * @param workRequestId identifies the request in its completion
     * @param window of type 2 and of this queue pair's protection domain; not bound
     * @param remoteKey the new key: {@link MemoryWindow#nextRemoteKey()}, or another one that differs in the low byte
     *     only
     * @param slice the part that the peer may use, of a region with {@link AccessFlag#MW_BIND}; not empty
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @param access what the peer may do
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the window, the region or the queue pair is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostBindMemoryWindow(
            long workRequestId,
            MemoryWindow window,
            int remoteKey,
            MemorySlice slice,
            int flags,
            AccessFlag... access) {
        return singles.bindMemoryWindow(workRequestId, window, remoteKey, slice, flags, access);
    }

    /**
     * Posts a local invalidate ({@code IBV_WR_LOCAL_INV}): the memory window with this key loses its binding. See
     * {@link SendBatch#localInvalidate}.
     *
     * @param workRequestId identifies the request in its completion
     * @param remoteKey the key of the window
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if a flag is invalid, or the queue pair's type has no such operation
     * @throws IllegalStateException if the queue pair is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostLocalInvalidate(long workRequestId, int remoteKey, int flags) {
        return singles.localInvalidate(workRequestId, remoteKey, flags);
    }

    /**
     * Posts a datagram; for queue pairs of type UD.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most as long as the port's MTU
     * @param destination the destination
     * @param flags a combination of {@link SendFlags}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid, or the queue pair has another type
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostSend(long workRequestId, MemorySlice local, Destination destination, int flags) {
        checks.send(SendOpcode.SEND, local, flags);
        return singles.datagram(SendOpcode.SEND, workRequestId, local, 0, destination, flags);
    }

    /**
     * Posts a datagram with a number that accompanies the message.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most as long as the port's MTU
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param destination the destination
     * @param flags a combination of {@link SendFlags}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid, or the queue pair has another type
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostSendWithImmediate(
            long workRequestId, MemorySlice local, int immediate, Destination destination, int flags) {
        checks.send(SendOpcode.SEND_WITH_IMMEDIATE, local, flags);
        return singles.datagram(
                SendOpcode.SEND_WITH_IMMEDIATE,
                workRequestId,
                local,
                ByteOrders.toNetwork(immediate),
                destination,
                flags);
    }

    /**
     * Starts the preparation of a request that is posted many times. The request is checked and written once, so a post
     * is little more than the call into the adapter's library. This is the fastest way to post.
     *
     * @return the preparation, which creates a {@link PreparedRequest}
     * @throws IllegalStateException if the queue pair is closed
     */
    public RequestPreparation prepare() {
        requireOpen();
        return new RequestPreparation(this);
    }

    /**
     * Starts a batch: many requests are posted by one call into the adapter's library, with one doorbell. Each thread
     * has one batch per queue pair, which is reused; starting it drops the requests that the thread has not posted. The
     * batches of {@value ThreadBatches#KEPT} threads are kept; if more threads take turns, some batches are created
     * again.
     *
     * @return the calling thread's batch, empty
     * @throws IllegalStateException if the queue pair is closed
     */
    public SendBatch startBatch() {
        requireOpen();
        return batches.own().start();
    }

    /**
     * Prepares a receive that is posted many times.
     *
     * @param local the buffer; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @return the receive, not posted yet
     * @throws IllegalArgumentException if the region is not of this queue pair's protection domain or not writable
     * @throws IllegalStateException if the queue pair or the region is closed,
     *     or receives are posted to other queues (a shared receive queue)
     */
    public PreparedReceive prepareReceive(MemorySlice local) {
        return ownReceiveQueue().prepare(local);
    }

    /**
     * Prepares the receives of many buffers, which are posted many times.
     *
     * @param firstWorkRequestId identifies the receive of the first buffer in its completion; each further buffer has
     *     the next number
     * @param buffers 1 to 131072 buffers; their regions need {@link AccessFlag#LOCAL_WRITE}
     * @return the receives, not posted yet
     * @throws IllegalArgumentException if a region is not of this queue pair's protection domain or not writable, or
     *     there are no buffers, or too many
     * @throws IllegalStateException if the queue pair or a region is closed,
     *     or receives are posted to other queues (a shared receive queue)
     */
    public PreparedReceives prepareReceives(long firstWorkRequestId, List<MemorySlice> buffers) {
        return ownReceiveQueue().prepare(firstWorkRequestId, buffers);
    }

    /**
     * Posts a receive, which is a buffer for one message (ibv_post_recv(3)).
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; its region needs {@link AccessFlag#LOCAL_WRITE}. A longer message breaks the connection.
     *     On a UD queue pair a datagram begins 40 bytes into the buffer, after its header
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if the region is not of this queue pair's protection domain or not writable
     * @throws IllegalStateException if the queue pair or the region is closed,
     *     or receives are posted to other queues (a shared receive queue)
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostReceive(long workRequestId, MemorySlice local) {
        return ownReceiveQueue().post(workRequestId, local);
    }

    /**
     * Posts a receive that scatters the message over several slices, filled in order.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer; the regions need {@link AccessFlag#LOCAL_WRITE}. A longer message breaks the connection.
     *     On a UD queue pair a datagram begins 40 bytes into the buffer, after its header
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if a region is not of this queue pair's protection domain or not writable, or
     *     there are more slices than {@link QueuePairConfig#maxReceiveScatterGather} allowed
     * @throws IllegalStateException if the queue pair or a region is closed,
     *     or receives are posted to other queues (a shared receive queue)
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostReceive(long workRequestId, SliceList local) {
        return ownReceiveQueue().post(workRequestId, local);
    }

    /**
     * Starts a batch of receives. Each thread has one per queue pair, which is reused; starting it drops the requests
     * that the thread has not posted.
     *
     * @return the calling thread's batch, empty
     * @throws IllegalStateException if the queue pair is closed,
     *     or receives are posted to other queues (a shared receive queue)
     */
    public ReceiveBatch startReceiveBatch() {
        return ownReceiveQueue().startBatch();
    }

    /** {@return the protection domain that the queue pair was created in} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Returns its own receive queue, or null. */
    ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    /** Returns the completions that it can have in completion queues. */
    List<CompletionBudget.Share> completionShares() {
        return completionShares;
    }

    private SendBatch newBatch(int capacity, Thread user) {
        return new SendBatch(
                this,
                capacity,
                new SendRecorder(
                        this, capacity, checks.maxSendEntries(), checks.maxInlineData(), checks.maxSegmentHeader()),
                user);
    }

    /** Sets the functions that post. {@code extendedPosting} is null without {@code ibv_wr_*}. */
    void nativeQueue(SendFunctions sendFunctions, ExtendedPosting extendedPosting) {
        this.functions = sendFunctions;
        this.extended = extendedPosting;
        singles.nativeQueue(sendFunctions);
    }

    /** Returns the single requests, for {@link SrdQueuePair}. */
    SingleRequests singles() {
        return singles;
    }

    /** Enters the send queue, and returns the argument of {@link #exitSend}, which must follow. */
    int enterSend() {
        int entry = sendGuard.enter();
        if (entry == ExclusiveGuard.CLOSED) {
            throw closedException();
        }
        return entry;
    }

    /** Returns the functions that post single requests. */
    SendFunctions functions() {
        return functions;
    }

    /** Returns the checks, for {@link SendBatch} and {@link RequestPreparation}. */
    PostingChecks checks() {
        return checks;
    }

    void exitSend(int entry) {
        sendGuard.exit(entry);
    }

    /** Returns the guard, to wait until no thread posts. */
    ExclusiveGuard sendGuard() {
        return sendGuard;
    }

    boolean isExtended() {
        return extended != null;
    }

    /**
     * Returns true if {@code errno} is 0, false if the send queue is full; otherwise throws. Called outside the guard.
     */
    boolean accepted(int errno) {
        return errno == 0 || PostRefusal.ofSend(this, errno);
    }

    /**
     * Throws unless this queue pair can post the operation. This check is never turned off, because the function for
     * the operation may be missing.
     */
    void requireOperation(int opcode, int flags) {
        if (hasNoQueues) {
            throw new IllegalArgumentException(this + " has no send queue");
        }
        if (extended == null ? (operations >>> opcode & 1) == 0 : !extended.can(opcode, flags)) {
            if (type == QueuePairType.DRIVER && type.allows(opcode)) {
                throw SrdQueuePairConfig.missing(domain.context().device().name(), opcode);
            }
            throw new UnsupportedVerbException(
                    "posting %s%s on %s"
                            .formatted(
                                    SendOpcode.withArticle(opcode),
                                    (flags & SendFlags.INLINE) == 0 ? "" : " inline",
                                    this),
                    Errno.EOPNOTSUPP,
                    "it was not created for this: QueuePairConfig.sendOperations did not name it");
        }
    }

    void requireEqualLengths(SliceList local, int flags) {
        if (extended != null && extended.takesEqualSlicesOnly() && (flags & SendFlags.INLINE) == 0) {
            Checks.equalLengths(local);
        }
    }

    /** Posts the requests from {@code first} to before {@code end}, inside the guard. */
    int postRequests(SendRequests requests, int first, int end) {
        if (extended != null) {
            return extended.post(requests, first, end);
        }
        requests.begin(requests.addressOf(first));
        // The native list must end with the last request of this post. It is linked again afterwards.
        requests.cut(end - 1);
        requests.forgetBadRequest();
        int result = functions.post(requests);
        requests.link(end - 1);
        return result;
    }

    /** {@return whether posts call ibv_wr_start to ibv_wr_complete, not ibv_post_send} */
    boolean hasExtendedPosting() {
        return extended != null;
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
        multicastGroups.detachAll();
        domain.closeWindowsBoundTo(this);
        sendGuard.close();
        if (receiveQueue != null) {
            receiveQueue.close();
        }
        checkDestroyed(
                domain.context().driver(),
                "ibv_destroy_qp(0x%06x)".formatted(number),
                ExportedVerb.DESTROY_QP.number(queuePair));
    }

    @Override
    void reopen() {
        sendGuard.reopen();
        if (receiveQueue != null) {
            receiveQueue.reopen();
        }
    }

    @Override
    void afterRelease() {
        closeMemory(requestArena);
    }

    /** {@return number and device} */
    @Override
    public String toString() {
        return "queue pair 0x%06x of %s"
                .formatted(number, domain.context().device().name());
    }
}
