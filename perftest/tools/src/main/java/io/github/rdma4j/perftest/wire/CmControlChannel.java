// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.ConnectConfig;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.RejectReason;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.TransportType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The conversation over a reliable queue pair that rdma_cm has connected: each message is one send. One receive is
 * posted at any time, which is enough for two sides that take turns; a peer that sends more must wait.
 */
final class CmControlChannel extends ControlChannel {
    /** Longer than any message; a longer one ends the connection. */
    private static final int BUFFER_BYTES = 512;

    /** The interval at which a wait for a message checks whether the peer has gone. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

    /** How long the side that does not send last waits at the end, so that the last message still arrives. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(200);

    /** The iWARP error when no program listens, as TCP reports it. */
    private static final int ECONNREFUSED = 111;

    private static final String SAID_BY_RDMA_CM = "rdma_cm says so";

    private static final RemoteMemory NOWHERE = new RemoteMemory(0, 0, 0);

    private final SynchronousId connection;
    private final String peer;
    private final ProtectionDomain domain;
    private final CompletionChannel events;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final QueuePair queuePair;
    private final InetAddress address;
    private final MemorySegment buffer;
    private final MemorySlice outgoing;
    private final MemorySlice incoming;
    private final WorkCompletions sent = WorkCompletions.allocate(1);
    private final WorkCompletions received = WorkCompletions.allocate(1);
    private boolean arrived;
    private boolean disconnected;

    /** Whether the peer's adapter may not notice our first message. */
    private boolean mayBeUnread;

    /** Takes ownership of an id with a device. */
    private CmControlChannel(SynchronousId connection, boolean server, Duration timeout) {
        super(server, timeout);
        this.connection = connection;
        InetSocketAddress there = connection.id().peerAddress().orElseThrow();
        this.address = there.getAddress();
        this.peer = there.toString().replaceFirst("^.*/", "");
        DeviceContext device = connection.id().device().orElseThrow();
        this.mayBeUnread = !server && device.device().transportType() == TransportType.IWARP;
        this.domain = device.allocateProtectionDomain();
        this.events = device.createCompletionChannel();
        this.sends = device.createCompletionQueue(1, config -> config.channel(events));
        this.receives = device.createCompletionQueue(1, config -> config.channel(events));
        try {
            MemoryRegion region = domain.allocateMemory(2 * BUFFER_BYTES, AccessFlag.LOCAL_WRITE);
            this.buffer = region.segment();
            this.outgoing = region.slice(0, BUFFER_BYTES);
            this.incoming = region.slice(BUFFER_BYTES, BUFFER_BYTES);
            this.queuePair = connection
                    .id()
                    .createQueuePair(
                            domain,
                            config -> config.sendCompletionQueue(sends)
                                    .receiveCompletionQueue(receives)
                                    .maxSendWorkRequests(1)
                                    .maxReceiveWorkRequests(1));
            postReceive();
        } catch (RuntimeException | Error failure) {
            release();
            throw failure;
        }
    }

    /** Tries the server's addresses one after the other. */
    static ControlChannel open(MeetingPoint where, Duration timeout, Duration preparation) {
        HandshakeException last = null;
        for (InetAddress address : where.addresses()) {
            try {
                return open(where, address, timeout, preparation);
            } catch (HandshakeException failure) {
                last = failure;
            }
        }
        throw last;
    }

    private static ControlChannel open(
            MeetingPoint where, InetAddress address, Duration timeout, Duration preparation) {
        SynchronousId connection = SynchronousId.create(PortSpace.TCP);
        try {
            InetSocketAddress destination = new InetSocketAddress(address, where.port());
            InetSocketAddress source = where.source(address);
            if (source == null) {
                connection.resolve(destination, timeout);
            } else {
                connection.resolve(source, destination, timeout);
            }
            CmControlChannel channel = new CmControlChannel(connection, false, timeout);
            return channel.ready(() -> connection.connect(CmControlChannel::withoutReads, preparation));
        } catch (VerbsException failure) {
            connection.close();
            InetSocketAddress source = where.source(address);
            if (source != null && LocalAddress.isForeign(source.getAddress())) {
                throw new HandshakeException(
                        "cannot connect from " + where.sourceName() + " by rdma_cm: " + failure.getMessage(),
                        LocalAddress.foreign(where),
                        failure);
            }
            throw unreachable(where.name(), failure);
        } catch (RuntimeException | Error failure) {
            connection.close();
            throw failure;
        }
    }

    static ControlChannel accept(SynchronousId connection, Duration timeout) {
        try {
            CmControlChannel channel = new CmControlChannel(connection, true, timeout);
            return channel.ready(() -> connection.accept(CmControlChannel::withoutReads, timeout));
        } catch (VerbsException failure) {
            connection.close();
            throw new HandshakeException(
                    "the connection with a client failed: " + failure.getMessage(), "read what it printed", failure);
        } catch (RuntimeException | Error failure) {
            connection.close();
            throw failure;
        }
    }

    /** Runs the last step, and closes everything if it fails. */
    private ControlChannel ready(Runnable lastStep) {
        try {
            lastStep.run();
            return this;
        } catch (RuntimeException | Error failure) {
            release();
            throw failure;
        }
    }

