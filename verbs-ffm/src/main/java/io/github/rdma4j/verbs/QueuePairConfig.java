// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.PortAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * Settings of a queue pair ({@code struct ibv_qp_init_attr} and the attributes of INIT). Each setter returns this
 * object. Every setting except the completion queue has a default.
 *
 * @since 0.1.0
 */
public final class QueuePairConfig {
    private final QueuePairType type;
    private CompletionQueue sendCompletionQueue;
    private CompletionQueue receiveCompletionQueue;
    private SharedReceiveQueue sharedReceiveQueue;
    private final QueuePairDepths depths = new QueuePairDepths();
    private int maxSendScatterGather = 1;
    private int maxReceiveScatterGather = 1;
    /** More than any device supports. */
    static final int MOST_INLINE_DATA = 0xffff;

    private int maxInlineData;
    private boolean scatterToCompletion = true;
    private boolean signalAll;
    private int port = 1;
    private OptionalInt gidIndex = OptionalInt.empty();
    private int partitionKeyIndex;
    private int packetSequenceNumber = ThreadLocalRandom.current().nextInt(1 << 24);
    private int remoteAccess;
    private int queueKey = 0x11111111;
    private Set<SendOperation> sendOperations = Set.of();
    private Set<QueuePairCreationFlag> creationFlags = Set.of();
    private OptionalInt sourceQueuePairNumber = OptionalInt.empty();
    private int maxSegmentHeader;
    private XrcDomain xrcDomain;
    private ReceiveWorkQueueTable receiveTable;
    private ReceiveHashConfig receiveHash;
    private SrdQueuePairConfig srd;

    QueuePairConfig(QueuePairType type) {
        this.type = Objects.requireNonNull(type, "type");
    }

    /**
     * Sets the completion queue of sends and receives.
     *
     * @param queue of the same device
     * @return this
     */
    public QueuePairConfig completionQueue(CompletionQueue queue) {
        sendCompletionQueue = Objects.requireNonNull(queue, "completion queue");
        receiveCompletionQueue = queue;
        return this;
    }

    /**
     * Sets the completion queue of sends, writes and reads.
     *
     * @param queue of the same device
     * @return this
     */
    public QueuePairConfig sendCompletionQueue(CompletionQueue queue) {
        sendCompletionQueue = Objects.requireNonNull(queue, "send completion queue");
        return this;
    }

    /**
     * Sets the completion queue of receives.
     *
     * @param queue of the same device
     * @return this
     */
    public QueuePairConfig receiveCompletionQueue(CompletionQueue queue) {
        receiveCompletionQueue = Objects.requireNonNull(queue, "receive completion queue");
        return this;
    }

    /**
     * Sets a shared receive queue, which replaces the queue pair's own receive queue; default none. Receives are then
     * posted to the shared queue, and closing that queue closes the queue pair.
     *
     * @param queue of the same protection domain
     * @return this
     */
    public QueuePairConfig sharedReceiveQueue(SharedReceiveQueue queue) {
        sharedReceiveQueue = Objects.requireNonNull(queue, "shared receive queue");
        return this;
    }

    /**
     * Sets the depth of the send queue. The default is 128, or a quarter of the completion queue if that is less: with
     * both defaults, two queue pairs fit. The creation fails if the depths of all queue pairs that complete into the
     * completion queue exceed its capacity; {@link #oversubscribeCompletionQueue} turns this check off.
     *
     * @param count at least 1, at most the device's {@link DeviceAttributes#maxQueuePairWorkRequests()}
     * @return this
     */
    public QueuePairConfig maxSendWorkRequests(int count) {
        depths.send(count);
        return this;
    }

    /**
     * Sets the depth of the receive queue. The default and the limits are as for {@link #maxSendWorkRequests}.
     *
     * @param count at least 1, at most the device's {@link DeviceAttributes#maxQueuePairWorkRequests()}
     * @return this
     */
    public QueuePairConfig maxReceiveWorkRequests(int count) {
        depths.receive(count);
        return this;
    }

