// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.DeviceAttribute;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.ConnectionConfig;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import java.util.function.Consumer;

/**
 * A stream channel that is not connected yet. Send {@link #endpoint()} to the peer by any means, and pass the peer's
 * endpoint to {@link #connect}, which returns the channel.
 *
 * <p>Thread safety: for one thread at a time.
 *
 * @since 0.1.0
 */
public final class PreparedStreamChannel implements AutoCloseable {
    private final GpuDirect gpu;
    private final StreamProxy proxy;
    private final StreamChannelConfig config;
    private final CompletionQueue completionQueue;
    private final MemoryRegion nothing;
    private final PreparedQueuePair pair;
    private boolean connected;

    PreparedStreamChannel(GpuDirect gpu, StreamProxy proxy, StreamChannelConfig config) {
        this.gpu = gpu;
        this.proxy = proxy;
        this.config = config;
        ProtectionDomain domain = gpu.protectionDomain();
        completionQueue = domain.context().createCompletionQueue(config.transfers() + OrderedQueuePair.NOTIFICATIONS);
        MemoryRegion memory = null;
        try {
            memory = domain.allocateMemory(64, AccessFlag.LOCAL_WRITE);
            pair = domain.prepareQueuePair(QueuePairType.RC, queuePair -> {
                config.queuePair().accept(queuePair);
                queuePair
                        .completionQueue(completionQueue)
                        .maxSendWorkRequests(config.transfers())
                        .maxReceiveWorkRequests(OrderedQueuePair.NOTIFICATIONS)
                        .scatterToCompletion(false)
                        .remoteAccess(AccessFlag.REMOTE_WRITE);
            });
        } catch (RuntimeException e) {
            Undo.after(e, memory, completionQueue);
            throw e;
        }
        nothing = memory;
    }

    /** {@return the data that the peer needs to connect} */
    public QueuePairEndpoint endpoint() {
        return pair.endpoint();
    }

    /**
     * Connects with the defaults of {@link ConnectionConfig}.
     *
     * @param theirs the peer's endpoint
     * @return the channel
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public StreamChannel connect(QueuePairEndpoint theirs) {
        return connect(theirs, connection -> {});
    }

    /**
     * Connects. No packet is sent: the peer must do the same with this side's endpoint.
     *
     * @param theirs the peer's endpoint
     * @param connection changes the defaults
     * @return the channel, which takes over all resources: close the channel instead of this object
     * @throws IllegalStateException if it was connected before, or the proxy or the context is closed
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public StreamChannel connect(QueuePairEndpoint theirs, Consumer<ConnectionConfig> connection) {
        if (connected) {
            throw new IllegalStateException("the channel is connected already");
        }
        QueuePair queuePair = pair.connect(theirs, connection);
        connected = true;
        boolean byHost = gpu.writeOrdering() == WriteOrdering.FLUSHED_BY_HOST && !flushesInStreams();
        OrderedQueuePair wire = new OrderedQueuePair(
                queuePair, completionQueue, nothing.slice(0, 0), byHost ? gpu : null, config.transfers());
        wire.postNotificationReceives();
        return StreamChannel.open(gpu, proxy, this, wire, config, flushesInStreams());
    }

    /** Returns the longest message that all ports support, because the port may be chosen later. */
    long longest() {
        DeviceContext device = gpu.protectionDomain().context();
        long longest = Long.MAX_VALUE;
        for (int port = 1; port <= device.attributes().physicalPortCount(); port++) {
            longest = Math.min(longest, device.port(port).maxMessageSize());
        }
        return longest;
    }

    private boolean flushesInStreams() {
        return gpu.context().device().has(DeviceAttribute.CAN_FLUSH_REMOTE_WRITES);
    }

    /**
     * Frees the resources of a channel that was not connected. Also frees what remains after a connected channel is
     * closed.
     */
    @Override
    public void close() {
        pair.close();
        nothing.close();
        completionQueue.close();
    }
}
