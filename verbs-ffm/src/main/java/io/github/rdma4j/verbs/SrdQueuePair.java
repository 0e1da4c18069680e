// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.SendOpcode;
import java.util.List;

/**
 * A queue pair of an Elastic Fabric Adapter (EFA) for scalable reliable datagrams (SRD, efadv_create_qp_ex(3)). It has
 * no peer: each request names a {@link Destination}. The adapter delivers each message at most once, and in any order.
 * This type has every operation of such a queue pair: EFA has no atomics, memory windows, fences, shared receive queues
 * or requests without a completion.
 *
 * <p>The posting methods return at once. A transfer is done when its completion is polled; until then the local memory
 * belongs to the adapter, and the address handle must stay open: closing it ends its requests in error. A full queue is
 * not an error: the method returns {@code false} and does not post the request. Every other refusal throws a
 * {@link VerbsException}. An invalid argument throws an {@link IllegalArgumentException}, an operation that the
 * adapter lacks an {@link UnsupportedVerbException}, and a post in the error state an {@link IllegalStateException}.
 * The methods allocate nothing.
 *
 * <p>The completion of a read has the opcode {@link WorkCompletionOpcode#SEND}: distinguish requests by their ids.
 * {@link EfaCompletionStatus} explains failures by the completion's vendor error.
 *
 * <p><b>The target of a read or write needs an address handle for the initiator</b>, in the protection domain of its
 * queue pair. Otherwise the request fails with {@link EfaCompletionStatus#REMOTE_ERROR_UNKNOWN_PEER}. So both sides
 * exchange their GIDs ({@link DeviceContext#gidAddress}) and create address handles before the first read or write. A
 * send needs no address handle at the target.
 *
 * <p>Thread safety: all methods may be called from any thread. Posting is fastest if one thread posts all sends and one
 * thread posts all receives. A {@link SendBatch} or {@link ReceiveBatch} is for the thread that started it.
 *
 * @experimental It has been run on a stand-in for the adapter, but not on an EFA.
 * @since 0.1.0
 */
public final class SrdQueuePair implements AutoCloseable {
    private final QueuePair queuePair;
    private final EfaDeviceAttributes device;
    private final PostingChecks checks;
    private final SingleRequests singles;
    private final boolean canRead;
    private final boolean canWrite;

    private SrdQueuePair(QueuePair queuePair, EfaDeviceAttributes device) {
        this.queuePair = queuePair;
        this.device = device;
        this.checks = queuePair.checks();
        this.singles = queuePair.singles();
        this.canRead = device.capabilities().contains(EfaCapability.RDMA_READ);
        this.canWrite = device.capabilities().contains(EfaCapability.RDMA_WRITE);
    }

    /** Creates the queue pair and moves it to RTS; see {@link ProtectionDomain#createSrdQueuePair}. */
    static SrdQueuePair create(ProtectionDomain domain, SrdQueuePairConfig config) {
        EfaDeviceAttributes device = domain.context().queryEfa();
        QueuePairConfig basic = config.complete(domain, device);
        QueuePair queuePair = domain.createChild(() -> new QueuePair(domain, basic));
        return QueuePairCreation.complete(queuePair, () -> {
            QueuePairTransitions.toInit(queuePair, basic);
            QueuePairTransitions.toReadyToSendSrd(queuePair, basic.packetSequenceNumber(), config.rnrRetry());
            return new SrdQueuePair(queuePair, device);
        });
    }

    /** {@return the queue pair number, which peers need for a {@link Destination}; 16 bits} */
    public int number() {
        return queuePair.number();
    }

    /** {@return whether this queue pair has not been closed} */
    public boolean isOpen() {
        return queuePair.isOpen();
    }

    /** {@return the protection domain that the queue pair was created in} */
    public ProtectionDomain protectionDomain() {
        return queuePair.protectionDomain();
    }

    /** {@return the limits and capabilities of the adapter when the queue pair was created} */
    public EfaDeviceAttributes deviceAttributes() {
        return device;
    }

    /** {@return the maximum number of bytes that a send can carry inline, 0 if none were requested} */
    public int maxInlineData() {
        return queuePair.maxInlineData();
    }