    /**
     * Sets whether the depths may exceed the capacity of the completion queues; default false. Use it if the program
     * limits the number of completions itself, for instance because few of its requests are
     * {@linkplain SendFlags#SIGNALED signaled}. A completion queue that overruns loses completions and can no longer be
     * used.
     *
     * @param allowed true to turn the check off
     * @return this
     */
    public QueuePairConfig oversubscribeCompletionQueue(boolean allowed) {
        depths.oversubscribe(allowed);
        return this;
    }

    /**
     * Sets the maximum number of slices of a {@link SliceList} in a request; default 1.
     *
     * @param entries at least 1, at most the device's {@link DeviceAttributes#maxScatterGather()}
     * @return this
     */
    public QueuePairConfig maxSendScatterGather(int entries) {
        maxSendScatterGather = entries;
        return this;
    }

    /**
     * Sets the maximum number of slices of a {@link SliceList} in a receive; default 1.
     *
     * @param entries at least 1, at most the device's {@link DeviceAttributes#maxScatterGather()}
     * @return this
     */
    public QueuePairConfig maxReceiveScatterGather(int entries) {
        maxReceiveScatterGather = entries;
        return this;
    }

    /**
     * Sets the maximum number of bytes that a request can carry inline; default 0. The queue pair accepts exactly this
     * much, even if the device grants more.
     *
     * @param bytes 0 to 65535. The device's limit, often some hundred bytes, cannot be queried: above it the creation
     *     fails with EINVAL
     * @return this
     */
    public QueuePairConfig maxInlineData(int bytes) {
        maxInlineData = bytes;
        return this;
    }

    /**
     * Sets whether the adapter may put a few received bytes into the completion ("scatter to CQE"), from which the CPU
     * copies them to the buffer during polling. The default is true, which leaves the choice to the adapter's library.
     * An mlx5 adapter does this for up to 32 or 64 bytes of received messages and of the results of reads and atomics.
     * It saves a write to host memory.
     *
     * <p><b>Set it to false for a queue pair that receives or reads into memory that the CPU cannot write at its
     * address</b>: GPU memory, and memory that is registered at an address other than its own
     * ({@link RegistrationConfig#iova}). Otherwise a small message crashes the JVM in {@link CompletionQueue#poll}. The
     * peer's RDMA writes are never put into a completion.
     *
     * <p>With false, mlx5 queue pairs are created by mlx5dv_create_qp(3) of libmlx5.so.1. Other adapters put no data
     * into completions, so nothing changes. The exception is HiSilicon (hns), whose library cannot turn it off. This
     * has not been run on an mlx5 adapter, only against a substitute for its library.
     *
     * @param allowed false to have the adapter write all data itself
     * @return this
     */
    public QueuePairConfig scatterToCompletion(boolean allowed) {
        scatterToCompletion = allowed;
        return this;
    }

    /**
     * Sets whether every request makes a completion, with {@link SendFlags#SIGNALED} or without; default false.
     *
     * @param all true for every request
     * @return this
     */
    public QueuePairConfig signalAll(boolean all) {
        signalAll = all;
        return this;
    }

    /**
     * Sets the port of the device; default 1.
     *
     * @param number from 1
     * @return this
     */
    public QueuePairConfig port(int number) {
        port = number;
        return this;
    }

    /**
     * Sets the GID, by its index; the default is automatic, see {@link DeviceContext#selectGid}.
     *
     * @param index of an entry in use
     * @return this
     */
    public QueuePairConfig gidIndex(int index) {
        gidIndex = OptionalInt.of(index);
        return this;
    }

    /**
     * Sets the partition, by the index of its key; default 0.
     *
     * @param index from 0, less than the port's {@link PortAttributes#partitionTableLength()}
     * @return this
     */
    public QueuePairConfig partitionKeyIndex(int index) {
        partitionKeyIndex = index;
        return this;
    }

    /**
     * Sets the first packet sequence number that this side sends; default random.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairConfig packetSequenceNumber(int number) {
        packetSequenceNumber = number;
        return this;
    }

    /**
     * Sets the peer's rights through this queue pair, which the regions must also grant; by default the peer can only
     * send.
     *
     * @param access of {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ},
     *     {@link AccessFlag#REMOTE_ATOMIC}, and for the peer's flushes {@link AccessFlag#FLUSH_GLOBAL},
     *     {@link AccessFlag#FLUSH_PERSISTENT}
     * @return this
     */
    public QueuePairConfig remoteAccess(AccessFlag... access) {
        remoteAccess = AccessFlag.mask(access);
        return this;
    }

