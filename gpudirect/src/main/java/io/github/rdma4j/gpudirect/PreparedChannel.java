// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.ConnectionConfig;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import java.util.function.Consumer;

/**
 * A channel that is not connected yet. Send {@link #endpoint()} to the peer by any means, and pass the peer's endpoint
 * to {@link #connect}, which returns the channel.
 *
 * <p>Thread safety: for one thread at a time.
 *
 * @since 0.1.0
 */
public final class PreparedChannel implements AutoCloseable {
    /** More concurrent reads on one connection gain nothing. */
    private static final int READS = 16;

    private final GpuDirect gpu;
    private final CompletionQueue completionQueue;
    private final Mailbox mailbox;
    private final PreparedQueuePair pair;
    private final ChannelEndpoint endpoint;
    private boolean connected;

    PreparedChannel(GpuDirect gpu, Consumer<QueuePairConfig> configuration) {
        this.gpu = gpu;
        GpuDirectConfig config = gpu.config();
        ProtectionDomain domain = gpu.protectionDomain();
        requireChunk(config.chunkSize(), domain.context());
        // Queried first, so that nothing has to be freed if the device does not answer.
        int reads = Math.min(READS, domain.context().attributes().maxQueuePairReadAtomic());
        int sends = ChannelWire.sendQueueDepth(config.slots());
        int receives = ChannelWire.depth(config.slots());
        completionQueue = domain.context().createCompletionQueue(sends + receives);
        Mailbox words = null;
        try {
            words = new Mailbox(domain);
            pair = domain.prepareQueuePair(QueuePairType.RC, queuePair -> {
                configuration.accept(queuePair);
                queuePair
                        .completionQueue(completionQueue)
                        .maxSendWorkRequests(sends)
                        .maxReceiveWorkRequests(receives)
                        .scatterToCompletion(false)
                        .remoteAccess(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
            });
        } catch (RuntimeException e) {
            Undo.after(e, words, completionQueue);
            throw e;
        }
        mailbox = words;
        endpoint =
                new ChannelEndpoint(pair.endpoint(), mailbox.remoteMemory(), config.chunkSize(), config.slots(), reads);
    }

    /** Checks the limits of all ports, because the port may be chosen later. */
    private static void requireChunk(int chunkSize, DeviceContext device) {
        for (int port = 1; port <= device.attributes().physicalPortCount(); port++) {
            long longest = device.port(port).maxMessageSize();
            if (chunkSize > longest) {
                throw new IllegalArgumentException(
                        ("chunks of %d bytes, but port %d of %s sends at most %d at once: set GpuDirectConfig.chunkSize to that"
                                        + " or less")
                                .formatted(chunkSize, port, device, longest));
            }
        }
    }

    /** {@return the data that the peer needs to connect} */
    public ChannelEndpoint endpoint() {
        return endpoint;
    }

    /**
     * Connects with the defaults of {@link ConnectionConfig}.
     *
     * @param theirs the peer's endpoint
     * @return the channel
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public DeviceChannel connect(ChannelEndpoint theirs) {
        return connect(theirs, config -> {});
    }

    /**
     * Connects. No packet is sent: the peer must do the same with this side's endpoint.
     *
     * @param theirs the peer's endpoint
     * @param connection changes the defaults; the channel itself sets the number of outstanding reads
     * @return the channel, which takes over all resources: close the channel instead of this object
     * @throws IllegalStateException if it was connected before
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public DeviceChannel connect(ChannelEndpoint theirs, Consumer<ConnectionConfig> connection) {
        if (connected) {
            throw new IllegalStateException("the channel is connected already");
        }
        DeviceAttributes device = gpu.protectionDomain().context().attributes();
        int reads = Math.min(theirs.readsServed(), Math.min(READS, device.maxQueuePairInitiatorReadAtomic()));
        QueuePair queuePair = pair.connect(theirs.queuePair(), config -> {
            connection.accept(config);
            config.maxReadAtomic(reads).maxDestinationReadAtomic(endpoint.readsServed());
        });
        mailbox.connect(theirs.mailbox());
        connected = true;
        ChannelWire wire = new ChannelWire(queuePair, completionQueue, mailbox);
        return new DeviceChannel(gpu, wire, this, Math.min(endpoint.chunkSize(), theirs.chunkSize()));
    }

    /**
     * Frees the resources of a channel that was not connected. Also frees what remains after a connected channel is
     * closed.
     */
    @Override
    public void close() {
        pair.close();
        mailbox.close();
        completionQueue.close();
    }
}