    /**
     * Queries the state of the queue pair (ibv_query_qp(3)).
     *
     * @return the state
     * @throws VerbsException if the query fails
     */
    public QueuePairState state() {
        return queuePair.state();
    }

    /**
     * Queries the order in which the data of an operation arrives in this side's memory; see
     * {@link QueuePair#dataInOrder}.
     *
     * @param operation the operation that transfers the data
     * @return the guaranteed order
     */
    public DataInOrder dataInOrder(IncomingOperation operation) {
        return queuePair.dataInOrder(operation);
    }

    /**
     * Moves the queue pair to the error state (ibv_modify_qp(3)). Outstanding requests then complete with
     * {@link WorkCompletionStatus#WR_FLUSH_ERR}. Does nothing in the error state.
     *
     * @throws VerbsException if the device refuses
     */
    public void toError() {
        queuePair.toError();
    }

    /**
     * Posts a send ({@code ibv_wr_send}).
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most as long as the port's
     *     {@link io.github.rdma4j.verbs.device.PortAttributes#maxMessageSize()}, some 8 KiB; it is not divided
     * @param destination the destination
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostSend(long workRequestId, MemorySlice local, Destination destination) {
        checkSend(local, destination);
        return singles.reliableDatagram(
                SendOpcode.SEND, workRequestId, local, destination, 0, 0, 0, SendFlags.SIGNALED);
    }

    /**
     * Posts a send of several slices, which form one message; see {@link #tryPostSend(long, MemorySlice, Destination)}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most {@link SrdQueuePairConfig#maxSendScatterGather} slices
     * @param destination the destination
     * @return true if it was posted, false if the queue is full
     */
    public boolean tryPostSend(long workRequestId, SliceList local, Destination destination) {
        checkSend(local, destination);
        return singles.reliableDatagram(SendOpcode.SEND, workRequestId, local, destination, 0, SendFlags.SIGNALED);
    }

    /**
     * Posts a send whose data is copied into the request; see {@link #tryPostSend(long, MemorySlice, Destination)}. The
     * local memory may be changed when the method returns.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most {@link #maxInlineData()} bytes, in memory that the CPU can read
     * @param destination the destination
     * @return true if it was posted, false if the queue is full
     */
    public boolean tryPostInlineSend(long workRequestId, MemorySlice local, Destination destination) {
        checkInline(local, destination);
        return singles.reliableDatagram(
                SendOpcode.SEND, workRequestId, local, destination, 0, 0, 0, SendFlags.SIGNALED | SendFlags.INLINE);
    }

    /**
     * Posts a send with a number that accompanies the message ({@code ibv_wr_send_imm}); see
     * {@link #tryPostSend(long, MemorySlice, Destination)}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param destination the destination
     * @return true if it was posted, false if the queue is full
     */
    public boolean tryPostSendWithImmediate(
            long workRequestId, MemorySlice local, int immediate, Destination destination) {
        checkSend(local, destination);
        return singles.reliableDatagram(
                SendOpcode.SEND_WITH_IMMEDIATE,
                workRequestId,
                local,
                destination,
                0,
                0,
                ByteOrders.toNetwork(immediate),
                SendFlags.SIGNALED);
    }

    /**
     * Posts a send of several slices with a number that accompanies the message; see
     * {@link #tryPostSend(long, SliceList, Destination)}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param destination the destination
     * @return true if it was posted, false if the queue is full
     */
    public boolean tryPostSendWithImmediate(
            long workRequestId, SliceList local, int immediate, Destination destination) {
        checkSend(local, destination);
        return singles.reliableDatagram(
                SendOpcode.SEND_WITH_IMMEDIATE,
                workRequestId,
                local,
                destination,
                ByteOrders.toNetwork(immediate),
                SendFlags.SIGNALED);
    }

    /**
     * Posts a send with a number, whose data is copied into the request; see {@link #tryPostInlineSend}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message, at most {@link #maxInlineData()} bytes, in memory that the CPU can read
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param destination the destination
     * @return true if it was posted, false if the queue is full
     */
    public boolean tryPostInlineSendWithImmediate(
            long workRequestId, MemorySlice local, int immediate, Destination destination) {
        checkInline(local, destination);
        return singles.reliableDatagram(
                SendOpcode.SEND_WITH_IMMEDIATE,
                workRequestId,
                local,
                destination,
                0,
                0,
                ByteOrders.toNetwork(immediate),
                SendFlags.SIGNALED | SendFlags.INLINE);
    }