    /**
     * Sets the key that datagrams to this queue pair must carry ({@code qkey}, UD only); default 0x11111111, as in
     * perftest.
     *
     * @param key any 32 bits; keys with the highest bit set are privileged
     * @return this
     */
    public QueuePairConfig queueKey(int key) {
        queueKey = key;
        return this;
    }

    /**
     * Selects extended posting ({@code ibv_wr_*}) for the given operations. The default is none, which is basic posting
     * ({@code ibv_post_send}) with every operation of the type and the device. The API is the same for both, but with
     * extended posting only the given operations can be posted. {@link SendOperation#ATOMIC_WRITE} and
     * {@link SendOperation#FLUSH} require extended posting. Prefer basic posting for all other operations: it needs one
     * native call for a batch, not two or more for each request.
     *
     * @param operations the operations that will be posted
     * @return this
     */
    public QueuePairConfig sendOperations(SendOperation... operations) {
        EnumSet<SendOperation> set = EnumSet.noneOf(SendOperation.class);
        for (SendOperation operation : operations) {
            set.add(Objects.requireNonNull(operation, "operation"));
        }
        sendOperations = set;
        return this;
    }

    /**
     * Sets creation flags ({@code create_flags}); default none.
     *
     * @param flags flags that the device supports; with others the creation fails
     * @return this
     */
    public QueuePairConfig creationFlags(QueuePairCreationFlag... flags) {
        EnumSet<QueuePairCreationFlag> set = EnumSet.noneOf(QueuePairCreationFlag.class);
        for (QueuePairCreationFlag flag : flags) {
            set.add(Objects.requireNonNull(flag, "creation flag"));
        }
        creationFlags = set;
        return this;
    }

    /**
     * Sets the queue pair number that is sent as the source ({@code source_qpn}; UD only, for network interfaces over
     * InfiniBand); default its own.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairConfig sourceQueuePairNumber(int number) {
        sourceQueuePairNumber = OptionalInt.of(number);
        return this;
    }

    /**
     * Sets the maximum header length of a {@link SendBatch#segmentedSend} ({@code max_tso_header}); default 0, which
     * allows no segmented sends.
     *
     * @param bytes 0 to 65535; above the device's limit the creation fails
     * @return this
     */
    public QueuePairConfig maxSegmentHeader(int bytes) {
        maxSegmentHeader = bytes;
        return this;
    }

    /**
     * Sets the domain of extended reliable connections. Type XRC_RECV requires it, and needs no completion queue.
     *
     * @param domain of the same device context
     * @return this
     */
    public QueuePairConfig xrcDomain(XrcDomain domain) {
        xrcDomain = Objects.requireNonNull(domain, "XRC domain");
        return this;
    }

    /**
     * Distributes received packets over several work queues by a hash of their headers ({@code rwq_ind_tbl},
     * {@code rx_hash_conf}). The queue pair then has no queues of its own, posts nothing, and needs no completion
     * queue. It is for types RAW_PACKET and UD, and only for {@link ProtectionDomain#createQueuePair}. On mlx5 and mana
     * the queue pair has no states, and receives at once; on mlx4 {@link QueuePair#modify} moves it to INIT and RTR.
     *
     * @param table the work queues
     * @param hash selects the queue of a packet
     * @return this
     */
    public QueuePairConfig receiveHash(ReceiveWorkQueueTable table, ReceiveHashConfig hash) {
        receiveTable = Objects.requireNonNull(table, "receive work queue table");
        receiveHash = Objects.requireNonNull(hash, "hash");
        return this;
    }

    /** Adds the settings that only an SRD queue pair has. */
    void srd(SrdQueuePairConfig own) {
        srd = own;
    }

    /** Returns the settings of an SRD queue pair; null for all others. */
    SrdQueuePairConfig srd() {
        return srd;
    }

    /** Checks against the device's limits. */
    void check(ProtectionDomain domain) {
        new QueuePairCheck(this, domain.context()).check(domain);
    }

