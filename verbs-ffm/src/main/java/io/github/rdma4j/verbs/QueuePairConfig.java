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
 * What a queue pair is to be ({@code struct ibv_qp_init_attr} and the attributes of INIT). Each setter returns this
 * object. Only the completion queue has no default.
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
    /** More than any device takes: a request has no more bytes. */
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

    QueuePairConfig(QueuePairType type) {
        this.type = Objects.requireNonNull(type, "type");
    }

    /**
     * Where sends and receives complete.
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
     * Where sends, writes and reads complete.
     *
     * @param queue of the same device
     * @return this
     */
    public QueuePairConfig sendCompletionQueue(CompletionQueue queue) {
        sendCompletionQueue = Objects.requireNonNull(queue, "send completion queue");
        return this;
    }

    /**
     * Where receives complete.
     *
     * @param queue of the same device
     * @return this
     */
    public QueuePairConfig receiveCompletionQueue(CompletionQueue queue) {
        receiveCompletionQueue = Objects.requireNonNull(queue, "receive completion queue");
        return this;
    }

    /**
     * Where receives come from, in place of a receive queue of its own; default none. The queue pair then takes no
     * receives itself, and is closed with the shared queue.
     *
     * @param queue of the same protection domain
     * @return this
     */
    public QueuePairConfig sharedReceiveQueue(SharedReceiveQueue queue) {
        sharedReceiveQueue = Objects.requireNonNull(queue, "shared receive queue");
        return this;
    }

    /**
     * The depth of the send queue. By default it is 128, or less in a short completion queue: if neither depth is set,
     * the two take half of the room that is left there. A depth that the completion queue has no room for, beside those
     * of all other queue pairs that complete into it, is refused; {@link #oversubscribeCompletionQueue} lets it
     * through.
     *
     * @param count at least 1, at most the device's {@link DeviceAttributes#maxQueuePairWorkRequests()}
     * @return this
     */
    public QueuePairConfig maxSendWorkRequests(int count) {
        depths.send(count);
        return this;
    }

    /**
     * The depth of the receive queue. Default and limits are those of {@link #maxSendWorkRequests}.
     *
     * @param count at least 1, at most the device's {@link DeviceAttributes#maxQueuePairWorkRequests()}
     * @return this
     */
    public QueuePairConfig maxReceiveWorkRequests(int count) {
        depths.receive(count);
        return this;
    }

    /**
     * Whether the depths may be more than the completion queues have room for; default false. For a program that bounds
     * by itself how many completions can be there, for instance because few of its requests are
     * {@linkplain SendFlags#SIGNALED signaled}. A completion queue that overruns loses completions and cannot be used
     * any more.
     *
     * @param allowed true to leave the depths as they are
     * @return this
     */
    public QueuePairConfig oversubscribeCompletionQueue(boolean allowed) {
        depths.oversubscribe(allowed);
        return this;
    }

    /**
     * The most slices of a {@link SliceList} that a request can take; default 1.
     *
     * @param entries at least 1, at most the device's {@link DeviceAttributes#maxScatterGather()}
     * @return this
     */
    public QueuePairConfig maxSendScatterGather(int entries) {
        maxSendScatterGather = entries;
        return this;
    }

    /**
     * The most slices of a {@link SliceList} that a receive can take; default 1.
     *
     * @param entries at least 1, at most the device's {@link DeviceAttributes#maxScatterGather()}
     * @return this
     */
    public QueuePairConfig maxReceiveScatterGather(int entries) {
        maxReceiveScatterGather = entries;
        return this;
    }

    /**
     * The most data that a request can carry inline; default 0. The queue pair carries this much and no more, even
     * where the device could.
     *
     * @param bytes 0 to 65535. No query tells the device's limit, often some hundred bytes: beyond it the creation
     *     fails with EINVAL
     * @return this
     */
    public QueuePairConfig maxInlineData(int bytes) {
        maxInlineData = bytes;
        return this;
    }

    /**
     * Whether the adapter may put a few received bytes into the completion ("scatter to CQE"), from where polling
     * copies them with the processor to where they belong; default true, which leaves it to the adapter's library. An
     * mlx5 adapter does so with up to 32 bytes, or 64, of what is received and of what reads and atomics bring back: it
     * saves a write to host memory.
     *
     * <p><b>A queue pair that receives into, or reads into, memory that the processor cannot write at its address must
     * have false here</b>: a GPU's memory, and memory registered under another address than its own
     * ({@link RegistrationConfig#iova}). Otherwise a small message crashes the JVM in {@link CompletionQueue#poll}.
     * What the peer writes here is never put into a completion.
     *
     * <p>False takes mlx5dv_create_qp(3) of libmlx5.so.1 on mlx5 adapters, and changes nothing on others: they put no
     * data into completions, but HiSilicon's (hns), whose library cannot be told to leave it. Not tried on an mlx5
     * adapter; the tests have a stand-in for its library.
     *
     * @param allowed false to have the adapter write all data itself
     * @return this
     */
    public QueuePairConfig scatterToCompletion(boolean allowed) {
        scatterToCompletion = allowed;
        return this;
    }

    /**
     * Whether every request makes a completion, with {@link SendFlags#SIGNALED} or without; default false.
     *
     * @param all true for all
     * @return this
     */
    public QueuePairConfig signalAll(boolean all) {
        signalAll = all;
        return this;
    }

    /**
     * The device's port to use; default 1.
     *
     * @param number from 1
     * @return this
     */
    public QueuePairConfig port(int number) {
        port = number;
        return this;
    }

    /**
     * The GID to use, by its index; default automatic, see {@link DeviceContext#selectGid}.
     *
     * @param index of an entry in use
     * @return this
     */
    public QueuePairConfig gidIndex(int index) {
        gidIndex = OptionalInt.of(index);
        return this;
    }

    /**
     * The partition, by the index of its key; default 0.
     *
     * @param index from 0, less than the port's {@link PortAttributes#partitionTableLength()}
     * @return this
     */
    public QueuePairConfig partitionKeyIndex(int index) {
        partitionKeyIndex = index;
        return this;
    }

    /**
     * The first packet sequence number that this side sends; default random.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairConfig packetSequenceNumber(int number) {
        packetSequenceNumber = number;
        return this;
    }

    /**
     * What the peer may do through this queue pair, as far as the regions allow it too; default nothing but sends.
     *
     * @param access of {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ}, {@link
     *     AccessFlag#REMOTE_ATOMIC}, and for the peer's flushes {@link AccessFlag#FLUSH_GLOBAL}, {@link
     *     AccessFlag#FLUSH_PERSISTENT}
     * @return this
     */
    public QueuePairConfig remoteAccess(AccessFlag... access) {
        remoteAccess = AccessFlag.mask(access);
        return this;
    }

    /**
     * The key that datagrams to this queue pair must carry ({@code qkey}, UD only); default 0x11111111, as perftest has
     * it.
     *
     * @param key any 32 bits; those with the highest bit set are privileged
     * @return this
     */
    public QueuePairConfig queueKey(int key) {
        queueKey = key;
        return this;
    }

    /**
     * Chooses extended posting ({@code ibv_wr_*}), and says which operations will be posted; default none, which is
     * basic posting ({@code ibv_post_send}) with all that the type and the device can. The API is the same:
     * {@link QueuePair} and {@link SendBatch} post in either way, but with extended posting these operations only.
     * There are operations that only extended posting has: {@link SendOperation#ATOMIC_WRITE},
     * {@link SendOperation#FLUSH}. For all others basic posting is the better choice here: one native call for a batch,
     * and not two or more for each request.
     *
     * @param operations those to be posted
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
     * What shall be different ({@code create_flags}); default nothing.
     *
     * @param flags what the device can do of it; others make the creation fail
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
     * The queue pair number that is sent as the source, in place of its own ({@code source_qpn}; UD only, for network
     * interfaces over InfiniBand); default its own.
     *
     * @param number 24 bits
     * @return this
     */
    public QueuePairConfig sourceQueuePairNumber(int number) {
        sourceQueuePairNumber = OptionalInt.of(number);
        return this;
    }

    /**
     * The longest header of a {@link SendBatch#segmentedSend} ({@code max_tso_header}); default 0, none is possible.
     *
     * @param bytes 0 to 65535; the device's limit shows only when the queue pair is created
     * @return this
     */
    public QueuePairConfig maxSegmentHeader(int bytes) {
        maxSegmentHeader = bytes;
        return this;
    }

    /**
     * The domain of extended reliable connections; for type XRC_RECV, which needs one, and no completion queue.
     *
     * @param domain of the same device context
     * @return this
     */
    public QueuePairConfig xrcDomain(XrcDomain domain) {
        xrcDomain = Objects.requireNonNull(domain, "XRC domain");
        return this;
    }

    /**
     * Spreads what is received over several work queues by a hash of its header ({@code rwq_ind_tbl},
     * {@code rx_hash_conf}). The queue pair then has no queues of its own, posts nothing, and needs no completion
     * queue. For types RAW_PACKET and UD, and for {@link ProtectionDomain#createQueuePair} alone: on mlx5 and mana it
     * has no states, and receives at once; on mlx4 {@link QueuePair#modify} brings it to INIT and RTR.
     *
     * @param table the work queues
     * @param hash which queue a packet goes to
     * @return this
     */
    public QueuePairConfig receiveHash(ReceiveWorkQueueTable table, ReceiveHashConfig hash) {
        receiveTable = Objects.requireNonNull(table, "receive work queue table");
        receiveHash = Objects.requireNonNull(hash, "hash");
        return this;
    }

    /** Checks against the device's limits. */
    void check(ProtectionDomain domain) {
        new QueuePairCheck(this, domain.context()).check(domain);
    }

    /**
     * Chooses the depths that were not set, and refuses those that do not fit. With the tree's lock held, before the
     * creation.
     */
    void fitCompletionQueues() {
        depths.fit(this);
    }

    /** What it may have in completion queues; nothing if that is not watched. */
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

    /** Whether it has no queues of its own, and must never be posted to. */
    boolean onlyReceives() {
        return type == QueuePairType.XRC_RECV || receiveTable != null;
    }

    /** Those that it uses; none if it only receives. */
    List<CompletionQueue> completionQueues() {
        return onlyReceives() ? List.of() : List.of(sendCompletionQueue, receiveCompletionQueue);
    }

    /** All that must outlive the queue pair, besides its domain. */
    List<Resource> parents() {
        List<Resource> parents = new ArrayList<>(completionQueues());
        Stream.of(sharedReceiveQueue, xrcDomain, receiveTable)
                .filter(Objects::nonNull)
                .forEach(parents::add);
        return parents;
    }

    /** Null if there is none. */
    XrcDomain xrcDomain() {
        return xrcDomain;
    }

    /** Null if there is none. */
    ReceiveWorkQueueTable receiveTable() {
        return receiveTable;
    }

    ReceiveHashConfig receiveHash() {
        return receiveHash;
    }

    /** Null if there is none. */
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

    /** The sizes as ibv_create_qp(3) names them. */
    String sizes() {
        return "max_send_wr=%d, max_recv_wr=%d, max_send_sge=%d, max_recv_sge=%d, max_inline_data=%d"
                .formatted(
                        depths.send(), depths.receive(), maxSendScatterGather, maxReceiveScatterGather, maxInlineData);
    }

    /** What ibv_create_qp does not take, for messages. */
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