    /**
     * Posts an RDMA read ({@code ibv_wr_rdma_read}): it copies the peer's memory to local memory. The peer is not
     * notified, and needs an address handle for this side.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the destination, at most {@link EfaDeviceAttributes#maxRdmaSize()} bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote the memory to read, at least as long as {@code local}
     * @param peer the queue pair that has the memory
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     * @throws UnsupportedVerbException if the adapter has no reads
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostRead(long workRequestId, MemorySlice local, RemoteMemory remote, Destination peer) {
        if (!canRead) {
            throw SrdQueuePairConfig.missing(deviceName(), SendOpcode.RDMA_READ);
        }
        checkRdma("an RDMA read", local, remote, peer);
        if (Checks.ENABLED) {
            Checks.writable(local);
        }
        return singles.reliableDatagram(
                SendOpcode.RDMA_READ,
                workRequestId,
                local,
                peer,
                remote.address(),
                remote.remoteKey(),
                0,
                SendFlags.SIGNALED);
    }

    /**
     * Posts an RDMA write ({@code ibv_wr_rdma_write}), which copies local memory to the peer's memory. The peer is not
     * notified, and needs an address handle for this side. Needs rdma-core 46.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write, at most {@link EfaDeviceAttributes#maxRdmaSize()} bytes
     * @param remote the destination, at least as long as {@code local}
     * @param peer the queue pair that has the memory
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     * @throws UnsupportedVerbException if the adapter or the installed rdma-core has no writes
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostWrite(long workRequestId, MemorySlice local, RemoteMemory remote, Destination peer) {
        checkWrite(local, remote, peer);
        return singles.reliableDatagram(
                SendOpcode.RDMA_WRITE,
                workRequestId,
                local,
                peer,
                remote.address(),
                remote.remoteKey(),
                0,
                SendFlags.SIGNALED);
    }

    /**
     * Posts an RDMA write that notifies the peer ({@code ibv_wr_rdma_write_imm}); see {@link #tryPostWrite}. It
     * consumes one of the peer's receives, except with {@link SrdQueuePairConfig#unsolicitedWrites}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write, at most {@link EfaDeviceAttributes#maxRdmaSize()} bytes
     * @param remote the destination, at least as long as {@code local}
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param peer the queue pair that has the memory
     * @return true if it was posted, false if the queue is full
     */
    public boolean tryPostWriteWithImmediate(
            long workRequestId, MemorySlice local, RemoteMemory remote, int immediate, Destination peer) {
        checkWrite(local, remote, peer);
        return singles.reliableDatagram(
                SendOpcode.RDMA_WRITE_WITH_IMMEDIATE,
                workRequestId,
                local,
                peer,
                remote.address(),
                remote.remoteKey(),
                ByteOrders.toNetwork(immediate),
                SendFlags.SIGNALED);
    }

    /**
     * Starts the preparation of a request that is posted many times: {@code pair.prepare().to(peer).send(message,
     * SendFlags.SIGNALED)}; see {@link QueuePair#prepare}. It refuses operations and flags that EFA does not have.
     *
     * @return the preparation, which creates a {@link PreparedRequest}
     * @throws IllegalStateException if the queue pair is closed
     */
    public RequestPreparation prepare() {
        return queuePair.prepare();
    }

    /**
     * Starts a batch of requests, which are posted with one doorbell: {@code pair.startBatch().to(peer)}; see
     * {@link QueuePair#startBatch}. It refuses operations and flags that EFA does not have.
     *
     * @return the calling thread's batch, empty
     * @throws IllegalStateException if the queue pair is closed
     */
    public SendBatch startBatch() {
        return queuePair.startBatch();
    }

    /**
     * Posts a receive, which is a buffer for one message (ibv_post_recv(3)).
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer, at most as long as the longest message; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if the region is not of this queue pair's protection domain or not writable
     * @throws IllegalStateException if the queue pair or the region is closed
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostReceive(long workRequestId, MemorySlice local) {
        return queuePair.tryPostReceive(workRequestId, local);
    }

    /**
     * Posts a receive that scatters the message over several slices, filled in order; see
     * {@link #tryPostReceive(long, MemorySlice)}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer, at most {@link SrdQueuePairConfig#maxReceiveScatterGather} slices
     * @return true if it was posted, false if the queue is full
     */
    public boolean tryPostReceive(long workRequestId, SliceList local) {
        return queuePair.tryPostReceive(workRequestId, local);
    }