    /**
     * Chooses the depths that were not set, and refuses depths that do not fit; called with the tree's lock held,
     * before the creation.
     */
    void fitCompletionQueues() {
        depths.fit(this);
    }

    /** Returns the completions that it may have in completion queues; empty if they are not checked. */
    List<CompletionBudget.Share> completionShares() {
        return depths.shares(this);
    }

    QueuePairType type() {
        return type;
    }

    CompletionQueue sendCompletionQueue() {
        return sendCompletionQueue;
    }

    CompletionQueue receiveCompletionQueue() {
        return receiveCompletionQueue;
    }

    /** Returns whether it has no queues of its own, and must never be posted to. */
    boolean hasNoQueues() {
        return type == QueuePairType.XRC_RECV || receiveTable != null;
    }

    /** Returns the completion queues that it uses; empty if it has no queues. */
    List<CompletionQueue> completionQueues() {
        return hasNoQueues() ? List.of() : List.of(sendCompletionQueue, receiveCompletionQueue);
    }

    /** Returns all resources that must outlive the queue pair, except its domain. */
    List<Resource> parents() {
        List<Resource> parents = new ArrayList<>(completionQueues());
        Stream.of(sharedReceiveQueue, xrcDomain, receiveTable)
                .filter(Objects::nonNull)
                .forEach(parents::add);
        return parents;
    }

    /** Returns null if there is none. */
    XrcDomain xrcDomain() {
        return xrcDomain;
    }

    /** Returns null if there is none. */
    ReceiveWorkQueueTable receiveTable() {
        return receiveTable;
    }

    ReceiveHashConfig receiveHash() {
        return receiveHash;
    }

    /** Returns null if there is none. */
    SharedReceiveQueue sharedReceiveQueue() {
        return sharedReceiveQueue;
    }

    QueuePairDepths depths() {
        return depths;
    }

    int maxSendWorkRequests() {
        return depths.send();
    }

    int maxReceiveWorkRequests() {
        return depths.receive();
    }

    int maxSendScatterGather() {
        return maxSendScatterGather;
    }

    int maxReceiveScatterGather() {
        return maxReceiveScatterGather;
    }

    /** Returns the sizes as ibv_create_qp(3) names them. */
    String sizes() {
        return "max_send_wr=%d, max_recv_wr=%d, max_send_sge=%d, max_recv_sge=%d, max_inline_data=%d"
                .formatted(
                        depths.send(), depths.receive(), maxSendScatterGather, maxReceiveScatterGather, maxInlineData);
    }

    /** Returns the settings that ibv_create_qp does not take, for messages. */
    String extras() {
        StringBuilder text = new StringBuilder();
        if (!sendOperations.isEmpty()) {
            text.append(", send_ops_flags=").append(sendOperations);
        }
        if (!creationFlags.isEmpty()) {
            text.append(", create_flags=").append(creationFlags);
        }
        sourceQueuePairNumber.ifPresent(number -> text.append(", source_qpn=").append(number));
        if (receiveTable != null) {
            text.append(", rx_hash_conf=").append(receiveHash);
        }
        if (maxSegmentHeader > 0) {
            text.append(", max_tso_header=").append(maxSegmentHeader);
        }
        if (!scatterToCompletion) {
            text.append(", no scatter to CQE");
        }
        return text.toString();
    }

    Set<SendOperation> sendOperations() {
        return sendOperations;
    }

    Set<QueuePairCreationFlag> creationFlags() {
        return creationFlags;
    }

    OptionalInt sourceQueuePairNumber() {
        return sourceQueuePairNumber;
    }

    int maxSegmentHeader() {
        return maxSegmentHeader;
    }

    int maxInlineData() {
        return maxInlineData;
    }

    boolean scatterToCompletion() {
        return scatterToCompletion;
    }

    boolean signalAll() {
        return signalAll;
    }

    int port() {
        return port;
    }

    OptionalInt gidIndex() {
        return gidIndex;
    }

    int partitionKeyIndex() {
        return partitionKeyIndex;
    }

    int packetSequenceNumber() {
        return packetSequenceNumber;
    }

    int queueKey() {
        return queueKey;
    }

    int remoteAccessMask() {
        return remoteAccess;
    }
}