    /** As in the C tools: this connection carries no reads. */
    private static void withoutReads(ConnectConfig config) {
        config.responderResources(0).initiatorDepth(0);
    }

    private static HandshakeException unreachable(String where, VerbsException failure) {
        boolean isNotListening = failure instanceof ConnectionRejectedException rejected
                        && rejected.reason() == RejectReason.INVALID_SERVICE_ID
                || failure.errno() == ECONNREFUSED && !(failure instanceof ConnectionRejectedException);
        if (isNotListening) {
            return new HandshakeException(
                    "nobody accepts rdma_cm connections at " + where,
                    "start the server side first, with the same -p and the same of -z and -R, and give an address of"
                            + " the server that has an RDMA device (rdma link shows its interfaces); localhost has none",
                    failure);
        }
        String cause = failure.problem();
        return new HandshakeException(
                "cannot connect to " + where + " by rdma_cm: " + cause, failure.remedy(), failure);
    }

    private void postReceive() {
        if (!queuePair.tryPostReceive(0, incoming)) {
            throw new VerbsException("posting a receive on " + queuePair, 0, "the queue is full", "");
        }
        arrived = false;
    }

    @Override
    public InetAddress peerAddress() {
        return address;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    boolean carriesBinaryKeys() {
        return true;
    }

    @Override
    void send(byte[] message, String step) {
        MemorySegment.copy(message, 0, buffer, ValueLayout.JAVA_BYTE, 0, message.length);
        try {
            if (!queuePair.tryPostSend(0, outgoing.slice(0, message.length), SendFlags.SIGNALED)) {
                throw closed(step, "the send queue is full", null);
            }
        } catch (VerbsException e) {
            throw closed(step, e.getMessage(), e);
        }
        if (!await(sends, sent, timeout())) {
            if (disconnected) {
                throw closed(step, SAID_BY_RDMA_CM, null);
            }
            throw new HandshakeException(
                    "the peer " + peer + " did not take the " + step + " within " + text(timeout()), SAME_OPTIONS);
        }
        if (!sent.get(0).isSuccess()) {
            throw closed(step, sent.get(0).describe(), null);
        }
    }

    /** Waits for a completion, or until none can arrive any more. */
    private boolean await(CompletionQueue queue, WorkCompletions completions, Duration limit) {
        long begin = System.nanoTime();
        while (limit.isZero() || System.nanoTime() - begin < limit.toNanos()) {
            if (queue.awaitCompletions(completions, POLL_INTERVAL) > 0) {
                return true;
            }
            if (disconnected()) {
                // A pending request has completed by now, or never will.
                return queue.poll(completions) > 0;
            }
            if (queue == receives && mayBeUnread) {
                wakePeersAdapter();
            }
        }
        return false;
    }

    /**
     * SoftiWARP accepts a client before it polls for the client's data: the first message may stay unread until more
     * data follows. A write without bytes is enough, and has no effect on the peer.
     */
    private void wakePeersAdapter() {
        boolean posted;
        try {
            posted = queuePair.tryPostWrite(0, outgoing.slice(0, 0), NOWHERE, SendFlags.SIGNALED);
        } catch (VerbsException e) {
            // The connection has ended, as its events report.
            return;
        }
        if (posted) {
            await(sends, sent, timeout());
        }
    }

    @Override
    synchronized byte[] receive(int length, String step, Duration limit) {
        if (!arrived && !await(receives, received, limit)) {
            throw disconnected ? closed(step, SAID_BY_RDMA_CM, null) : silent(0, length, limit, step, null);
        }
        arrived = true;
        mayBeUnread = false;
        WorkCompletion completion = received.get(0);
        if (!completion.isSuccess()) {
            throw closed(step, completion.describe(), null);
        }
        byte[] message = new byte[Math.toIntExact(completion.byteLength())];
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, BUFFER_BYTES, message, 0, message.length);
        // The peer may send the next message as soon as it has our answer.
        postReceive();
        return message;
    }

    private boolean disconnected() {
        Optional<CmEvent> event = Optional.empty();
        while (!disconnected && (event = connection.id().channel().poll()).isPresent()) {
            CmEventType type = event.get().type();
            disconnected = type == CmEventType.DISCONNECTED || type.isFailure();
        }
        return disconnected;
    }

    @Override
    public synchronized boolean peerClosed() {
        arrived = arrived || receives.poll(received) > 0;
        // On iWARP a failed receive may be the first sign of the disconnect.
        return arrived ? !received.get(0).isSuccess() : disconnected();
    }

    @Override
    public synchronized boolean awaitNews(Duration limit) {
        arrived = arrived || await(receives, received, limit);
        return arrived || disconnected;
    }

    /**
     * Closes the connection. The server sends last in every exchange and may close at once; the client waits until the
     * server has disconnected.
     */
    @Override
    public void close() {
        if (!connection.isOpen()) {
            return;
        }
        long begin = System.nanoTime();
        while (!isServer() && !disconnected() && System.nanoTime() - begin < CLOSE_TIMEOUT.toNanos()) {
            connection.id().channel().nextEvent(CLOSE_TIMEOUT).ifPresent(event -> disconnected = true);
        }
        release();
    }

    private void release() {
        connection.close();
        domain.close();
        sends.close();
        receives.close();
        events.close();
    }
}
