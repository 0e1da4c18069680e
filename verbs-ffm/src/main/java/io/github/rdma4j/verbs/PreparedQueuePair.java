// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.explain.InfiniBandLids;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A queue pair that has a number but no peer yet (state INIT). It only accepts receives. {@link #connect} or, for a
 * datagram queue pair, {@link #activate} returns the {@link QueuePair} that can send. Both are one native object:
 * closing either closes it.
 *
 * <p>Thread safety: for one thread at a time, except {@link #close()}.
 *
 * @since 0.1.0
 */
public final class PreparedQueuePair implements AutoCloseable {
    private final QueuePair queuePair;
    private final QueuePairConfig config;
    private final int port;
    private final PortAttributes portAttributes;
    private final OptionalInt gidIndex;
    private final QueuePairEndpoint endpoint;
    private boolean connected;

    PreparedQueuePair(QueuePair queuePair, QueuePairConfig config) {
        this.queuePair = queuePair;
        this.config = config;
        this.port = config.port();
        DeviceContext context = queuePair.domain().context();
        PortAttributes attributes = context.port(port);
        this.portAttributes = attributes;
        if (attributes.state() != PortState.ACTIVE && attributes.state() != PortState.ACTIVE_DEFER) {
            throw new VerbsException(
                    "preparing a queue pair on %s, port %d"
                            .formatted(context.device().name(), port),
                    0,
                    "the port is " + attributes.state() + ", not ACTIVE",
                    "bring the link up (on RoCE: ip link set dev INTERFACE up; on InfiniBand a subnet manager must"
                            + " run)");
        }
        Gid gid = Gid.ZERO;
        if (config.gidIndex().isPresent()) {
            gid = context.gid(port, config.gidIndex().getAsInt()).gid();
            this.gidIndex = config.gidIndex();
        } else if (attributes.linkLayer() == LinkLayer.ETHERNET) {
            GidEntry chosen = context.selectGid(port);
            gid = chosen.gid();
            this.gidIndex = OptionalInt.of(chosen.index());
        } else {
            this.gidIndex = OptionalInt.empty();
        }
        this.endpoint = new QueuePairEndpoint(
                queuePair.number(), config.packetSequenceNumber(), attributes.lid(), gid, attributes.activeMtu());
        QueuePairTransitions.toInit(queuePair, config);
    }

    /** {@return the endpoint, which the peer needs; send it to the peer by any means} */
    public QueuePairEndpoint endpoint() {
        return endpoint;
    }

    /** {@return the index of the GID in use; empty on InfiniBand unless one was requested} */
    public OptionalInt gidIndex() {
        return gidIndex;
    }

    /** {@return the maximum number of bytes that a request can carry inline, 0 if none were requested} */
    public int maxInlineData() {
        return queuePair.maxInlineData();
    }

    /**
     * Posts a receive before the peer can send; see {@link QueuePair#tryPostReceive}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the buffer
     * @return true if it was posted, false if the queue is full
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPostReceive(long workRequestId, MemorySlice local) {
        return queuePair.tryPostReceive(workRequestId, local);
    }

    /**
     * Prepares a receive that is posted many times, before the peer can send and later; see
     * {@link QueuePair#prepareReceive}.
     *
     * @param local the buffer
     * @return the receive, not posted yet
     */
    public PreparedReceive prepareReceive(MemorySlice local) {
        return queuePair.prepareReceive(local);
    }

    /**
     * Prepares the receives of many buffers, before the peer can send and later; see {@link QueuePair#prepareReceives}.
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
     * Connects with the defaults of {@link ConnectionConfig}.
     *
     * @param theirs the peer's endpoint
     * @return the queue pair, ready to send and receive
     * @throws VerbsException if the device refuses; the message gives the cause
     */
    public QueuePair connect(QueuePairEndpoint theirs) {
        return connect(theirs, config -> {});
    }

    /**
     * Connects: brings the queue pair to RTR and RTS (ibv_modify_qp(3)). No packet is sent: the peer must do the same
     * with this side's endpoint, and until it has, what is posted is retried.
     *
     * @param theirs the peer's endpoint
     * @param configuration sets what differs from the defaults
     * @return the queue pair, ready to send and receive
     * @throws IllegalArgumentException if a count is above the device's limit; the message has both numbers
     * @throws IllegalStateException if it was connected before, or is closed
     * @throws VerbsException if the device refuses; the message gives the cause. You may try again; receives that were
     *     posted may also have to be posted again
     */
    public QueuePair connect(QueuePairEndpoint theirs, Consumer<ConnectionConfig> configuration) {
        requireNotConnected();
        if (!queuePair.type().isConnected()) {
            throw new IllegalStateException(
                    "a queue pair of type %s has no peer: it is activated, not connected".formatted(queuePair.type()));
        }
        ConnectionConfig connection = new ConnectionConfig();
        configuration.accept(connection);
        if (gidIndex.isPresent() && theirs.gid().isZero()) {
            throw new VerbsException(
                    "connecting " + queuePair,
                    Errno.EINVAL,
                    "this side uses a GID and the peer's endpoint has none",
                    "have both sides use a GID, or neither");
        }
        InfiniBandLids.require("connecting " + queuePair, port, portAttributes, theirs.lid());
        connection.settle(queuePair.domain().context());
        QueuePairTransitions.toReadyToReceive(queuePair, port, gidIndex, endpoint, theirs, connection);
        try {
            QueuePairTransitions.toReadyToSend(queuePair, endpoint, connection);
        } catch (VerbsException e) {
            try {
                QueuePairTransitions.toReset(queuePair);
                QueuePairTransitions.toInit(queuePair, config);
            } catch (VerbsException wayBack) {
                e.addSuppressed(wayBack);
            }
            throw e;
        }
        connected = true;
        return queuePair;
    }

    /**
     * Makes a datagram queue pair ready: brings it to RTR and RTS (ibv_modify_qp(3)).
     *
     * @return the queue pair, ready to send to any peer and to receive from any peer
     * @throws IllegalStateException if its type needs a peer, if it was activated before, or is closed
     * @throws VerbsException if the device refuses
     */
    public QueuePair activate() {
        requireNotConnected();
        if (queuePair.type().isConnected()) {
            throw new IllegalStateException(
                    "a queue pair of type %s needs a peer: connect(endpoint)".formatted(queuePair.type()));
        }
        QueuePairTransitions.toReadyToSendDatagrams(queuePair, endpoint.packetSequenceNumber());
        connected = true;
        return queuePair;
    }

    private void requireNotConnected() {
        if (connected) {
            throw new IllegalStateException(queuePair + " is connected already");
        }
    }

    /**
     * Closes the queue pair, connected or not. Requests that are still posted get no completion. Does nothing if it is
     * closed already.
     */
    @Override
    public void close() {
        queuePair.close();
    }

    /** {@return the queue pair and its endpoint} */
    @Override
    public String toString() {
        return queuePair + ", prepared, " + endpoint;
    }
}
