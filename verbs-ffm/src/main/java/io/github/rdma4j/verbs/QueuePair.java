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
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import io.github.rdma4j.verbs.internal.datapath.ExtendedPosting;
import io.github.rdma4j.verbs.internal.datapath.SendPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A connected queue pair ({@code struct ibv_qp}); {@link PreparedQueuePair#connect} gives it. Any thread may post, at
 * any time: the requests of several threads are posted one after the other. A batch belongs to the thread that starts
 * it.
 *
 * <p>The posting methods return at once: the transfer is done when its completion is polled, and until then the local
 * memory belongs to the adapter (except with {@link SendFlags#INLINE}). They return 0, or the errno of the refusal:
 * {@link #QUEUE_FULL} means that completions must be polled first. Nothing is thrown for a full queue, and nothing is
 * lost. A mistake in the arguments is an exception, and so is a post in a state that does not allow it. They allocate
 * nothing.
 *
 * <p>Thread safety: all methods may be called from any thread. Posting is fastest from one thread for sends and one for
 * receives, as long as no other joins in. A {@link SendBatch} or {@link ReceiveBatch} is for the thread that started
 * it.
 *
 * @since 0.1.0
 */
public final class QueuePair extends Resource {
    /** What posting returns when the queue has no room (ENOMEM): poll completions, and post again. */
    public static final int QUEUE_FULL = Errno.ENOMEM;

    private static final int MAX_BATCH = SendRequests.MAX_BATCH;

    private final ProtectionDomain domain;
    private final QueuePairType type;
    private final MemorySegment queuePair;
    private final long queuePairAddress;
    private final int number;
    private final Arena requestArena;

    private final ExclusiveGuard sendGuard = new ExclusiveGuard();
    private final boolean onlyReceives;
    private final PostingChecks checks;
    private final SingleRequests singles;
    private final ThreadBatches<SendBatch> batches;

    /** Those that basic posting may be asked for, as bits by their opcodes. */
    private final int operations;

    private SendPath path;
    /** Null with basic posting. */
    private ExtendedPosting extended;

    /** One of these two is null. */
    private final ReceiveQueue receiveQueue;

    private final SharedReceiveQueue sharedReceiveQueue;
    private final MulticastGroups multicastGroups = new MulticastGroups(this);
    private final List<CompletionBudget.Share> completionShares;
    private final DataPathChoice sendPath;
    private final DataPathChoice receivePath;

    QueuePair(ProtectionDomain domain, QueuePairConfig config) {
        config.parents().forEach(Resource::requireOpen);
        config.fitCompletionQueues();
        DeviceContext context = domain.context();
        PortAttributes port = context.port(config.port());
        Arena arena = Arena.ofShared();
        // All memory before the native object: what failed behind its creation would lose it.
        super(concat(domain, config.parents().toArray(Resource[]::new)));
        this.domain = domain;
        this.type = config.type();
        this.requestArena = arena;
        this.completionShares = config.completionShares();
        this.sharedReceiveQueue = config.sharedReceiveQueue();
        this.onlyReceives = config.onlyReceives();
        this.checks = new PostingChecks(
                config.type(),
                domain,
                // The device may give more than was asked for; what nobody asked for needs no room.
                config.maxInlineData(),
                config.maxSendScatterGather(),
                config.type() == QueuePairType.UD ? port.activeMtu().bytes() : port.maxMessageSize(),
                config.maxSegmentHeader());
        Set<SendOperation> onlyOperations = config.sendOperations();
        this.operations = onlyOperations.isEmpty()
                ? ~SendOpcode.mask(SendOpcode.FLUSH, SendOpcode.ATOMIC_WRITE)
                : onlyOperations.stream()
                        .mapToInt(operation -> 1 << operation.opcode())
                        .sum();
        boolean requestsArePlain = onlyOperations.isEmpty()
                && !onlyReceives
                && config.type() != QueuePairType.UD
                && config.type() != QueuePairType.XRC_SEND;
        this.singles = new SingleRequests(this, arena, newBatch(1, null), requestsArePlain);
        int maxBatch = Math.min(MAX_BATCH, config.maxSendWorkRequests());
        this.batches = new ThreadBatches<>(user -> newBatch(maxBatch, user));
        this.receiveQueue = sharedReceiveQueue != null || config.onlyReceives()
                ? null
                : new ReceiveQueue(
                        this,
                        domain,
                        requestArena,
                        config.maxReceiveWorkRequests(),
                        config.maxReceiveScatterGather(),
                        // Before a datagram there is its header: the room is longer than the message.
                        port.maxMessageSize());
        QueuePairCreation.Created created;
        try {
            created = QueuePairCreation.create(domain, config, arena);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
        this.queuePair = created.queuePair();
        this.queuePairAddress = queuePair.address();
        this.number = ibv_qp.qp_num(queuePair);
        DataPaths.OfQueuePair paths = created.paths();
        nativeQueue(paths.sends().path(), created.extended());
        this.sendPath = paths.sends().choice();
        if (receiveQueue == null) {
            this.receivePath = sharedReceiveQueue == null ? sendPath : sharedReceiveQueue.dataPath();
        } else {
            receiveQueue.nativeQueue(paths.receives().path());
            this.receivePath = paths.receives().choice();
        }
    }

    private ReceiveQueue ownReceiveQueue() {
        if (receiveQueue == null) {
            throw new IllegalStateException("%s takes its receives from %s: post there"
                    .formatted(this, sharedReceiveQueue == null ? "the queues behind it" : "a " + sharedReceiveQueue));
        }
        return receiveQueue;
    }

    /** {@return the service that it gives} */
    public QueuePairType type() {
        return type;
    }

    /** {@return the queue pair number, 24 bits} */
    public int number() {
        return number;
    }

    /** {@return which way its requests for sending take to the adapter, and why so} */
    public DataPathChoice sendPath() {
        return DataPaths.now(sendPath, path().refusal());
    }

    /** {@return which way its receives take, those of a shared receive queue if it has one, and why so} */
    public DataPathChoice receivePath() {
        return receivePath;
    }

    /**
     * Where the queue pair stands now (ibv_query_qp(3)).
     *
     * @return the state
     * @throws VerbsException if the query fails
     */
    public QueuePairState state() {
        return QueuePairModification.state(this);
    }

    /**
     * The attributes as they are now (ibv_query_qp(3)).
     *
     * @param attributes which are asked for: some drivers answer quicker for fewer, most tell all in any case. None for
     *     all but {@link QueuePairAttribute#RATE_LIMIT}, which drivers do not tell today
     * @return the attributes; those not asked for may mean nothing
     * @throws UnsupportedVerbException if one of them cannot be queried
     * @throws VerbsException if the query fails
     */
    public QueuePairAttributes query(QueuePairAttribute... attributes) {
        return QueuePairModification.query(this, attributes);
    }

    /**
     * What the queue pair was created as (ibv_query_qp(3)).
     *
     * @return type, sizes and the like
     * @throws VerbsException if the query fails
     */
    public QueuePairInitAttributes queryInitial() {
        return QueuePairModification.queryInitial(this);
    }

    /**
     * Sets attributes, the state among them (ibv_modify_qp(3)): {@code modify(a -> a.state(RTS).timeout(14)…)}. What is
     * set, and nothing else, goes to the driver. A queue pair that {@link PreparedQueuePair#connect} gave needs this
     * only for changes.
     *
     * @param configuration calls the setters
     * @throws IllegalArgumentException if a value is out of range, or above the device's limit; the message gives both
     *     numbers
     * @throws ModifyQueuePairException if the driver refuses; it names missing and superfluous attributes, an
     *     impossible transition, values that cannot be, or what is wrong with the way to the peer. Nothing was modified
     * @throws UnsupportedVerbException if the driver does not offer one of the attributes
     */
    public void modify(Consumer<QueuePairAttributesConfig> configuration) {
        QueuePairModification.modify(this, configuration);
    }

    /**
     * Attaches to a multicast group (ibv_attach_mcast(3)): its datagrams come into this queue pair's receives as far as
     * they reach the port. On InfiniBand the port must have joined the group before; on RoCE version 2, switches may
     * keep the group from machines that have not. {@link io.github.rdma4j.verbs.cm.ConnectionId#joinMulticast} does
     * both. Closing the queue pair detaches.
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
     * @param lid the group's LID, as it was attached
     * @throws IllegalArgumentException if the GID names no group, or the LID has more than 16 bits
     * @throws IllegalStateException if the type is not UD, or it is not attached
     * @throws VerbsException if the device refuses
     */
    public void detachMulticast(Gid group, int lid) {
        multicastGroups.detach(group, lid);
    }

    /**
     * What the provider offers beyond the standard, to be sent to the peer; after {@link #setEce} and the transition to
     * RTR, what was accepted (ibv_query_ece(3)).
     *
     * @return the provider's value
     * @throws UnsupportedVerbException if the provider has nothing to offer
     */
    public EnhancedConnectionEstablishment queryEce() {
        return QueuePairTuning.queryEce(this);
    }

    /**
     * Sets what the peer offers beyond the standard (ibv_set_ece(3)); before the transition to INIT or RTR.
     *
     * @param wanted as the peer's {@link #queryEce} gave it
     * @return what this side accepts of it
     * @throws IllegalArgumentException if the vendor id is 0
     * @throws UnsupportedVerbException if the provider knows no such thing
     * @throws VerbsException if the provider refuses
     */
    public EnhancedConnectionEstablishment setEce(EnhancedConnectionEstablishment wanted) {
        return QueuePairTuning.setEce(this, wanted);
    }

    /**
     * Limits the rate of sending (ibv_modify_qp_rate_limit(3)).
     *
     * @param limit the limit; 0 kbit/s for none
     * @throws UnsupportedVerbException if the device cannot pace packets
     * @throws VerbsException if the device refuses
     */
    public void modifyRateLimit(QueuePairRateLimit limit) {
        QueuePairTuning.modifyRateLimit(this, limit);
    }

    /**
     * In which order the data of an operation arrives in this side's memory (ibv_query_qp_data_in_order(3)).
     *
     * @param operation that brings the data
     * @return the order that is guaranteed; {@link DataInOrder#NONE} also where nothing is known, as before rdma-core
     *     36, and before 46 for {@link DataInOrder#ALIGNED_128_BYTES}
     */
    public DataInOrder dataInOrder(IncomingOperation operation) {
        return QueuePairTuning.dataInOrder(this, operation);
    }

    /**
     * Moves the queue pair to the error state (ibv_modify_qp(3)), so that everything still posted completes, with
     * {@link WorkCompletionStatus#WR_FLUSH_ERR}: the way to get all buffers back before closing. Closing alone drops
     * what is posted without completions. Does nothing in the error state.
     *
     * @throws VerbsException if the device refuses
     */
    public void toError() {
        QueuePairTransitions.toError(this);
    }

    /** {@return the most bytes that a request can carry inline, 0 if none were asked for} */
    public int maxInlineData() {
        return checks.maxInlineData();
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
        checks.oneSided(SendOpcode.RDMA_WRITE, local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Posts an RDMA write that tells the peer ({@code IBV_WR_RDMA_WRITE_WITH_IMM}): it consumes one of the peer's
     * receives, whose completion carries the number.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write
     * @param remote where to; at least as long
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags of {@link SendFlags}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postWriteWithImmediate(
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
        checks.read(local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
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
        checks.send(SendOpcode.SEND, local, flags);
        return singles.transfer(SendOpcode.SEND, workRequestId, local, 0, 0, 0, flags);
    }

    /**
     * Posts a send with a number beside the message ({@code IBV_WR_SEND_WITH_IMM}).
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags of {@link SendFlags}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postSendWithImmediate(long workRequestId, MemorySlice local, int immediate, int flags) {
        checks.send(SendOpcode.SEND_WITH_IMMEDIATE, local, flags);
        return singles.transfer(
                SendOpcode.SEND_WITH_IMMEDIATE, workRequestId, local, 0, 0, ByteOrders.toNetwork(immediate), flags);
    }

    /**
     * Posts a compare-and-swap on eight bytes of the peer; see {@link SendBatch#compareAndSwap}.
     *
     * @param workRequestId comes back in the completion
     * @param original where the value before the operation goes: eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postCompareAndSwap(
            long workRequestId, MemorySlice original, RemoteMemory remote, long expected, long newValue, int flags) {
        return singles.compareAndSwap(workRequestId, original, remote, expected, newValue, flags);
    }

    /**
     * Posts a fetch-and-add on eight bytes of the peer; see {@link SendBatch#fetchAndAdd}.
     *
     * @param workRequestId comes back in the completion
     * @param original where the value before the operation goes: eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param addend is added, wrapping around
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public int postFetchAndAdd(long workRequestId, MemorySlice original, RemoteMemory remote, long addend, int flags) {
        return singles.fetchAndAdd(workRequestId, original, remote, addend, flags);
    }

    /**
     * Posts the binding of a memory window of type 2; see {@link SendBatch#bindMemoryWindow}.
     *
     * @param workRequestId comes back in the completion
     * @param window of type 2 and of this queue pair's protection domain; not bound
     * @param remoteKey the new key: {@link MemoryWindow#nextRemoteKey()}, or another one that differs in the low byte
     *     only
     * @param slice what the peer may use, of a region with {@link AccessFlag#MW_BIND}; not empty
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @param access what the peer may do
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the window, the region or the queue pair is closed
     */
    public int postBindMemoryWindow(
            long workRequestId,
            MemoryWindow window,
            int remoteKey,
            MemorySlice slice,
            int flags,
            AccessFlag... access) {
        return singles.bindMemoryWindow(workRequestId, window, remoteKey, slice, flags, access);
    }

    /**
     * Posts the invalidation of a key of this side; see {@link SendBatch#localInvalidate}.
     *
     * @param workRequestId comes back in the completion
     * @param remoteKey the window's
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalStateException if the queue pair is closed
     */
    public int postLocalInvalidate(long workRequestId, int remoteKey, int flags) {
        return singles.localInvalidate(workRequestId, remoteKey, flags);
    }

    /**
     * Posts a datagram; for queue pairs of type UD.
     *
     * @param workRequestId comes back in the completion
     * @param local the message, at most as long as the port's MTU
     * @param destination where it goes
     * @param flags of {@link SendFlags}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together, or the queue pair has another type
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     */
    public int postSend(long workRequestId, MemorySlice local, Destination destination, int flags) {
        checks.send(SendOpcode.SEND, local, flags);
        return singles.datagram(SendOpcode.SEND, workRequestId, local, 0, destination, flags);
    }

    /**
     * Posts a datagram with a number beside the message.
     *
     * @param workRequestId comes back in the completion
     * @param local the message, at most as long as the port's MTU
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param destination where it goes
     * @param flags of {@link SendFlags}
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together, or the queue pair has another type
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     */
    public int postSendWithImmediate(
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
     * Prepares a request that is posted many times: it is checked and written once, here, and a post is little more
     * than the call into the adapter's library. The quickest way to post.
     *
     * @return what says which request; see {@link PreparedRequest}
     * @throws IllegalStateException if the queue pair is closed
     */
    public RequestPreparation prepare() {
        requireOpen();
        return new RequestPreparation(this);
    }

    /**
     * Starts a batch: many requests, one call into the adapter's library, one doorbell. Each thread has one batch per
     * queue pair, used again and again; starting drops what the thread has not posted. The batches of
     * {@value ThreadBatches#KEPT} threads are kept; if more than that take turns, some are made anew.
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
     * @param local the room; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @return the receive, to be posted
     * @throws IllegalArgumentException if the region is not of this queue pair's protection domain or not writable
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public PreparedReceive prepareReceive(MemorySlice local) {
        return ownReceiveQueue().prepare(local);
    }

    /**
     * Prepares the receives of many rooms, which are posted many times.
     *
     * @param firstWorkRequestId comes back in the completion of the first room, the next number in that of the second,
     *     and so on
     * @param rooms 1 to 131072; their regions need {@link AccessFlag#LOCAL_WRITE}
     * @return the receives, to be posted
     * @throws IllegalArgumentException if a region is not of this queue pair's protection domain or not writable, or
     *     there are no rooms, or too many
     * @throws IllegalStateException if the queue pair or a region is closed
     */
    public PreparedReceives prepareReceives(long firstWorkRequestId, List<MemorySlice> rooms) {
        return ownReceiveQueue().prepare(firstWorkRequestId, rooms);
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
        return ownReceiveQueue().post(workRequestId, local);
    }

    /**
     * Posts a receive that scatters the message over several slices, filled in order.
     *
     * @param workRequestId comes back in the completion
     * @param local the room; the regions need {@link AccessFlag#LOCAL_WRITE}. A longer message breaks the connection
     * @return 0, or {@link #QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if a region is not of this queue pair's protection domain or not writable, or
     *     there are more slices than {@link QueuePairConfig#maxReceiveScatterGather} allowed
     * @throws IllegalStateException if the queue pair or a region is closed
     */
    public int postReceive(long workRequestId, SliceList local) {
        return ownReceiveQueue().post(workRequestId, local);
    }

    /**
     * Starts a batch of receives. Each thread has one per queue pair, used again and again; starting drops what the
     * thread has not posted.
     *
     * @return the calling thread's batch, empty
     * @throws IllegalStateException if the queue pair is closed
     */
    public ReceiveBatch startReceiveBatch() {
        return ownReceiveQueue().startBatch();
    }

    /** {@return the protection domain that it was created in} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Its own; null if it has none. */
    ReceiveQueue receiveQueue() {
        return receiveQueue;
    }

    /** What it can have in completion queues. */
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

    /** Sets how requests reach the adapter. {@code extendedPosting} is null without {@code ibv_wr_*}. */
    void nativeQueue(SendPath sendPath, ExtendedPosting extendedPosting) {
        this.path = sendPath;
        this.extended = extendedPosting;
        singles.nativeQueue(sendPath);
    }

    /** Must be followed by {@link #exitSend()}. */
    void enterSend() {
        if (!sendGuard.enter()) {
            throw closedException();
        }
    }

    /** For requests that go one by one. */
    SendPath path() {
        return path;
    }

    /** For {@link SendBatch} and {@link RequestPreparation}. */
    PostingChecks checks() {
        return checks;
    }

    void exitSend() {
        sendGuard.exit();
    }

    /** For who must wait until no thread posts. */
    ExclusiveGuard sendGuard() {
        return sendGuard;
    }

    boolean isExtended() {
        return extended != null;
    }

    /** What a posting call for sends returns, outside the guard. */
    int result(int errno) {
        return errno != 0 && QueuePairModification.comesOfState(this, errno)
                ? QueuePairModification.refusedSend(this, errno)
                : errno;
    }

    /** Not among the checks that can be switched off: the function for it may be missing. */
    void requireOperation(int opcode, int flags) {
        if (onlyReceives) {
            throw new IllegalArgumentException(this + " has no send queue");
        }
        if (extended == null ? (operations >>> opcode & 1) == 0 : !extended.can(opcode, flags)) {
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

    void requireGoodList(SliceList local, int flags) {
        if (extended != null && extended.takesEqualSlicesOnly() && (flags & SendFlags.INLINE) == 0) {
            Checks.equalLengths(local);
        }
    }

    /** Posts the first requests, inside the guard. */
    int postRequests(SendRequests requests, int count) {
        if (extended != null) {
            return extended.post(requests, count);
        }
        requests.cut(count - 1);
        requests.forgetBadRequest();
        int result = path.post(requests);
        requests.link(count - 1);
        return result;
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
        sendGuard().close();
        if (receiveQueue != null) {
            receiveQueue.close();
        }
        Failures.check(
                "ibv_destroy_qp(0x%06x)".formatted(number),
                path().forget(() -> ExportedVerb.DESTROY_QP.number(queuePair), true));
    }

    @Override
    void reopen() {
        sendGuard().reopen();
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