    /**
     * Prepares a receive that is posted many times; see {@link QueuePair#prepareReceive}.
     *
     * @param local the buffer
     * @return the receive, not posted yet
     */
    public PreparedReceive prepareReceive(MemorySlice local) {
        return queuePair.prepareReceive(local);
    }

    /**
     * Prepares the receives of many buffers, which are posted many times; see {@link QueuePair#prepareReceives}.
     *
     * @param firstWorkRequestId identifies the receive of the first buffer in its completion; each further buffer has
     *     the next number
     * @param buffers 1 to 131072
     * @return the receives, not posted yet
     */
    public PreparedReceives prepareReceives(long firstWorkRequestId, List<MemorySlice> buffers) {
        return queuePair.prepareReceives(firstWorkRequestId, buffers);
    }

    /**
     * Starts a batch of receives; see {@link QueuePair#startReceiveBatch}.
     *
     * @return the calling thread's batch, empty
     */
    public ReceiveBatch startReceiveBatch() {
        return queuePair.startReceiveBatch();
    }

    private void checkSend(MemorySlice local, Destination destination) {
        checks.destination(queuePair, destination);
        if (Checks.ENABLED) {
            Checks.local(local, checks.domain(), checks.maxMessageSize());
        }
    }

    private void checkSend(SliceList local, Destination destination) {
        checks.destination(queuePair, destination);
        // This check cannot be turned off: more entries would overwrite the memory behind the request.
        if (local.size() > checks.maxSendEntries()) {
            throw Checks.tooManyEntries(
                    local.size(), checks.maxSendEntries(), "SrdQueuePairConfig.maxSendScatterGather");
        }
        if (Checks.ENABLED) {
            Checks.local(local, checks.domain(), checks.maxMessageSize());
        }
    }

    private void checkInline(MemorySlice local, Destination destination) {
        checkSend(local, destination);
        // This check cannot be turned off: the copy would overwrite the memory behind its buffer.
        if (local.length() > checks.maxInlineData()) {
            throw new IllegalArgumentException(
                    "%d bytes inline: this queue pair carries at most %d (SrdQueuePairConfig.maxInlineData)"
                            .formatted(local.length(), checks.maxInlineData()));
        }
    }

    private void checkWrite(MemorySlice local, RemoteMemory remote, Destination peer) {
        if (!canWrite) {
            throw SrdQueuePairConfig.missing(deviceName(), SendOpcode.RDMA_WRITE);
        }
        checkRdma("an RDMA write", local, remote, peer);
    }

    private void checkRdma(String operation, MemorySlice local, RemoteMemory remote, Destination peer) {
        checks.destination(queuePair, peer);
        if (Checks.ENABLED) {
            if (local.length() > device.maxRdmaSize()) {
                throw new IllegalArgumentException("%s of %d bytes: %s moves at most %d"
                        .formatted(operation, local.length(), deviceName(), device.maxRdmaSize()));
            }
            Checks.local(local, checks.domain(), Long.MAX_VALUE);
            Checks.remote(local.length(), remote);
        }
    }

    private String deviceName() {
        return checks.domain().context().device().name();
    }

    /**
     * Closes the queue pair. Requests that are still posted get no completion. Does nothing if it is closed already.
     *
     * <p>If its completion queues remain open, call {@link #toError()} first and poll until every request has
     * completed. libefa leaves the completions of a closed queue pair in the queue. Polls skip them, but {@link
     * CompletionCursor#next()} fails, and can crash the JVM. So can polls with rdma-core 44 and 56, when a new queue
     * pair of the device context has the same place in libefa's table: its number has the same low bits.
     *
     * @throws VerbsException if the adapter refuses; the queue pair is closed nevertheless
     */
    @Override
    public void close() {
        queuePair.close();
    }

    /** {@return number and device} */
    @Override
    public String toString() {
        return "SRD " + queuePair;
    }
}
